internal import Primitives
internal import SecureMemory

// The newer scheme (version 1), which libthreema reads and no app writes yet; 65 bytes, 104 characters:
//
//   offset  length  meaning
//        0       1  version: 1
//        1       8  salt, random
//        9      40  identity ‖ client key, encrypted with ChaCha20-Poly1305
//       49      16  tag
//
//   key              Argon2id(password, salt, 128 MiB, 8 passes, 1 lane, 32 bytes)
//   nonce            12 zero bytes
//   additional data  version ‖ salt, the first 9 bytes
//
// The cost is fixed, so a code cannot demand more memory.

enum Argon2idScheme {
    static let version: UInt8 = 1
    static let saltCount = 8
    private static let headerCount = 1 + saltCount
    static let count = headerCount + Identity.encodedCount + ChaChaPoly.tagCount
    private static let memoryKiB: UInt32 = 128 * 1024
    private static let iterations: UInt32 = 8
    /// A constant nonce is safe, because a random salt gives each code a key of its own.
    private static let nonce = [UInt8](repeating: 0, count: ChaChaPoly.nonceCount)

    /// - Parameter salt: 8 bytes.
    /// - Returns: 65 bytes.
    static func seal(
        _ identity: borrowing Identity, password: Span<UInt8>, salt: [UInt8]
    ) throws(IDBackupError) -> [UInt8] {
        precondition(salt.count == saltCount)
        let key = try deriveKey(password, salt)
        let header = [version] + salt
        let blob = identity.encoded().withBytes { plaintext in
            header + ChaChaPoly.seal(plaintext, nonce: nonce, key: key, additionalData: header)
        }
        // The code is opened and compared before anybody relies on it.
        let reopened = try open(blob.span, key: key)
        guard reopened.isSame(as: identity) else { throw .notReproduced }
        return blob
    }

    /// - Parameter blob: 65 bytes.
    /// - Throws: `.notOpened` if authentication fails; `.invalidID` if the decrypted ID is malformed; `.derivation`.
    static func open(_ blob: Span<UInt8>, password: Span<UInt8>) throws(IDBackupError) -> Identity {
        let salt = blob.extracting(1..<headerCount).revealBytes()
        return try open(blob, key: deriveKey(password, salt))
    }

    private static func open(_ blob: Span<UInt8>, key: borrowing SecureBytes) throws(IDBackupError) -> Identity {
        precondition(blob.count == count)
        let header = blob.extracting(0..<headerCount).revealBytes()
        let plaintext: SecureBytes
        do throws(AuthenticationError) {
            plaintext = try ChaChaPoly.open(
                blob.extracting(headerCount..<count), nonce: nonce, key: key, additionalData: header)
        } catch {
            throw .notOpened
        }
        return try plaintext.withBytes { (encoded) throws(IDBackupError) in
            do throws(IdentityError) { return try Identity(decoding: encoded) } catch { throw .invalidID }
        }
    }

    private static func deriveKey(_ password: Span<UInt8>, _ salt: [UInt8]) throws(IDBackupError) -> SecureBytes {
        do throws(KeyDerivationError) {
            return try Argon2id.deriveKey(
                password: password, salt: salt, memoryKiB: memoryKiB, iterations: iterations,
                count: ChaChaPoly.keyCount)
        } catch {
            throw .derivation(error)
        }
    }
}
