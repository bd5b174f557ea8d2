internal import CArgon2
internal import CSodium
public import SecureMemory

/// Argon2id v1.3 (RFC 9106).
///
/// It uses libsodium for one lane if the salt has 16 bytes, the only length that libsodium takes: that is twice as fast.
/// Otherwise it uses libargon2.
public enum Argon2id {
    /// Derives a key. It needs `memoryKiB` KiB of memory, which is not guarded.
    /// - Parameters:
    ///   - password: any length.
    ///   - salt: at least 8 bytes.
    ///   - memoryKiB: at least 8.
    ///   - iterations: passes over the memory, at least 1.
    ///   - lanes: at least 1, and at most an eighth of `memoryKiB`.
    ///   - count: length of the key in bytes, at least 16.
    /// - Throws: `.memory` if the system refuses the memory.
    public static func deriveKey(
        password: Span<UInt8>, salt: [UInt8], memoryKiB: UInt32, iterations: UInt32, lanes: UInt32 = 1,
        count: Int
    ) throws(KeyDerivationError) -> SecureBytes {
        precondition(salt.count >= 8 && lanes >= 1 && memoryKiB / 8 >= lanes && iterations >= 1 && count >= 16)
        defer { SpentStack.wipe() }
        let bytes = Int(memoryKiB) * 1024
        return try SecureBytes(count: count) { (key) throws(KeyDerivationError) in
            let isDerived = unsafe key.withUnsafeMutableBufferPointer { key in
                unsafe password.withUnsafeBufferPointer { password in
                    if lanes == 1, salt.count == crypto_pwhash_argon2id_SALTBYTES {
                        // An empty span has no address, but libsodium needs one, which it does not read.
                        let nowhere = unsafe UnsafePointer(key.baseAddress!)
                        return unsafe (password.baseAddress ?? nowhere).withMemoryRebound(
                            to: CChar.self, capacity: password.count
                        ) { password_ in
                            unsafe crypto_pwhash_argon2id(
                                key.baseAddress!, UInt64(key.count), password_, UInt64(password.count), salt,
                                UInt64(iterations), bytes, crypto_pwhash_argon2id_ALG_ARGON2ID13) == 0
                        }
                    }
                    return unsafe argon2id_hash_raw(
                        iterations, memoryKiB, lanes, password.baseAddress, password.count, salt, salt.count,
                        key.baseAddress, key.count) == ARGON2_OK.rawValue
                }
            }
            guard isDerived else { throw .memory(bytes: bytes) }
        }
    }
}
