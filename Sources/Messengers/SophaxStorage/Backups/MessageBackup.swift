internal import Encodings
internal import Primitives
public import SecureMemory
public import SophaxChat

// The message backup SXBK 2: SXBK ‖ 2 ‖ salt (32) ‖ nonce (12) ‖ AES-256-GCM: JSON, tag (16). Key =
// PBKDF2-HMAC-SHA-256(passphrase, salt, 720,000, 32). The header is not authenticated.

/// Messages and contacts in a file under a passphrase.
public struct MessageBackup: Sendable {
    /// Longest file in bytes.
    public static let maxCount = 256 << 20
    private static let magic = Array("SXBK".utf8)
    private static let version: UInt8 = 2
    private static let iterations = 720_000
    private static let saltCount = 32
    private static let headerCount = 4 + 1 + saltCount

    /// The version that the content names, which is not that of the file.
    public let version: Int64
    /// When the backup was made, by the clock of the device that made it.
    public let created: AppTime
    /// The name that the user has chosen; nobody checks it.
    public let username: String
    /// Whose it is, as the app writes it.
    public let identityFingerprint: String?
    /// How many contacts the content has.
    public let peerCount: Int
    /// How many messages the content has.
    public let messageCount: Int

    /// Whether bytes are a backup that can be opened: everything that is checked before a key is derived.
    /// - Throws: `.unknownFormat`, `.unknownVersion`, `.malformed`.
    public static func check(_ file: [UInt8]) throws(BackupError) {
        guard file.starts(with: magic) else { throw .unknownFormat }
        guard file.count > magic.count else { throw .malformed }
        guard file[4] == version else { throw .unknownVersion(file[4]) }
        guard file.count >= headerCount + AES256GCM.nonceCount + AES256GCM.tagCount, file.count <= maxCount else {
            throw .malformed
        }
    }

    /// Opens a backup.
    /// - Returns: the content, JSON.
    /// - Throws: as `check`, and `.wrongKeyOrDamaged`.
    public static func open(_ file: [UInt8], passphrase: borrowing SecureBytes) throws(BackupError) -> SecureBytes {
        try check(file)
        let key = key(passphrase, Array(file[5..<headerCount]))
        return try open(file, key: key)
    }

    /// Opens a backup with the key that the passphrase makes, 32 bytes.
    package static func open(_ file: [UInt8], key: borrowing SecureBytes) throws(BackupError) -> SecureBytes {
        try check(file)
        return try StoredMessages.open(Array(file[headerCount...]), key: key)
    }

    /// Seals a content.
    /// - Throws: `.shortPassphrase`.
    public static func seal(
        _ content: borrowing SecureBytes, passphrase: borrowing SecureBytes
    ) throws(BackupError) -> [UInt8] {
        guard passphrase.count >= IdentityBackup.minPassphrase else { throw .shortPassphrase }
        return seal(
            content, passphrase, salt: Random.bytes(saltCount), nonce: Random.bytes(AES256GCM.nonceCount))
    }

    package static func seal(
        _ content: borrowing SecureBytes, _ passphrase: borrowing SecureBytes, salt: [UInt8], nonce: [UInt8]
    ) -> [UInt8] {
        let key = key(passphrase, salt)
        return magic + [version] + salt + content.withBytes { StoredMessages.seal($0, key: key, nonce: nonce) }
    }

    private static func key(_ passphrase: borrowing SecureBytes, _ salt: [UInt8]) -> SecureBytes {
        passphrase.withBytes {
            PBKDF2.deriveKey(password: $0, salt: salt, iterations: iterations, count: AES256GCM.keyCount)
        }
    }

    /// What a content has.
    /// - Throws: `.malformed`.
    public init(summarizing content: Span<UInt8>) throws(BackupError) {
        do {
            let value = try JSONScanner.parse(content, limits: .init(depth: 32, values: 5_000_000))
            let fields = try Fields(value)
            version = try fields.integer("version", as: Int64.self)
            created = try fields.time("createdAt")
            username = try fields.text("username")
            identityFingerprint = try fields.optional("identityFingerprint") { name throws(FieldError) in
                try fields.text(name)
            }
            func count(_ name: String) -> Int? { value[name].flatMap { $0.array?.count ?? $0.members?.count } }
            guard let peers = count("peers"), let messages = count("messages") else { throw BackupError.malformed }
            peerCount = peers
            messageCount = messages
        } catch {
            throw .malformed
        }
    }
}
