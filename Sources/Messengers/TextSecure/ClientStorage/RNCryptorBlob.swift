internal import Primitives
public import SecureMemory

// The iOS client's master secret under a password, as RNCryptor 3 writes it: 114 bytes.
//
//   offset  length  meaning
//        0       2  03 01: version 3, with a password
//        2       8  salt of the AES key
//       10       8  salt of the HMAC key
//       18      16  IV
//       34      48  AES-256-CBC with PKCS#7 padding: the 36 bytes
//       82      32  HMAC-SHA-256(HMAC key, all before)
//
// Both keys: PBKDF2-HMAC-SHA-1(password, salt, 10,000 rounds, 32 bytes).

/// The iOS client's master secret under a password.
public enum RNCryptorBlob {
    /// Length in bytes.
    public static let count = cipherStart + Legacy.PaddedCBC.sealedCount(MasterSecret.count) + SHA256.count
    private static let magic: [UInt8] = [3, 1]
    private static let encryptionSalt = 2..<10
    private static let macSalt = 10..<18
    private static let iv = 18..<cipherStart
    private static let cipherStart = 34
    private static let iterations = 10_000

    /// Reads a blob from Base64, with padding or without, in one line or more.
    /// - Returns: nil for other text, and for a much longer one.
    public static func blob(text: String) -> [UInt8]? {
        guard text.utf8.count <= 4 * count else { return nil }
        return LenientBase64.decodePublic(text)
    }

    /// Whether bytes begin as a blob does.
    public static func isLikely(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= magic.count && bytes[0] == magic[0] && bytes[1] == magic[1]
    }

    /// Checks what needs no password.
    /// - Throws: `.wrongLength`, `.unknownFormat`.
    public static func check(_ blob: Span<UInt8>) throws(ClientStorageError) {
        guard blob.count == count else { throw .wrongLength(blob.count) }
        guard isLikely(blob) else { throw .unknownFormat }
    }

    /// Opens a blob.
    /// - Parameter password: UTF-8, as typed.
    /// - Throws: `.wrongLength`, `.unknownFormat`, `.wrongPasswordOrDamaged`.
    public static func open(
        _ blob: Span<UInt8>, password: borrowing SecureBytes
    ) throws(ClientStorageError) -> MasterSecret {
        try check(blob)
        let end = count - SHA256.count
        let macKey = key(password, blob.extracting(macSalt))
        let expected = macKey.withBytes { HMACSHA256.authenticate(blob.extracting(0..<end), key: $0) }
        guard ConstantTime.areEqual(expected.span, blob.extracting(end..<count)) else {
            throw .wrongPasswordOrDamaged
        }
        let opened = Legacy.PaddedCBC.open(
            blob.extracting(cipherStart..<end), key: key(password, blob.extracting(encryptionSalt)),
            iv: blob.extracting(iv).revealBytes())
        guard let opened, let secret = MasterSecret(opened) else { throw .wrongPasswordOrDamaged }
        return secret
    }

    private static func key(_ password: borrowing SecureBytes, _ salt: Span<UInt8>) -> SecureBytes {
        let salt = salt.revealBytes()
        return password.withBytes {
            Legacy.PBKDF2SHA1.deriveKey(password: $0, salt: salt, iterations: iterations, count: 32)
        }
    }
}
