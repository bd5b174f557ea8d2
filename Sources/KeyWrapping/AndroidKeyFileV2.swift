internal import Encodings
public import SecureMemory

// Three messages inside each other, each behind a version number (facts of the Android app, since 6.2):
//
//   offset  length  meaning
//        0       2  outer version: 0
//        2       2  0a 28: field 1, plaintext intermediate, 40 bytes
//        4       2  intermediate version: 0
//        6       2  0a 24: field 1, plaintext inner, 36 bytes
//        8       2  inner version: 0
//       10       2  0a 20: field 1, master key, 32 bytes
//       12      32  master key
//
// Field 2 instead of 1 means, in the outer message, a passphrase (Argon2id), and in the intermediate
// one a remote secret. Both are recognised and named; opening them is not in this build.

/// The Android app's second key file layout.
public enum AndroidKeyFileV2 {
    private static let versionCount = 2
    private static let plaintextField = 1
    private static let protectedField = 2

    /// Longest file that can be one, in bytes.
    public static let maxCount = 4096

    /// The unprotected form.
    /// - Returns: 44 bytes.
    public static func encode(_ key: borrowing MasterKey) -> SecureBytes {
        var message = SecureBuffer(capacity: MasterKey.count)
        message.append(key.bytes)
        var content = message.finish()
        for _ in 0..<3 {
            let count = ProtobufWire.encodedCount(number: plaintextField, count: content.count)
            var outer = SecureBuffer(capacity: versionCount + count)
            outer.append(0)
            outer.append(0)
            content.withBytes { ProtobufWire.append($0, number: plaintextField, to: &outer) }
            content = outer.finish()
        }
        return content
    }

    /// Opens the unprotected form.
    ///
    /// Stricter than a Protocol Buffers parser: each message must be its one field and nothing else,
    /// so that a damaged file is not read as something it was not.
    /// - Throws: `.malformed`, `.unknownVersion`, `.protected`.
    public static func open(_ file: Span<UInt8>) throws(KeyFileError) -> MasterKey {
        let intermediate = try content(of: file, 0..<file.count, protection: .passphrase)
        let inner = try content(of: file, intermediate, protection: .remoteSecret)
        let key = try content(of: file, inner, protection: nil)
        guard key.count == MasterKey.count, key.upperBound == file.count else { throw .malformed }
        return MasterKey(SecureBytes(copying: file.extracting(key)))
    }

    /// The bytes of the one field of the version-prefixed message at `range`.
    private static func content(
        of file: Span<UInt8>, _ range: Range<Int>, protection: KeyFileError.Protection?
    ) throws(KeyFileError) -> Range<Int> {
        guard range.count > versionCount else { throw .malformed }
        // The app writes this number little endian and reads it big endian; only 0 is the same in both.
        let version = UInt16(file[range.lowerBound]) | UInt16(file[range.lowerBound + 1]) << 8
        guard version == 0 else { throw .unknownVersion(version) }
        let start = range.lowerBound + versionCount
        let message = file.extracting(start..<range.upperBound)
        var position = 0
        guard case .bytes(let number, let place)? = try? ProtobufWire.next(message, at: &position) else {
            throw .malformed
        }
        if number == protectedField, let protection { throw .protected(protection) }
        guard number == plaintextField, place.upperBound == message.count else { throw .malformed }
        return start + place.lowerBound..<start + place.upperBound
    }
}

/// Why a key file does not give its master key.
public enum KeyFileError: Error, Equatable, Sendable {
    /// It has not the structure of a key file.
    case malformed
    /// A version that this build does not know.
    case unknownVersion(UInt16)
    /// It is protected in a way that this build does not open.
    case protected(Protection)

    /// What a key file can be protected by.
    public enum Protection: Sendable {
        case passphrase
        case remoteSecret
    }
}
