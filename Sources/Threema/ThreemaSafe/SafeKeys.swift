public import Primitives
public import SafeWire
public import SecureMemory
public import Threema

/// The Threema Safe master key (whitepaper, "Threema Safe", "Encryption"):
///
///     offset  length  meaning
///          0      32  backup id
///         32      32  encryption key
///
///     master key = scrypt(password, salt: ID, N 65536, r 8, p 1, 64 bytes)
public struct SafeKeys: ~Copyable, Sendable {
    /// Length of the master key in bytes.
    public static let masterKeyCount = BackupID.count + SecretBox.keyCount
    /// Fewest characters (Unicode scalars) of a new Safe password.
    public static let minimumPasswordLength = 8

    private static let cost: UInt64 = 65_536
    private static let blockSize: UInt32 = 8
    private static let parallelism: UInt32 = 1

    /// The 64 bytes, which the apps store instead of the password.
    public let masterKey: SecureBytes

    /// - Parameter masterKey: 64 bytes.
    public init(masterKey: consuming SecureBytes) {
        precondition(masterKey.count == Self.masterKeyCount)
        self.masterKey = masterKey
    }

    /// Derives the master key. This takes 64 MiB of memory and some tenths of a second.
    /// - Parameters:
    ///   - password: UTF-8 as typed, neither trimmed nor normalised.
    ///   - id: the salt. The same password gives other keys for another ID.
    /// - Throws: `KeyDerivationError.memory`.
    public init(password: Span<UInt8>, id: ThreemaID) throws(KeyDerivationError) {
        try self.init(password: password, salt: id.bytes.span)
    }

    /// Derives the master key with any salt, for test vectors.
    package init(password: Span<UInt8>, salt: Span<UInt8>) throws(KeyDerivationError) {
        masterKey = try Scrypt.deriveKey(
            password: password, salt: salt, cost: Self.cost, blockSize: Self.blockSize,
            parallelism: Self.parallelism, count: Self.masterKeyCount)
    }

    /// The backup id, by which a server stores the backup.
    public var backupID: BackupID {
        masterKey.withBytes { BackupID($0.extracting(0..<BackupID.count)) }
    }

    /// Lends the encryption key, 32 bytes.
    func withEncryptionKey<Result: ~Copyable, E>(_ body: (Span<UInt8>) throws(E) -> Result) throws(E) -> Result {
        try masterKey.withBytes { (key) throws(E) in try body(key.extracting(BackupID.count..<Self.masterKeyCount)) }
    }
}
