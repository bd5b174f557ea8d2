internal import SecureMemory

/// A Threema ID: 8 ASCII characters, the first of `*0-9A-Z`, the others of `0-9A-Z` (libthreema's
/// rule). One that begins with `*` is a gateway ID.
public struct ThreemaID: Hashable, Sendable, CustomStringConvertible {
    /// Length in bytes.
    public static let count = 8

    /// The eight characters.
    public let text: String

    /// The same as `text`.
    public var description: String { text }
    /// The eight characters as bytes.
    public var bytes: [UInt8] { Array(text.utf8) }

    /// Checks a text, which must be in upper case.
    /// - Throws: `.invalid` if it is not an ID.
    public init(_ text: String) throws(ThreemaIDError) {
        try self.init(bytes: Array(text.utf8).span)
    }

    /// Checks 8 bytes of ASCII.
    /// - Throws: `.invalid` if they are not an ID.
    public init(bytes: Span<UInt8>) throws(ThreemaIDError) {
        guard bytes.count == Self.count else { throw .invalid }
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): break
            case UInt8(ascii: "*") where index == 0: break
            default: throw .invalid
            }
        }
        text = bytes.revealText()
    }

    /// A random ID of `[0-9A-Z]`. The directory does not know it.
    public static func random() -> ThreemaID {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let bytes = (0..<count).map { _ in alphabet[Int(Random.number(below: UInt32(alphabet.count)))] }
        // Cannot throw: every character of the alphabet is allowed in an ID.
        return try! ThreemaID(bytes: bytes.span)
    }
}

/// Why text or bytes are not an ID.
public enum ThreemaIDError: Error, Equatable, Sendable {
    case invalid
}
