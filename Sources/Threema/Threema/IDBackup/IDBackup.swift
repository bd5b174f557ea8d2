public import Encodings
public import Primitives
internal import SecureMemory

/// The backup code: an identity, encrypted under a password, as text to write down.
///
/// The scheme of a code is found as in the apps: 50 bytes are the PBKDF2 scheme, with any first byte; otherwise the
/// first byte is a version number.
public enum IDBackup {
    /// The key derivation and the check of a code.
    public enum Scheme: String, CaseIterable, Sendable {
        /// 80 characters; every app reads and writes it.
        case pbkdf2
        /// 104 characters; iOS cannot read it, and no app writes it yet.
        case argon2id

        /// Number of characters of a code, without dashes.
        public var characterCount: Int {
            switch self {
            case .pbkdf2: PBKDF2Scheme.count / 5 * 8
            case .argon2id: Argon2idScheme.count / 5 * 8
            }
        }

        /// Bits of the check that refuses a wrong password or a mistyped code.
        public var checkBits: Int {
            switch self {
            case .pbkdf2: 16
            case .argon2id: 128
            }
        }
    }

    /// Fewest characters (Unicode scalars) of a password for a new code.
    public static let minimumPasswordLength = 8
    /// Fewest characters of a password that opens a code: old apps accepted four.
    public static let minimumOpeningPasswordLength = 4

    /// Encrypts an identity under a random salt.
    /// - Parameters:
    ///   - identity: the ID and the private key.
    ///   - password: UTF-8 as typed, neither trimmed nor normalised.
    ///   - scheme: the scheme of the code.
    /// - Throws: `.notReproduced` if the finished code does not open again; `.derivation` if the system refuses the
    ///   memory.
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
    /// - Throws: `.wrongLength` for a length that no code has; `.unknownVersion` for an unknown scheme, usually because
    ///   the code is truncated; `.notOpened` for a wrong password or a damaged code, which the formats do not
    ///   distinguish; `.invalidID`; `.derivation`.
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

    /// Whether a text has the characters of a code, and as many. No text of a key has.
    package static func isLikely(_ text: Span<UInt8>) -> Bool {
        var count = 0
        for index in text.byteOrderMarkCount..<text.count {
            switch text[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "2")...UInt8(ascii: "7"):
                count += 1
            case UInt8(ascii: "-"), UInt8(ascii: " "), 0x09...0x0d: continue
            default: return false
            }
        }
        return Scheme.allCases.contains { $0.characterCount == count }
    }

    /// Whether the beginning of a code fits the Argon2id scheme. One in 256 codes of the PBKDF2 scheme begins like
    /// that, too, because its first byte is salt.
    package static func mayBeArgon2id(_ code: GroupedCode) -> Bool {
        // Version 1 is 8 bits: five of them are "A", the other three begin "E" to "H".
        code.characters.starts(with: "A".utf8)
            && code.characters.dropFirst().first.map { (0x45...0x48).contains($0) } ?? false
    }

    /// The check word, `XXXX-XXXX`: Base32 of the first 40 bits of SHA-256 over the decoded code. Written beside a
    /// code, it reveals typing errors without the password.
    public static func checkWord(of code: GroupedCode) -> GroupedCode {
        let blob = Base32.decode(code.characters) ?? []
        return GroupedCode(encoding: Array(SHA256.hash(blob.span).prefix(5)).span)
    }
}

/// Why a code was not opened or made.
public enum IDBackupError: Error, Equatable, Sendable {
    /// The number of characters is not that of a code.
    case wrongLength(characters: Int, shortGroups: [GroupedCode.ShortGroup])
    /// The scheme in the first byte is not known.
    case unknownVersion(UInt8, characters: Int, shortGroups: [GroupedCode.ShortGroup])
    /// The password is wrong, or the code is damaged.
    case notOpened
    /// The password is right, but the decrypted ID is malformed.
    case invalidID
    /// The key could not be derived.
    case derivation(KeyDerivationError)
    /// A new code does not open, because of a defect of the machine or of this program.
    case notReproduced
}
