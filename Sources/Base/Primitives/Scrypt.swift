internal import CSodium
public import SecureMemory

/// scrypt (RFC 7914), on libsodium.
public enum Scrypt {
    /// Derives a key. It needs 128 · N · r bytes of memory (64 MiB for N 65536, r 8), which are not guarded.
    /// - Parameters:
    ///   - password: any length.
    ///   - cost: N, a power of two from 2 to 2^32.
    ///   - count: length of the key in bytes.
    /// - Throws: `.memory` if the system refuses the memory.
    public static func deriveKey(
        password: Span<UInt8>, salt: Span<UInt8>, cost: UInt64, blockSize: UInt32, parallelism: UInt32, count: Int
    ) throws(KeyDerivationError) -> SecureBytes {
        precondition((2...1 << 32).contains(cost) && cost.nonzeroBitCount == 1)
        precondition((1...1024).contains(blockSize) && (1...1024).contains(parallelism))
        defer { SpentStack.wipe() }
        return try SecureBytes(count: count) { (key) throws(KeyDerivationError) in
            let result = unsafe key.withUnsafeMutableBufferPointer { key in
                unsafe password.withUnsafeBufferPointer { password in
                    unsafe salt.withUnsafeBufferPointer { salt in
                        // An empty span has no address, but libsodium needs one, which it does not read.
                        let nowhere = unsafe UnsafePointer(key.baseAddress!)
                        return unsafe crypto_pwhash_scryptsalsa208sha256_ll(
                            password.baseAddress ?? nowhere, password.count, salt.baseAddress ?? nowhere, salt.count,
                            cost, blockSize, parallelism, key.baseAddress!, key.count)
                    }
                }
            }
            guard result == 0 else { throw .memory(bytes: 128 * Int(cost) * Int(blockSize)) }
        }
    }
}

/// Why a key was not derived.
public enum KeyDerivationError: Error, Equatable, Sendable {
    /// The system refused this many bytes.
    case memory(bytes: Int)
}
