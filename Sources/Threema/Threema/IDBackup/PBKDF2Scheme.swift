internal import Encodings
internal import Primitives
internal import SecureMemory

// The scheme that every app writes (whitepaper, "Key Backup"); 50 bytes, 80 characters:
//
//   offset  length  meaning
//        0       8  salt, random
//        8      42  identity ‖ client key ‖ check, XOR XSalsa20(key, 24 zero bytes)
//
//   key    PBKDF2-HMAC-SHA-256(password, salt, 100,000 iterations, 32 bytes)
//   check  the first 2 bytes of SHA-256(identity ‖ client key)
//
// The check has 16 bits: one in 65,536 wrong passwords or damaged codes passes it. The check of the ID's characters
// refuses nearly all of those, but not a code in which only the key is damaged. Compare the public key.

enum PBKDF2Scheme {
    static let saltCount = 8
    static let iterations = 100_000
    private static let checkCount = 2
    private static let plaintextCount = Identity.encodedCount + checkCount
    static let count = saltCount + plaintextCount
    /// A constant nonce is safe, because a random salt gives each code a key of its own.
    private static let nonce = [UInt8](repeating: 0, count: XSalsa20.nonceCount)

    /// - Parameter salt: 8 bytes.
    /// - Returns: 50 bytes.
    static func seal(_ identity: borrowing Identity, password: Span<UInt8>, salt: [UInt8]) throws(IDBackupError)
        -> [UInt8]
    {
        precondition(salt.count == saltCount)
        let key = deriveKey(password, salt)
        let encoded = identity.encoded()
        var plaintext = SecureBuffer(capacity: plaintextCount)
        plaintext.append(encoded)
        plaintext.append(check(of: encoded).span)
        let blob = plaintext.finish().withBytes { plaintext in
            let ciphertext = XSalsa20.apply(to: plaintext, nonce: nonce, key: key)
            return salt + ciphertext.revealBytes()
        }
        // The code is opened and compared before anybody relies on it.
        let reopened = try open(blob.span, key: key)
        guard reopened.isSame(as: identity) else { throw .notReproduced }
        return blob
    }

    /// - Parameter blob: 50 bytes.
    /// - Throws: `.notOpened` if the check fails; `.invalidID` if it passes and the ID is malformed.
    static func open(_ blob: Span<UInt8>, password: Span<UInt8>) throws(IDBackupError) -> Identity {
        let salt = blob.extracting(0..<saltCount).revealBytes()
        return try open(blob, key: deriveKey(password, salt))
    }

    private static func open(_ blob: Span<UInt8>, key: borrowing SecureBytes) throws(IDBackupError) -> Identity {
        precondition(blob.count == count)
        let plaintext = XSalsa20.apply(to: blob.extracting(saltCount..<count), nonce: nonce, key: key)
        return try plaintext.withBytes { (plaintext) throws(IDBackupError) in
            let encoded = SecureBytes(copying: plaintext.extracting(0..<Identity.encodedCount))
            let expected = check(of: encoded)
            guard ConstantTime.areEqual(plaintext.extracting(Identity.encodedCount..<plaintextCount), expected.span)
            else { throw .notOpened }
            return try encoded.withBytes { (encoded) throws(IDBackupError) in
                do throws(IdentityError) { return try Identity(decoding: encoded) } catch { throw .invalidID }
            }
        }
    }

    private static func deriveKey(_ password: Span<UInt8>, _ salt: [UInt8]) -> SecureBytes {
        PBKDF2.deriveKey(password: password, salt: salt, iterations: iterations, count: XSalsa20.keyCount)
    }

    private static func check(of encoded: borrowing SecureBytes) -> [UInt8] {
        encoded.withBytes { Array(SHA256.hash($0).prefix(checkCount)) }
    }
}
