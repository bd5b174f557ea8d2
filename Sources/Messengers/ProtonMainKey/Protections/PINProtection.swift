internal import Primitives
public import SecureMemory

// How the app keeps a MainKey under a PIN, in three items of its keychain:
//
//   item                   version 1                          legacy
//   PinProtection          IV (16) ‖ AES-256-CTR(K, IV, L)    AES-256-CTR(K, K[0:16], L)
//   PinProtection.salt     8 bytes                            8 bytes
//   PinProtection.version  `1`                                absent, or anything else
//
// with K = scrypt(PIN as UTF-8, salt, N 32768, r 8, p 1), 32 bytes, and L the property list of the MainKey, 79 to 172
// bytes. Nothing is authenticated: only the form of L tells a right PIN, and a bit that is changed in the item changes
// the same bit of L.

/// A MainKey under a PIN, as the app keeps it. Salt, version and ciphertext are one thing: store all of them or none.
public struct PINProtection: Hashable, Sendable {
    /// How the initialization vector is chosen.
    public enum Version: Hashable, Sendable, CaseIterable {
        /// It is random, and stands in front.
        case version1
        /// It is the beginning of the key, so the same PIN and salt always give the same keystream. It is only read:
        /// lock the key again.
        case legacy
    }

    /// Length of the salt in bytes.
    public static let saltCount = 8
    /// Most bytes of the ciphertext that are read. What is written is never longer than 188.
    public static let maxCount = ivCount + PropertyList.maxCount
    /// Longest PIN in bytes.
    public static let maxPINCount = 4096
    static let ivCount = Legacy.AESCTR.ivCount
    private static let cost: UInt64 = 32_768

    /// How the ciphertext is read.
    public let version: Version
    /// 8 bytes.
    public let salt: [UInt8]
    /// The initialization vector, if the version has one, and the ciphertext.
    public let blob: [UInt8]

    /// - Parameters:
    ///   - salt: 8 bytes.
    ///   - blob: what `PinProtection` contains.
    /// - Throws: `.wrongSaltLength`; `.tooLong`. Other lengths of `blob` are found when it is unlocked.
    public init(version: Version, salt: [UInt8], blob: [UInt8]) throws(PINProtectionError) {
        guard salt.count == Self.saltCount else {
            throw .wrongSaltLength(expected: Self.saltCount, actual: salt.count)
        }
        guard blob.count <= Self.maxCount else { throw .tooLong(limit: Self.maxCount) }
        self.version = version
        self.salt = salt
        self.blob = blob
    }

    /// Locks a key under a PIN, in version 1, with a new salt and a new initialization vector. The result is unlocked
    /// again before it is returned. This takes some tenths of a second and 32 MiB.
    ///
    /// If the system has no random numbers, the process ends, so nothing is returned that was locked without them.
    /// - Parameter pin: UTF-8, any text.
    /// - Throws: `.memory`; `.pinTooLong`; `.notReopened` if the result does not give the key back.
    public static func lock(
        _ key: borrowing MainKey, pin: borrowing SecureBytes
    ) throws(PINProtectionError) -> PINProtection {
        let locked = try lock(key, pin: pin, salt: Random.bytes(saltCount), iv: Random.bytes(ivCount))
        do throws(PINProtectionError) {
            let again = try locked.unlock(pin: pin)
            guard again.equals(key) else { throw .notReopened }
        } catch .wrongPINOrDamaged { throw .notReopened }
        return locked
    }

    /// Locks with a salt (8 bytes) and an initialization vector (16 bytes) of the caller.
    package static func lock(
        _ key: borrowing MainKey, pin: borrowing SecureBytes, salt: [UInt8], iv: [UInt8]
    ) throws(PINProtectionError) -> PINProtection {
        let pinKey = try deriveKey(pin: pin, salt: salt)
        let list = MainKeyList.write(key)
        let ciphertext = list.withBytes { Legacy.AESCTR.encrypt($0, key: pinKey, iv: iv.span) }
        return try PINProtection(version: .version1, salt: salt, blob: iv + ciphertext)
    }

    /// Unlocks the key. A damaged ciphertext takes as long as a wrong PIN. Every call checks the PIN.
    ///
    /// A wrong PIN is taken for the right one with a chance below 2^-64. A changed ciphertext may give another key:
    /// what the key opens is the only proof that it is the right one.
    /// - Parameter pin: UTF-8, as it was typed.
    /// - Throws: `.wrongPINOrDamaged`; `.memory`; `.pinTooLong`.
    public func unlock(pin: borrowing SecureBytes) throws(PINProtectionError) -> MainKey {
        try unlock(pinKey: try Self.deriveKey(pin: pin, salt: salt))
    }

    /// Unlocks with the key that the PIN gives, 32 bytes.
    /// - Throws: `.wrongPINOrDamaged`.
    func unlock(pinKey: borrowing SecureBytes) throws(PINProtectionError) -> MainKey {
        let list =
            switch version {
            case .version1:
                // A blob that is shorter than the IV is decrypted, too: to nothing.
                blob.span.withIV { iv, ciphertext in Legacy.AESCTR.decrypt(ciphertext, key: pinKey, iv: iv) }
            case .legacy:
                pinKey.withBytes { bytes in
                    Legacy.AESCTR.decrypt(blob.span, key: pinKey, iv: bytes.extracting(first: Self.ivCount))
                }
            }
        guard let key = list.withBytes({ MainKeyList.read($0) }) else { throw .wrongPINOrDamaged }
        return key
    }

    /// The key that a PIN gives. It needs 32 MiB of memory.
    /// - Parameter salt: 8 bytes.
    /// - Returns: 32 bytes.
    /// - Throws: `.wrongSaltLength`, `.memory`, `.pinTooLong`.
    public static func deriveKey(pin: borrowing SecureBytes, salt: [UInt8]) throws(PINProtectionError) -> SecureBytes {
        guard salt.count == saltCount else { throw .wrongSaltLength(expected: saltCount, actual: salt.count) }
        guard pin.count <= maxPINCount else { throw .pinTooLong(limit: maxPINCount) }
        do {
            return try pin.withBytes { (pin) throws(KeyDerivationError) in
                try Scrypt.deriveKey(
                    password: pin, salt: salt.span, cost: cost, blockSize: 8, parallelism: 1, count: MainKey.count)
            }
        } catch {
            switch error {
            case .memory(let bytes): throw .memory(bytes: bytes)
            }
        }
    }
}

/// Why a key was not locked or unlocked.
public enum PINProtectionError: Error, Equatable, Sendable {
    /// The salt has another length, in bytes.
    case wrongSaltLength(expected: Int, actual: Int)
    /// The ciphertext is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// The PIN is longer than `limit` bytes.
    case pinTooLong(limit: Int)
    /// The PIN is wrong, or salt, version or ciphertext are damaged: the format cannot tell.
    case wrongPINOrDamaged
    /// What was locked did not give the key back.
    case notReopened
    /// scrypt was refused this many bytes.
    case memory(bytes: Int)
}

extension Span where Element == UInt8 {
    /// Lends the first 16 bytes, or zeros if there are fewer, and those behind them.
    func withIV<Result: ~Copyable>(_ body: (Span<UInt8>, Span<UInt8>) -> Result) -> Result {
        let ivCount = PINProtection.ivCount
        guard count >= ivCount else {
            let zeros = [UInt8](repeating: 0, count: ivCount)
            return body(zeros.span, Span())
        }
        return body(extracting(first: ivCount), extracting(ivCount..<count))
    }
}
