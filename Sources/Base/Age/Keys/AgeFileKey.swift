internal import Primitives
internal import SecureMemory

/// The key of one file: 16 random bytes, which each stanza wraps, and from which the keys of header and payload are
/// derived.
public struct AgeFileKey: ~Copyable, Sendable {
    static let count = 16

    private let bytes: SecureBytes

    init(_ bytes: consuming SecureBytes) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// A new key from the system's random numbers, for one file.
    package static func random() -> AgeFileKey { AgeFileKey(Random.secret(count)) }

    /// A copy, in guarded memory of its own.
    package borrowing func copy() -> AgeFileKey { AgeFileKey(bytes.withBytes { SecureBytes(copying: $0) }) }

    /// Derives a key of 32 bytes.
    borrowing func deriveKey(salt: [UInt8], info: String) -> SecureBytes {
        let info = Array(info.utf8)
        return bytes.withBytes { HKDFSHA256.deriveKey(from: $0, salt: salt.span, info: info.span, count: 32) }
    }

    // Wrapping: ChaCha20-Poly1305 with a nonce of zeros, because each wrap key is used once.

    private static let nonce = [UInt8](repeating: 0, count: ChaChaPoly.nonceCount)
    /// Length of a wrapped key in bytes.
    static let wrappedCount = count + ChaChaPoly.tagCount

    /// - Parameter key: 32 bytes, never used before.
    /// - Returns: 32 bytes.
    borrowing func wrapped(under key: borrowing SecureBytes) -> [UInt8] {
        bytes.withBytes { ChaChaPoly.seal($0, nonce: Self.nonce, key: key, additionalData: []) }
    }

    /// - Parameter wrapped: 32 bytes.
    /// - Returns: nil if it was wrapped under another key.
    static func unwrap(_ wrapped: [UInt8], under key: borrowing SecureBytes) -> AgeFileKey? {
        precondition(wrapped.count == wrappedCount)
        do throws(AuthenticationError) {
            return AgeFileKey(try ChaChaPoly.open(wrapped.span, nonce: nonce, key: key, additionalData: []))
        } catch {
            return nil
        }
    }
}
