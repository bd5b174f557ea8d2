internal import Primitives
public import SecureMemory

// The Android client's master secret under a passphrase, in an XML file of preferences. Three texts in Base64:
//
//   name             bytes
//   encryption_salt  8
//   mac_salt         8
//   master_secret    68: AES-128-CBC with PKCS#7 padding of the 36 bytes (48), HMAC-SHA-1 over these (20)
//
// Key, IV and HMAC key come from PKCS#12's derivation with SHA-1 and 100 rounds: key and IV with the first salt, the
// HMAC key, as a key, with the second. The HMAC key's length is nowhere written: 16 bytes, as the AES key has, and 20
// are tried.

/// The Android client's master secret under a passphrase.
public struct AndroidPreferences: Equatable, Sendable {
    /// Longest file in bytes.
    public static let maxFileCount = 1024 * 1024
    private static let saltCount = 8
    private static let rounds = 100
    private static let cipherCount = Legacy.PaddedCBC.sealedCount(MasterSecret.count)
    private static let sealedCount = cipherCount + Legacy.SHA1.count
    private static let macKeyCounts = [16, 20]

    private let encryptionSalt: [UInt8]
    private let macSalt: [UInt8]
    private let sealed: [UInt8]

    /// Reads a file of preferences. Other values in it are ignored.
    /// - Throws: `.tooLong`, `.malformed`, `.missing`, `.wrongLength`.
    public init(parsing file: Span<UInt8>) throws(ClientStorageError) {
        guard file.count <= Self.maxFileCount else { throw .tooLong(limit: Self.maxFileCount) }
        let names = ["encryption_salt", "mac_salt", "master_secret"]
        let texts = try PreferencesXML.strings(file, named: names)
        func bytes(_ name: String, _ count: Int) throws(ClientStorageError) -> [UInt8] {
            guard let text = texts[name] else { throw .missing(name: name) }
            guard let bytes = LenientBase64.decodePublic(text) else { throw .malformed }
            guard bytes.count == count else { throw .wrongLength(bytes.count) }
            return bytes
        }
        encryptionSalt = try bytes(names[0], Self.saltCount)
        macSalt = try bytes(names[1], Self.saltCount)
        sealed = try bytes(names[2], Self.sealedCount)
    }

    /// Opens the master secret.
    /// - Parameter passphrase: UTF-8, as typed.
    /// - Throws: `.wrongPasswordOrDamaged`, also for a passphrase that is not UTF-8.
    public func open(passphrase: borrowing SecureBytes) throws(ClientStorageError) -> MasterSecret {
        guard let password = PKCS12KDF.bmpString(passphrase) else { throw .wrongPasswordOrDamaged }
        let ciphertext = sealed.span.extracting(0..<Self.cipherCount)
        let code = sealed.span.extracting(Self.cipherCount..<Self.sealedCount)
        let isAuthentic = Self.macKeyCounts.contains { count in
            let key = PKCS12KDF.derive(.key, password: password, salt: macSalt, rounds: Self.rounds, count: count)
            let expected = Legacy.HMACSHA1.authenticate(ciphertext, key: key)
            return ConstantTime.areEqual(expected.span, code)
        }
        guard isAuthentic else { throw .wrongPasswordOrDamaged }
        let key = PKCS12KDF.derive(.key, password: password, salt: encryptionSalt, rounds: Self.rounds, count: 16)
        let iv = PKCS12KDF.derive(
            .iv, password: password, salt: encryptionSalt, rounds: Self.rounds, count: Legacy.PaddedCBC.ivCount)
        let opened = Legacy.PaddedCBC.open(ciphertext, key: key, iv: iv.revealBytes())
        guard let opened, let secret = MasterSecret(opened) else { throw .wrongPasswordOrDamaged }
        return secret
    }
}
