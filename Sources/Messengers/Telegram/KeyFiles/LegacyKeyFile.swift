internal import Primitives
public import SecureMemory

// An authorization key in a file. The protocol's page says only: SHA-1 of the key before the key, both under AES-CBC
// with the password, "approximately as in ssh". It has been read in three ways. With P = SHA1(key) (20) ‖ key (256) ‖
// 12 bytes of padding, whatever they are:
//
//   length  form
//      256  the key, unprotected
//      276  SHA1(key) ‖ key, unprotected
//      288  literal: AES-256-CBC of P; the key is the password with zeros up to 32 bytes, or its first 32; the IV is 0
//      304  literal: IV (16) ‖ AES-256-CBC of P
//      304  as OpenSSL: IV (16) ‖ AES-256-CBC of P; the key is D₁ ‖ D₂ with D₁ = MD5(password ‖ IV[0:8]) and
//           D₂ = MD5(D₁ ‖ password ‖ IV[0:8])
//      320  scrypt: salt (16) ‖ IV (16) ‖ AES-256-CBC of P; the key is scrypt(password, salt), N 32768, r 8, p 1
//     text  as OpenSSL, as PEM with `DEK-Info: AES-256-CBC,<IV>` (`PEMText`)
//
// The length, or the first bytes, give the candidates; the SHA-1 in P decides between them.

/// Files with an authorization key under a password, in the old forms. They are read only: none of them authenticates
/// the file, and all but scrypt try millions of passwords in a second. What is written is an age file.
public enum LegacyKeyFile {
    /// How a file holds the key.
    public enum Form: Equatable, Sendable, CaseIterable {
        /// The 256 bytes. Nothing shows if they are damaged.
        case raw
        /// SHA-1 and key, 276 bytes. This is also what an age file contains.
        case hashed
        /// The password is the AES key, and the IV is zero.
        case literal
        /// The password is the AES key, and the IV stands in front.
        case literalWithIV
        /// As ssh's keys were in 2013, without the text around it.
        case openSSL
        /// As ssh's keys were in 2013.
        case pem
        /// A key that is derived by scrypt.
        case scrypt

        /// Whether a password is needed.
        public var isProtected: Bool { self != .raw && self != .hashed }
    }

    /// A key and the form in which it was found.
    public struct Opened: Equatable, Sendable {
        /// The authorization key, 256 bytes.
        public let held: HeldAuthorizationKey
        /// The form of the file.
        public let form: Form
    }

    /// Longest file that is read, in bytes.
    public static let maxCount = 4096
    /// Length of SHA-1 and key in bytes.
    public static let hashedCount = Legacy.SHA1.count + AuthorizationKey.count
    /// Length of scrypt's salt in bytes.
    public static let saltCount = 16
    static let sealedCount = 288
    private static let scryptCost: UInt64 = 32_768
    private static let ageBeginnings = ["age-encryption.org/v1", "-----BEGIN AGE ENCRYPTED FILE-----"]

    /// The forms that a file may have.
    /// - Throws: `.age` for an age file; `.tooLong`, `.unknownForm`, `.malformedPEM`.
    public static func candidates(of file: Span<UInt8>) throws(LegacyKeyFileError) -> [Form] {
        // The beginning is not secret in any form that can match.
        for beginning in ageBeginnings where begins(file, with: beginning) { throw .age }
        guard file.count <= maxCount else { throw .tooLong(limit: maxCount) }
        switch file.count {
        case AuthorizationKey.count: return [.raw]
        case hashedCount: return [.hashed]
        case sealedCount: return [.literal]
        case sealedCount + Legacy.AESCBC.ivCount: return [.literalWithIV, .openSSL]
        case sealedCount + Legacy.AESCBC.ivCount + saltCount: return [.scrypt]
        default:
            guard begins(file, with: PEMText.beginning) else { throw .unknownForm(count: file.count) }
            _ = try PEMText(file)
            return [.pem]
        }
    }

    /// Reads a file without protection.
    /// - Throws: `.needsPassword`; `.damaged` if the SHA-1 is wrong; what `candidates` throws.
    public static func open(_ file: Span<UInt8>) throws(LegacyKeyFileError) -> Opened {
        switch try candidates(of: file)[0] {
        case .raw: return Opened(held: try Self.held(file), form: .raw)
        case .hashed:
            guard isRight(file) else { throw .damaged }
            return Opened(held: try Self.held(file.extracting(Legacy.SHA1.count..<hashedCount)), form: .hashed)
        case .literal, .literalWithIV, .openSSL, .pem, .scrypt: throw .needsPassword
        }
    }

    /// Decrypts a file with a password. A file without protection is read without it.
    /// - Parameter password: UTF-8, any length.
    /// - Throws: `.wrongPassword`, also if the file is damaged: these forms cannot tell; `.memory` of scrypt; what
    ///   `open(_:)` throws.
    public static func open(
        _ file: Span<UInt8>, password: borrowing SecureBytes
    ) throws(LegacyKeyFileError) -> Opened {
        let candidates = try candidates(of: file)
        guard candidates[0].isProtected else { return try open(file) }
        for form in candidates {
            let plain = try decrypt(file, form, password)
            guard plain.withBytes({ isRight($0.extracting(0..<hashedCount)) }) else { continue }
            let held = try plain.withBytes { (plain) throws(LegacyKeyFileError) in
                try Self.held(plain.extracting(Legacy.SHA1.count..<hashedCount))
            }
            return Opened(held: held, form: form)
        }
        throw .wrongPassword
    }

