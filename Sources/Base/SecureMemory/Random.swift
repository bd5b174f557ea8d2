internal import CSodium

/// Cryptographic random numbers of the system (getrandom(2), through libsodium).
public enum Random {
    /// Random bytes in ordinary memory, for nonces, salts and ids.
    public static func bytes(_ count: Int) -> [UInt8] {
        Sodium.start()
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe randombytes_buf(buffer.baseAddress!, count)
            initialized = count
        }
    }

    /// Random bytes in guarded memory, for a key.
    public static func secret(_ count: Int) -> SecureBytes {
        SecureBytes(count: count) { bytes in
            unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe randombytes_buf(buffer.baseAddress!, buffer.count)
            }
        }
    }

    /// A uniformly distributed number in 0..<`bound`.
    package static func number(below bound: UInt32) -> UInt32 {
        Sodium.start()
        return randombytes_uniform(bound)
    }
}
