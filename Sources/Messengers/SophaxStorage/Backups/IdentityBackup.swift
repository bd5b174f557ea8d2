internal import Encodings
internal import Primitives
public import SecureMemory
public import SophaxChat

// The identity backup SXID 2. Numbers are big endian. The header is not authenticated.
//
//   offset  length  meaning
//        0       4  SXID
//        4       1  2
//        5       4  iterations
//        9      32  salt
//       41      12  nonce
//       53       …  AES-256-GCM: JSON, tag (16). Key = PBKDF2-HMAC-SHA-256(passphrase, salt, iterations, 32)
//
// JSON: signingKeyPrivate and dhKeyPrivate (Base64 of 32 bytes), username, exportedAt (seconds since 2001).

/// An identity in a file under a passphrase.
public struct IdentityBackup: ~Copyable, Sendable {
    /// Fewest characters of a passphrase.
    public static let minPassphrase = 16
    /// What a file may have: more would keep the reader busy for minutes.
    public static let iterations: ClosedRange<UInt32> = 600_000...10_000_000
    /// Iterations of PBKDF2 in a new file.
    public static let writtenIterations: UInt32 = 720_000
    /// Longest file in bytes.
    public static let maxCount = 65_536
    private static let magic = Array("SXID".utf8)
    private static let version: UInt8 = 2
    private static let saltCount = 32
    static let headerCount = 53

    /// The two private keys.
    public var identity: SophaxIdentity
    /// The name that the user has chosen; nobody checks it.
    public let username: String
    /// When the backup was made, by the clock of the device that made it.
    public let exported: AppTime

    /// What is to be written.
    public init(identity: consuming SophaxIdentity, username: String, exported: AppTime) {
        self.identity = identity
        self.username = username
        self.exported = exported
    }

    /// Gives up everything but the keys.
    public consuming func intoIdentity() -> SophaxIdentity { identity }

    /// Seals the identity.
    /// - Parameter passphrase: UTF-8, 16 characters or more.
    /// - Throws: `.shortPassphrase`.
    public borrowing func sealed(passphrase: borrowing SecureBytes) throws(BackupError) -> [UInt8] {
        guard Self.isLong(passphrase) else { throw .shortPassphrase }
        let text = json()
        return Self.seal(
            text, passphrase, iterations: Self.writtenIterations, salt: Random.bytes(Self.saltCount),
            nonce: Random.bytes(AES256GCM.nonceCount))
    }

    package static func seal(
        _ text: borrowing SecureBytes, _ passphrase: borrowing SecureBytes, iterations: UInt32, salt: [UInt8],
        nonce: [UInt8]
    ) -> [UInt8] {
        var header = magic + [version]
        header.appendNumber(iterations)
        let key = key(passphrase, salt, iterations)
        return header + salt + text.withBytes { StoredMessages.seal($0, key: key, nonce: nonce) }
    }

    package static func key(
        _ passphrase: borrowing SecureBytes, _ salt: [UInt8], _ iterations: UInt32
    ) -> SecureBytes {
        passphrase.withBytes {
            PBKDF2.deriveKey(password: $0, salt: salt, iterations: Int(iterations), count: AES256GCM.keyCount)
        }
    }

    /// Characters, counted without a copy: bytes that begin one in UTF-8.
    private static func isLong(_ passphrase: borrowing SecureBytes) -> Bool {
        passphrase.withBytes { bytes in
            var count = 0
            for index in bytes.indices where bytes[index] & 0xc0 != 0x80 { count += 1 }
            return count >= minPassphrase
        }
    }

    private borrowing func json() -> SecureBytes {
        let name = JSONValue.string(username).encoded
        let time = exported.literal
        var buffer = SecureBuffer(capacity: 256 + name.count + time.utf8.count)
        buffer.append("{\"dhKeyPrivate\":\"")
        identity.agreement.withBytes { Base64.encode($0, appendingTo: &buffer) }
        buffer.append("\",\"exportedAt\":\(time),\"signingKeyPrivate\":\"")
        identity.signing.withBytes { Base64.encode($0, appendingTo: &buffer) }
        buffer.append("\",\"username\":")
        buffer.append(name.span)
        buffer.append("}")
        return buffer.finish()
    }

    /// Whether bytes are a backup that can be opened: everything that is checked before a key is derived.
    /// - Throws: `.unknownFormat`, `.unknownVersion`, `.iterations`, `.malformed`.
    public static func check(_ file: [UInt8]) throws(BackupError) {
        guard file.starts(with: magic) else { throw .unknownFormat }
        guard file.count > magic.count else { throw .malformed }
        guard file[4] == version else { throw .unknownVersion(file[4]) }
        guard file.count >= headerCount + AES256GCM.tagCount, file.count <= maxCount else { throw .malformed }
        let count = file[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard iterations.contains(count) else { throw .iterations(count) }
    }

    /// Opens a backup.
    /// - Throws: as `check`, `.wrongKeyOrDamaged`, and `.malformed` for a content that no app writes.
    public init(opening file: [UInt8], passphrase: borrowing SecureBytes) throws(BackupError) {
        try Self.check(file)
        let count = file[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let key = Self.key(passphrase, Array(file[9..<41]), count)
        let text = try StoredMessages.open(Array(file[41...]), key: key)
        self = try text.withBytes { (bytes) throws(BackupError) in try Self(parsing: bytes) }
    }

    private static let cut = [["signingKeyPrivate"], ["dhKeyPrivate"]]

    package init(parsing text: Span<UInt8>) throws(BackupError) {
        do {
            let (value, cuts) = try JSONScanner.parse(text, cutting: Self.cut, limits: Fields.limits)
            guard let first = cuts[0], let second = cuts[1] else { throw BackupError.malformed }
            let fields = try Fields(value)
            let signing = try Self.secret(first, text)
            let agreement = try Self.secret(second, text)
            guard let identity = SophaxIdentity(signing: signing, agreement: agreement) else {
                throw BackupError.malformed
            }
            self.init(
                identity: identity,
                username: try fields.text("username"), exported: try fields.time("exportedAt"))
        } catch {
            throw .malformed
        }
    }

    private static func secret(_ range: Range<Int>, _ text: Span<UInt8>) throws -> SecureBytes {
        let characters = try JSONScanner.unescape(range, of: text)
        let decoded = characters.withBytes { Base64.decode($0) }
        guard let bytes = decoded else { throw BackupError.malformed }
        return bytes
    }
}
