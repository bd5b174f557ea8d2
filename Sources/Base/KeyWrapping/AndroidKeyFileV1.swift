internal import Primitives
internal import SecureMemory

// The Android app's first layout (key.dat, before 6.2):
//
//   offset  length  meaning
//        0       1  protection: 0 none, 2 scrypt (1, PBKDF2, is older and not known here)
//        1      32  key, XORed with a constant
//       33       8  salt; zero without protection
//       41       4  first bytes of SHA-1 over the master key
//
// Without protection the key is the master key; under a passphrase it is the master key XOR
// scrypt(passphrase, salt, N 65536, r 8, p 1). The whitepaper describes that; the constant, which hides
// nothing, and the check are the app's.

/// The Android app's first key file layout.
enum AndroidKeyFileV1 {
    /// Length of a file in bytes.
    static let count = 45

    private static let none: UInt8 = 0
    private static let scrypt: UInt8 = 2
    private static let key = 1..<33
    private static let salt = 33..<41
    private static let check = 41..<45

    private static let constant: [UInt8] = [
        0x95, 0x0d, 0x26, 0x7a, 0x88, 0xea, 0x77, 0x10, 0x9c, 0x50, 0xe7, 0x3f, 0x47, 0xe0, 0x69, 0x72,
        0xda, 0xc4, 0x39, 0x7c, 0x99, 0xea, 0x7e, 0x67, 0xaf, 0xfd, 0xdd, 0x32, 0xda, 0x35, 0xf7, 0x0c,
    ]

    /// Length of the salt in bytes.
    static let saltCount = salt.count

    /// Protects a key by a passphrase.
    /// - Parameter salt: 8 bytes.
    /// - Returns: 45 bytes.
    /// - Throws: `.derivation` if the system refuses 64 MiB of memory.
    static func encode(
        _ key: borrowing MasterKey, passphrase: borrowing SecureBytes, salt: [UInt8]
    ) throws(KeyFileError) -> SecureBytes {
        precondition(salt.count == saltCount)
        let mask = try mask(passphrase, salt: salt)
        var file = SecureBuffer(capacity: count)
        file.append(scrypt)
        key.bytes.withBytes { key in
            mask.withBytes { mask in
                for index in key.indices { file.append(key[index] ^ mask[index] ^ constant[index]) }
            }
        }
        file.append(salt.span)
        file.append(checkValue(of: key).span)
        return file.finish()
    }

    /// The protection of a file's key.
    /// - Throws: `.malformed`, `.unknownProtection`.
    static func protection(of file: Span<UInt8>) throws(KeyFileError) -> WrappedKey.Protection {
        guard file.count == count else { throw .malformed }
        switch file[0] {
        case none: return .none
        case scrypt: return .scrypt
        case let other: throw .unknownProtection(other)
        }
    }

    /// Opens a file without protection. Its check has 32 bits.
    /// - Throws: `.malformed` if the file is protected, or if the check fails.
    static func open(_ file: Span<UInt8>) throws(KeyFileError) -> MasterKey {
        guard try protection(of: file) == .none, salt.allSatisfy({ file[$0] == 0 }) else { throw .malformed }
        let key = unmasked(file) { _ in 0 }
        guard isRight(key, file) else { throw .malformed }
        return key
    }

    /// Opens a file that a passphrase protects.
    /// - Throws: `.notOpened` if the check fails (1 in 2^32 wrong passphrases passes it); `.malformed`; `.derivation`.
    static func open(_ file: Span<UInt8>, passphrase: borrowing SecureBytes) throws(KeyFileError) -> MasterKey {
        guard try protection(of: file) == .scrypt else { throw .malformed }
        let mask = try mask(passphrase, salt: file.extracting(salt).revealBytes())
        let key = mask.withBytes { mask in unmasked(file) { mask[$0] } }
        guard isRight(key, file) else { throw .notOpened }
        return key
    }

    private static func mask(_ passphrase: borrowing SecureBytes, salt: [UInt8]) throws(KeyFileError) -> SecureBytes {
        do {
            return try passphrase.withBytes { (passphrase) throws(KeyDerivationError) in
                try Scrypt.deriveKey(
                    password: passphrase, salt: salt.span, cost: 65_536, blockSize: 8, parallelism: 1,
                    count: MasterKey.count)
            }
        } catch {
            throw .derivation(error)
        }
    }

    private static func unmasked(_ file: Span<UInt8>, _ mask: (Int) -> UInt8) -> MasterKey {
        MasterKey(
            SecureBytes(count: MasterKey.count) { bytes in
                for index in bytes.indices {
                    bytes[index] = file[key.lowerBound + index] ^ constant[index] ^ mask(index)
                }
            })
    }

    private static func isRight(_ key: borrowing MasterKey, _ file: Span<UInt8>) -> Bool {
        ConstantTime.areEqual(checkValue(of: key).span, file.extracting(check))
    }

    private static func checkValue(of key: borrowing MasterKey) -> [UInt8] {
        Array(key.bytes.withBytes { Legacy.SHA1.hash($0) }.prefix(check.count))
    }
}
