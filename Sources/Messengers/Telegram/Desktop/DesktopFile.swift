internal import Primitives
internal import SecureMemory

// The shell of each file in the Desktop app's directory `tdata`:
//
//   offset  length  meaning
//        0       4  TDF$
//        4       4  the app's version, little-endian
//        8       n  data
//      8+n      16  MD5(data ‖ n (4, little-endian) ‖ version (4) ‖ TDF$)
//
// In the data numbers are big-endian. A byte array has its length (4) in front; ffffffff is a missing one.

/// A file of the Desktop app, whose content is encrypted.
public struct DesktopFile: Equatable, Sendable {
    /// Longest file that is read, in bytes: 1 MiB. Files with keys have some kilobytes.
    public static let maxCount = 1 << 20
    private static let magic = Array("TDF$".utf8)
    private static let headerCount = 8
    private static let trailerCount = Legacy.MD5.count

    /// The version of the app that has written it.
    public let version: UInt32
    /// The content.
    let data: [UInt8]

    /// Checks a file's shell.
    /// - Throws: `.tooLong`, `.notDesktopFile`, `.wrongChecksum`.
    public init(_ file: Span<UInt8>) throws(DesktopError) {
        guard file.count <= Self.maxCount else { throw .tooLong(limit: Self.maxCount) }
        guard file.count >= Self.headerCount + Self.trailerCount,
            Self.magic.indices.allSatisfy({ file[$0] == Self.magic[$0] })
        else { throw .notDesktopFile }
        version = file.number32(at: 4)
        let end = file.count - Self.trailerCount
        data = file.extracting(Self.headerCount..<end).revealBytes()
        guard file.extracting(end..<file.count).revealBytes() == Self.checksum(data, version) else {
            throw .wrongChecksum
        }
    }

    private static func checksum(_ data: [UInt8], _ version: UInt32) -> [UInt8] {
        var message = data
        message.append(number: UInt32(data.count))
        message.append(number: version)
        message += magic
        return Legacy.MD5.hash(message.span)
    }
}

/// Reads the app's numbers and byte arrays from the front.
struct DesktopReader {
    private(set) var position = 0

    mutating func number32(_ bytes: Span<UInt8>) throws(DesktopError) -> UInt32 {
        let range = try take(4, bytes)
        return range.reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    }

    mutating func number64(_ bytes: Span<UInt8>) throws(DesktopError) -> UInt64 {
        let range = try take(8, bytes)
        return range.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// A byte array, which has to be there.
    mutating func array(_ bytes: Span<UInt8>) throws(DesktopError) -> Range<Int> {
        let count = try number32(bytes)
        // A missing array has the greatest length, which no file has.
        guard UInt64(count) <= UInt64(bytes.count - position) else { throw .malformed }
        return try take(Int(count), bytes)
    }

    /// A byte array; empty if it is missing.
    mutating func optionalArray(_ bytes: Span<UInt8>) throws(DesktopError) -> Range<Int> {
        var ahead = self
        guard try ahead.number32(bytes) == .max else { return try array(bytes) }
        self = ahead
        return position..<position
    }

    /// The number of elements that follow.
    /// - Parameter width: least length of an element in bytes, so that no number promises more than the bytes hold.
    mutating func count(of width: Int, limit: Int, _ bytes: Span<UInt8>) throws(DesktopError) -> Int {
        let count = Int(try number32(bytes))
        guard count <= limit, count * width <= bytes.count - position else { throw .malformed }
        return count
    }

    mutating func take(_ count: Int, _ bytes: Span<UInt8>) throws(DesktopError) -> Range<Int> {
        guard count <= bytes.count - position else { throw .malformed }
        defer { position += count }
        return position..<position + count
    }

    func isAtEnd(_ bytes: Span<UInt8>) -> Bool { position == bytes.count }

    func finish(_ bytes: Span<UInt8>) throws(DesktopError) {
        guard position == bytes.count else { throw .malformed }
    }
}

/// Why a file of the Desktop app was not read.
public enum DesktopError: Error, Equatable, Sendable {
    /// It is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// It does not begin as such a file does.
    case notDesktopFile
    /// It was changed or cut.
    case wrongChecksum
    /// The checksum is right, but what it contains has another form.
    case malformed
    /// The checksum is right, but a newer app has written it, in a form that is not known: of this version, if it says one.
    case newer(version: UInt32?)
    /// The passcode's key takes more memory or time than the app itself spends.
    case tooCostly
    /// A passcode is needed, but the file has no key that one opens: a change of the passcode was interrupted.
    case noPasscodeWrap
    /// The system refused the memory to derive the passcode's key.
    case memory(bytes: Int)
    /// The checksum is right, but the passcode does not open the local key.
    case wrongPasscode
    /// The checksum is right, but the local key does not open the content: the file is of another directory.
    case otherLocalKey
    /// It contains settings of this number instead of keys.
    case unknownBlock(UInt32)
}
