public import Encodings
public import Primitives
internal import SecureMemory

/// The backup code: an identity under a password, as text to write down.
///
/// Which scheme a code has is decided as the apps decide it: 50 bytes are the PBKDF2 scheme, whatever
/// they begin with; otherwise the first byte is a version number.
public enum IDBackup {
    /// How the password becomes a key, and what tells a wrong one.
    public enum Scheme: String, CaseIterable, Sendable {
        /// 80 characters; every app reads and writes it.
        case pbkdf2
        /// 104 characters; iOS cannot read it, and no app writes it yet.
        case argon2id

        /// Characters of a code, in groups of four.
        public var characterCount: Int {
            switch self {
            case .pbkdf2: PBKDF2Scheme.count / 5 * 8
            case .argon2id: Argon2idScheme.count / 5 * 8
            }
        }

        /// Bits that tell a wrong password or a mistyped code from a right one.
        public var checkBits: Int {
            switch self {
            case .pbkdf2: 16
            case .argon2id: 128
            }
        }
    }

    /// Fewest characters (Unicode scalars) of a password for a new code.
    public static let minimumPasswordLength = 8
    /// Fewest characters of a password that opens a code: very old exports had four.
    public static let minimumOpeningPasswordLength = 4

    /// Writes an identity down, with a fresh random salt.
    /// - Parameters:
    ///   - identity: ID and private key.
    ///   - password: UTF-8 as typed, neither trimmed nor normalised.
    ///   - scheme: decides the length of the code, and which apps read it.
    /// - Throws: `.notReproduced` where the finished code does not open again; then there is no code.
    ///   `.derivation` where memory was refused.
    public static func seal(
        _ identity: borrowing Identity, password: Span<UInt8>, scheme: Scheme
    ) throws(IDBackupError) -> GroupedCode {
        // Both schemes have salts of this length.
        try seal(identity, password: password, scheme: scheme, salt: Random.bytes(PBKDF2Scheme.saltCount))
    }

    package static func seal(
        _ identity: borrowing Identity, password: Span<UInt8>, scheme: Scheme, salt: [UInt8]
    ) throws(IDBackupError) -> GroupedCode {
        let blob =
            switch scheme {
            case .pbkdf2: try PBKDF2Scheme.seal(identity, password: password, salt: salt)
            case .argon2id: try Argon2idScheme.seal(identity, password: password, salt: salt)
            }
        return GroupedCode(encoding: blob.span)
    }

    /// Opens a code of either scheme.
    /// - Throws: `.wrongLength` for a length that no code has, `.unknownVersion` for bytes of no known
    ///   scheme (a code that is cut short usually ends here), `.notOpened` for a wrong password or a damaged
    ///   code, which neither format can tell apart, `.invalidID`, `.derivation`.
    public static func open(_ code: GroupedCode, password: Span<UInt8>) throws(IDBackupError) -> Identity {
        let blob = Base32.decode(code.characters) ?? []
        switch try scheme(of: code) {
        case .pbkdf2: return try PBKDF2Scheme.open(blob.span, password: password)
        case .argon2id: return try Argon2idScheme.open(blob.span, password: password)
        }
    }

    /// The scheme of a code, without opening it.
    /// - Throws: `.wrongLength`, `.unknownVersion`.
    public static func scheme(of code: GroupedCode) throws(IDBackupError) -> Scheme {
        let wrongLength = IDBackupError.wrongLength(
            characters: code.characters.count, shortGroups: code.shortGroups)
        guard let blob = Base32.decode(code.characters), let version = blob.first else { throw wrongLength }
        if blob.count == PBKDF2Scheme.count { return .pbkdf2 }
        switch version {
        case 0: throw wrongLength
        case Argon2idScheme.version:
            guard blob.count == Argon2idScheme.count else { throw wrongLength }
            return .argon2id
        default:
            throw .unknownVersion(version, characters: code.characters.count, shortGroups: code.shortGroups)
        }
    }

    /// Whether a code whose end is not known yet begins like one of the Argon2id scheme. One code of the
    /// PBKDF2 scheme in 256 does so, too: its first byte is salt.
    package static func mayBeArgon2id(_ code: GroupedCode) -> Bool {
        // The first 8 bits, version 1: five of them in "A", three in the front of "E" to "H".
        code.characters.starts(with: "A".utf8)
            && code.characters.dropFirst().first.map { (0x45...0x48).contains($0) } ?? false
    }

    /// The check word, `XXXX-XXXX`: Base32 of the first 40 bits of SHA-256 over the decoded code. It is
    /// written beside a code and tells a mistyped one without the password.
    public static func checkWord(of code: GroupedCode) -> GroupedCode {
        let blob = Base32.decode(code.characters) ?? []
        return GroupedCode(encoding: Array(SHA256.hash(blob.span).prefix(5)).span)
    }
}

/// Why a code does not give an identity.
public enum IDBackupError: Error, Equatable, Sendable {
    /// No code has this many characters.
    case wrongLength(characters: Int, shortGroups: [GroupedCode.ShortGroup])
    /// The first byte names a scheme that is not known.
    case unknownVersion(UInt8, characters: Int, shortGroups: [GroupedCode.ShortGroup])
    /// The password does not open it, or it is damaged.
    case notOpened
    /// Check and password are right, but what was encrypted is no identity.
    case invalidID
    /// The key could not be derived.
    case derivation(KeyDerivationError)
    /// A code that was just made does not open. A defect of the machine or of this program.
    case notReproduced
}
