internal import Primitives
public import SecureMemory

/// The formats of key files, told apart by their first bytes and length.
public enum KeyFileFormat: Sendable {
    /// `key.dat` of the Android app before 6.2.
    case androidV1
    /// `master_key.dat` of the Android app since 6.2.
    case androidV2
    /// `enc_master_key_v2.dat` of the Android app since 6.4. It opens on its phone only.
    case androidSealed
    /// `keystorage.pb3` of the Desktop app.
    case desktop

    /// Longest key file, in bytes.
    public static let maxCount = 16 * 1024

    /// Guesses the format from the first bytes and the length. Only opening the file confirms it.
    public init(of file: Span<UInt8>) {
        // A message begins with the tag of field 1, 2 or 3; the second layout begins with its version, 0.
        let isMessage = file.count > 1 && (file[0] == 0x0a || file[0] == 0x12 || file[0] == 0x18)
        guard isMessage else {
            self = file.count == AndroidKeyFileV1.count && file[0] <= 2 ? .androidV1 : .androidV2
            return
        }
        self = AndroidSealedKeyFile.isOne(file) ? .androidSealed : .desktop
    }
}

/// A key file that was parsed and not opened: its structure is sound, its protection known, its cost within bounds.
public struct WrappedKey: ~Copyable, Sendable {
    /// How the key is protected.
    public enum Protection: Equatable, Sendable {
        /// Not protected.
        case none
        /// A passphrase, by scrypt with N 65536, r 8, p 1.
        case scrypt
        /// A passphrase, by Argon2id.
        case argon2id(Argon2idCost)

        /// Whether a guess at the passphrase costs less than with `protected(_:by:_:)`. The cost of scrypt is fixed.
        package var isWeak: Bool {
            switch self {
            case .none, .scrypt: false
            case .argon2id(let cost): cost.isWeak
            }
        }
    }

    /// The key derivation of a new file.
    public enum Scheme: String, CaseIterable, Sendable {
        /// Argon2id with 128 MiB and 8 passes, in the second layout.
        case argon2id
        /// scrypt with 64 MiB, in the first layout, which the whitepaper describes.
        case scrypt
    }

    /// Fewest characters (Unicode scalars) of a new passphrase: the Android app takes no shorter one.
    public static let minimumPassphraseLength = 8

    /// The file, byte for byte.
    public let file: SecureBytes
    /// The protection of its key.
    public let protection: Protection
    private let format: KeyFileFormat

    /// Parses a key file; nothing is opened.
    /// - Throws: `.malformed`, also for a Desktop app's key storage; `.unknownVersion`, `.unknownProtection`, `.cost`,
    ///   `.remoteSecret`, `.sealedByPhone`.
    public init(_ file: consuming SecureBytes) throws(KeyFileError) {
        let format = file.withBytes { KeyFileFormat(of: $0) }
        let protection = try file.withBytes { (file) throws(KeyFileError) in
            switch format {
            case .androidV1: try AndroidKeyFileV1.protection(of: file)
            case .androidV2: try AndroidKeyFileV2.protection(of: file)
            case .androidSealed: throw .sealedByPhone
            case .desktop: throw .malformed
            }
        }
        self.file = file
        self.protection = protection
        self.format = format
    }

    /// Encodes a key without protection, in the second layout.
    public static func unprotected(_ key: borrowing MasterKey) throws(KeyFileError) -> WrappedKey {
        try WrappedKey(AndroidKeyFileV2.encode(key))
    }

    /// Protects a key by a passphrase, with random salt and nonce.
    /// - Throws: `.derivation` if the system refuses the memory.
    public static func protected(
        _ key: borrowing MasterKey, by passphrase: borrowing SecureBytes, _ scheme: Scheme
    ) throws(KeyFileError) -> WrappedKey {
        try protected(key, by: passphrase, Randomness(for: scheme))
    }

    /// The random numbers that protect one key.
    package enum Randomness: Sendable {
        /// For the second layout: salt of 16 bytes, nonce of 24 bytes.
        case argon2id(salt: [UInt8], nonce: [UInt8])
        /// For the first layout: salt of 8 bytes.
        case scrypt(salt: [UInt8])

        init(for scheme: Scheme) {
            self =
                switch scheme {
                case .argon2id:
                    .argon2id(
                        salt: Random.bytes(AndroidKeyFileV2.saltCount), nonce: Random.bytes(XChaChaPoly.nonceCount))
                case .scrypt: .scrypt(salt: Random.bytes(AndroidKeyFileV1.saltCount))
                }
        }
    }

    /// Protects a key by a passphrase, with given salt and nonce.
    /// - Throws: `.derivation` if the system refuses the memory.
    package static func protected(
        _ key: borrowing MasterKey, by passphrase: borrowing SecureBytes, _ randomness: Randomness
    ) throws(KeyFileError) -> WrappedKey {
        switch randomness {
        case .argon2id(let salt, let nonce):
            try WrappedKey(AndroidKeyFileV2.encode(key, passphrase: passphrase, salt: salt, nonce: nonce))
        case .scrypt(let salt): try WrappedKey(AndroidKeyFileV1.encode(key, passphrase: passphrase, salt: salt))
        }
    }

    /// Opens a file without protection.
    /// - Throws: `.protected`; `.malformed`.
    public func open() throws(KeyFileError) -> MasterKey {
        guard protection == .none else { throw .protected }
        return try file.withBytes { (file) throws(KeyFileError) in
            format == .androidV1 ? try AndroidKeyFileV1.open(file) : try AndroidKeyFileV2.open(file)
        }
    }

    /// Opens a protected file.
    /// - Throws: `.notOpened` if the passphrase is wrong or the file damaged; `.malformed` if the file is not
    ///   protected; `.unknownVersion`, `.remoteSecret`, `.derivation`.
    public func open(passphrase: borrowing SecureBytes) throws(KeyFileError) -> MasterKey {
        try file.withBytes { (file) throws(KeyFileError) in
            format == .androidV1
                ? try AndroidKeyFileV1.open(file, passphrase: passphrase)
                : try AndroidKeyFileV2.open(file, passphrase: passphrase)
        }
    }
}
