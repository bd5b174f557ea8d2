internal import CSodium

/// The system's cryptographic random numbers (getrandom(2), through libsodium).
public enum Random {
    /// Fresh random bytes that are not secret: nonces, salts, ids.
    public static func bytes(_ count: Int) -> [UInt8] {
        Sodium.start()
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe randombytes_buf(buffer.baseAddress!, count)
            initialized = count
        }
    }

    /// Fresh random bytes for a key, in guarded memory.
    public static func secret(_ count: Int) -> SecureBytes {
        SecureBytes(count: count) { bytes in
            unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe randombytes_buf(buffer.baseAddress!, buffer.count)
            }
        }
    }

    /// A uniform number in 0..<`bound`, without modulo bias.
    package static func number(below bound: UInt32) -> UInt32 {
        Sodium.start()
        return randombytes_uniform(bound)
    }
}
