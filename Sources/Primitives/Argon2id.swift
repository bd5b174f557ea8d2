internal import CArgon2
public import SecureMemory

/// Argon2id v1.3 (RFC 9106) with one lane, on libargon2: libsodium's takes salts of 16 bytes only.
public enum Argon2id {
    /// Needs `memoryKiB` KiB of memory while it runs, not guarded, wiped by libargon2 when done.
    /// - Parameters:
    ///   - password: taken as bytes.
    ///   - salt: at least 8 bytes.
    ///   - memoryKiB: at least 8.
    ///   - iterations: passes over the memory, at least 1.
    ///   - count: length of the key in bytes, at least 4.
    /// - Throws: `.memory` where it was refused.
    public static func deriveKey(
        password: Span<UInt8>, salt: [UInt8], memoryKiB: UInt32, iterations: UInt32, count: Int
    ) throws(KeyDerivationError) -> SecureBytes {
        precondition(salt.count >= 8 && memoryKiB >= 8 && iterations >= 1 && count >= 4)
        return try SecureBytes(count: count) { (key) throws(KeyDerivationError) in
            let result = unsafe key.withUnsafeMutableBufferPointer { key in
                unsafe password.withUnsafeBufferPointer { password in
                    unsafe argon2id_hash_raw(
                        iterations, memoryKiB, 1, password.baseAddress, password.count, salt, salt.count,
                        key.baseAddress, key.count)
                }
            }
            guard result == ARGON2_OK.rawValue else { throw .memory(bytes: Int(memoryKiB) * 1024) }
        }
    }
}