    /// SHA-1 and key: what is encrypted to protect a key.
    /// - Returns: 276 bytes.
    public static func hashed(_ key: borrowing AuthorizationKey) -> SecureBytes {
        var buffer = SecureBuffer(capacity: hashedCount)
        buffer.append(key.digest.span)
        buffer.append(key.bytes)
        return buffer.finish()
    }

    /// The AES key of the literal reading: the password with zeros up to 32 bytes, or its first 32.
    public static func literalKey(_ password: borrowing SecureBytes) -> SecureBytes {
        password.withBytes { password in
            SecureBytes(count: BlockKeys.keyCount) { key in
                for index in 0..<min(password.count, BlockKeys.keyCount) { key[index] = password[index] }
            }
        }
    }

    /// The AES key of OpenSSL's old derivation, one MD5 for each half.
    /// - Parameter iv: 16 bytes; the first 8 are the salt.
    public static func openSSLKey(_ password: borrowing SecureBytes, iv: [UInt8]) -> SecureBytes {
        precondition(iv.count == Legacy.AESCBC.ivCount)
        let salt = Array(iv[..<8])
        var message = SecureBuffer(capacity: password.count + salt.count)
        message.append(password)
        message.append(salt.span)
        let first = message.finish().withBytes { Legacy.MD5.derive($0) }
        message = SecureBuffer(capacity: first.count + password.count + salt.count)
        message.append(first)
        message.append(password)
        message.append(salt.span)
        let second = message.finish().withBytes { Legacy.MD5.derive($0) }
        var key = SecureBuffer(capacity: BlockKeys.keyCount)
        key.append(first)
        key.append(second)
        return key.finish()
    }

    /// The AES key of the reading with scrypt. It needs 32 MiB of memory.
    /// - Parameter salt: 16 bytes.
    /// - Throws: `.memory`.
    public static func scryptKey(
        _ password: borrowing SecureBytes, salt: [UInt8]
    ) throws(LegacyKeyFileError) -> SecureBytes {
        do {
            return try password.withBytes { (password) throws(KeyDerivationError) in
                try Scrypt.deriveKey(
                    password: password, salt: salt.span, cost: scryptCost, blockSize: 8, parallelism: 1,
                    count: BlockKeys.keyCount)
            }
        } catch {
            switch error {
            case .memory(let bytes): throw .memory(bytes: bytes)
            }
        }
    }

    private static func decrypt(
        _ file: Span<UInt8>, _ form: Form, _ password: borrowing SecureBytes
    ) throws(LegacyKeyFileError) -> SecureBytes {
        let ivCount = Legacy.AESCBC.ivCount
        if form == .pem {
            let text = try PEMText(file)
            return Legacy.AESCBC.decrypt(text.sealed.span, key: openSSLKey(password, iv: text.iv), iv: text.iv)
        }
        let sealed = file.extracting(file.count - sealedCount..<file.count)
        guard form != .literal else {
            let zeros = [UInt8](repeating: 0, count: ivCount)
            return Legacy.AESCBC.decrypt(sealed, key: literalKey(password), iv: zeros)
        }
        let start = file.count - sealedCount - ivCount
        let iv = file.extracting(start..<start + ivCount).revealBytes()
        if form == .literalWithIV { return Legacy.AESCBC.decrypt(sealed, key: literalKey(password), iv: iv) }
        if form == .openSSL { return Legacy.AESCBC.decrypt(sealed, key: openSSLKey(password, iv: iv), iv: iv) }
        let salt = file.extracting(0..<saltCount).revealBytes()
        return Legacy.AESCBC.decrypt(sealed, key: try scryptKey(password, salt: salt), iv: iv)
    }

    /// Whether 276 bytes begin with the SHA-1 of the rest, in constant time.
    private static func isRight(_ hashed: Span<UInt8>) -> Bool {
        let digest = Legacy.SHA1.hash(hashed.extracting(Legacy.SHA1.count..<hashedCount))
        return ConstantTime.areEqual(digest.span, hashed.extracting(0..<Legacy.SHA1.count))
    }

    private static func held(_ bytes: Span<UInt8>) throws(LegacyKeyFileError) -> HeldAuthorizationKey {
        do { return HeldAuthorizationKey(try AuthorizationKey(copying: bytes)) } catch {
            throw .unknownForm(count: bytes.count)
        }
    }

    private static func begins(_ file: Span<UInt8>, with text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard file.count >= wanted.count else { return false }
        return wanted.indices.allSatisfy { file[$0] == wanted[$0] }
    }
}

/// Why a file with a key was not read.
public enum LegacyKeyFileError: Error, Equatable, Sendable {
    /// It is an age file. Its content is a file of the form `hashed`.
    case age
    /// It is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// No form has this length.
    case unknownForm(count: Int)
    /// PEM text without an IV, of another cipher, or of another length.
    case malformedPEM
    /// The key is encrypted.
    case needsPassword
    /// The password is wrong, or the file is damaged.
    case wrongPassword
    /// SHA-1 and key, which are not encrypted, do not fit.
    case damaged
    /// scrypt was refused this many bytes.
    case memory(bytes: Int)
}
