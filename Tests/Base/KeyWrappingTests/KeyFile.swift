import KeyWrapping
import SecureMemory
import VectorKit

/// A key file in the words of these tests.
enum KeyFile {
    /// - Parameter passphrase: nil for a file that has none.
    static func open(_ file: [UInt8], _ passphrase: String?) throws(KeyFileError) -> [UInt8] {
        let wrapped = try WrappedKey(SecureBytes(copying: file.span))
        guard let passphrase else { return try wrapped.open().bytes.copied }
        let bytes = Array(passphrase.utf8)
        return try wrapped.open(passphrase: SecureBytes(copying: bytes.span)).bytes.copied
    }

    static func protection(_ file: [UInt8]) throws(KeyFileError) -> WrappedKey.Protection {
        try WrappedKey(SecureBytes(copying: file.span)).protection
    }
}
