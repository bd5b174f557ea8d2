internal import Encodings
internal import Primitives
public import SecureMemory
public import SophaxChat

/// Messages at rest: nonce (12) ‖ AES-256-GCM ciphertext ‖ tag (16), under the storage key.
public enum StoredMessages {
    /// Longest name of a value in the app's key store, in characters.
    public static let maxAccount = 256

    /// Seals a file's content under a 32-byte key.
    public static func seal(_ content: Span<UInt8>, key: borrowing SecureBytes) -> [UInt8] {
        seal(content, key: key, nonce: Random.bytes(AES256GCM.nonceCount))
    }

    package static func seal(_ content: Span<UInt8>, key: borrowing SecureBytes, nonce: [UInt8]) -> [UInt8] {
        nonce + AES256GCM(key: key).seal(content, nonce: nonce, additionalData: [])
    }

    /// Opens a file's content.
    /// - Throws: `.wrongKeyOrDamaged`.
    public static func open(_ file: [UInt8], key: borrowing SecureBytes) throws(BackupError) -> SecureBytes {
        guard file.count >= AES256GCM.nonceCount + AES256GCM.tagCount else { throw .wrongKeyOrDamaged }
        let nonce = Array(file[..<AES256GCM.nonceCount])
        do {
            return try AES256GCM(key: key).open(
                file.span.extracting(AES256GCM.nonceCount..<file.count), nonce: nonce, additionalData: [])
        } catch {
            throw .wrongKeyOrDamaged
        }
    }

    /// The name of a peer's file, 32 digits. It does not tell who the peer is without the key.
    public static func fileName(_ peer: PeerID, key: borrowing SecureBytes) -> String {
        let message = Array("SophaxChat_File_v1".utf8) + peer.bytes
        return key.withBytes { Hex.encode(Array(HMACSHA256.authenticate(message.span, key: $0)[..<16])) }
    }

    /// Whether a name can be one of the key store: 1 to 256 characters.
    public static func isAccount(_ name: String) -> Bool { (1...maxAccount).contains(name.count) }
}
