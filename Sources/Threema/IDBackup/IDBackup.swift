public import Encodings
internal import Primitives
internal import SecureMemory

/// The backup code: an identity under a password, as text to write down.
///
/// Which scheme a code has is decided as the apps decide it: 50 bytes are the PBKDF2 scheme, whatever
/// they begin with; otherwise the first byte is a version number.
public enum IDBackup {
    /// Characters of a code of the PBKDF2 scheme, in 20 groups.
    public static let characterCount = PBKDF2Scheme.count / 5 * 8

    /// Fewest characters (Unicode scalars) of a password for a new code.
    public static let minimumPasswordLength = 8
    /// Fewest characters of a password that opens a code: very old exports had four.
    public static let minimumOpeningPasswordLength = 4

    /// Bits that tell a wrong password or a mistyped code from a right one.
    public static let checkBits = 16

    /// Writes an identity down, with a fresh random salt.
    /// - Parameter password: UTF-8 as typed, neither trimmed nor normalised.
    /// - Throws: `.notReproduced` where the finished code does not open again; then there is no code.
    public static func seal(_ identity: borrowing Identity, password: Span<UInt8>) throws(IDBackupError) -> GroupedCode
    {
        try seal(identity, password: password, salt: Random.bytes(PBKDF2Scheme.saltCount))
    }

    package static func seal(
        _ identity: borrowing Identity, password: Span<UInt8>, salt: [UInt8]
    ) throws(IDBackupError) -> GroupedCode {
        let blob = try PBKDF2Scheme.seal(identity, password: password, salt: salt)
        return GroupedCode(encoding: blob.span)
    }

    /// Opens a code.
    /// - Throws: `.wrongLength` for no characters or a length that Base32 does not have, `.unknownVersion`
    ///   for bytes of no known scheme (a code that is cut short usually ends here), `.notOpened` for a wrong
    ///   password or a damaged code, which this format cannot tell apart, `.invalidID`.
    public static func open(_ code: GroupedCode, password: Span<UInt8>) throws(IDBackupError) -> Identity {
        guard let blob = Base32.decode(code.characters), let version = blob.first, version != 0 || isPBKDF2(blob) else {
            throw .wrongLength(characters: code.characters.count, shortGroups: code.shortGroups)
        }
        guard isPBKDF2(blob) else {
            throw .unknownVersion(version, characters: code.characters.count, shortGroups: code.shortGroups)
        }
        return try PBKDF2Scheme.open(blob.span, password: password)
    }

    /// The check word, `XXXX-XXXX`: Base32 of the first 40 bits of SHA-256 over the decoded code. It is
    /// written beside a code and tells a mistyped one without the password.
    public static func checkWord(of code: GroupedCode) -> GroupedCode {
        let blob = Base32.decode(code.characters) ?? []
        return GroupedCode(encoding: Array(SHA256.hash(blob.span).prefix(5)).span)
    }

    private static func isPBKDF2(_ blob: [UInt8]) -> Bool { blob.count == PBKDF2Scheme.count }
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
    /// A code that was just made does not open. A defect of the machine or of this program.
    case notReproduced
}
