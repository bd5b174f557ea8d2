internal import CSodium
public import SecureMemory

/// BLAKE2b (RFC 7693) with digests of 32 bytes, of 64, and for `authenticate` of any length: keyed, with the native
/// salt and personalisation fields.
public enum BLAKE2b {
    /// Length of a digest in bytes.
    public static let count = 32
    /// Length of a digest of `hash512` in bytes.
    public static let longCount = 64

    /// Derives a key from another one, as a keyed digest.
    /// - Parameters:
    ///   - key: 1 to 64 bytes.
    ///   - data: the hashed message. It is empty unless a protocol demands one.
    ///   - salt: at most 16 bytes of ASCII, padded with zeros.
    ///   - personal: at most 16 bytes of ASCII, padded with zeros.
    /// - Returns: 32 bytes.
    public static func deriveKey(
        from key: borrowing SecureBytes, data: Span<UInt8> = Span(), salt: String, personal: String
    ) -> SecureBytes {
        deriveKey(from: key, data: data, salt: Array(salt.utf8), personal: Array(personal.utf8))
    }

    /// Derives a key with salt and personalisation that are not text: at most 16 bytes each, padded with zeros. The rest
    /// is as in the other form.
    public static func deriveKey(
        from key: borrowing SecureBytes, data: Span<UInt8> = Span(), salt: [UInt8], personal: [UInt8]
    ) -> SecureBytes {
        precondition(key.count > 0, "an empty key would make this the plain hash")
        return key.withBytes { key in
            SecureBytes(count: count) { output in
                hash(data, key: key, salt: field(salt), personal: field(personal), into: &output)
            }
        }
    }

    /// Derives a key from another one, another one from that, and so on, with empty data. Allocates guarded memory
    /// once, which takes ten times as long as a hash.
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - times: 1 or more.
    ///   - salt: at most 16 bytes of ASCII, padded with zeros.
    ///   - personal: at most 16 bytes of ASCII, padded with zeros.
    /// - Returns: the last key, 32 bytes.
    package static func deriveKey(
        from key: borrowing SecureBytes, times: Int, salt: String, personal: String
    ) -> SecureBytes {
        precondition(key.count == count && times > 0)
        defer { SpentStack.wipe() }
        Sodium.start()
        let (salt, personal) = (field(Array(salt.utf8)), field(Array(personal.utf8)))
        // The keys take turns in two halves.
        let halves = SecureBytes(count: 2 * count) { halves in
            key.withBytes { key in
                for index in key.indices { halves[index] = key[index] }
            }
            unsafe halves.withUnsafeMutableBufferPointer { halves in
                let first = halves.baseAddress!
                for step in 0..<times {
                    let (from, to) = step % 2 == 0 ? (0, count) : (count, 0)
                    _ = unsafe crypto_generichash_blake2b_salt_personal(
                        first + to, count, nil, 0, first + from, count, salt, personal)
                }
            }
        }
        let start = times % 2 == 0 ? 0 : count
        return halves.withBytes { SecureBytes(copying: $0.extracting(start..<start + count)) }
    }

    /// Computes BLAKE2b-512, for intermediate keys.
    /// - Parameter key: at most 64 bytes; empty for the plain hash.
    /// - Returns: 64 bytes.
    public static func hash512(_ message: Span<UInt8>, key: Span<UInt8> = Span()) -> SecureBytes {
        SecureBytes(count: longCount) { output in
            hash(message, key: key, salt: field([]), personal: field([]), into: &output)
        }
    }

    /// Computes the keyed digest of a message.
    /// - Parameters:
    ///   - key: 1 to 64 bytes.
    ///   - count: length of the digest in bytes, 16 to 64. It is part of the hash, so a short digest is not a prefix of
    ///     a long one.
    public static func authenticate(
        _ message: Span<UInt8>, key: borrowing SecureBytes, count: Int = Self.count
    ) -> [UInt8] {
        precondition(key.count > 0, "an empty key would make this the plain hash")
        precondition((16...64).contains(count))
        var digest = [UInt8](repeating: 0, count: count)
        key.withBytes { key in
            var output = digest.mutableSpan
            hash(message, key: key, salt: field([]), personal: field([]), into: &output)
        }
        return digest
    }

    /// Computes the keyed digest of a message that is in two pieces, without joining them.
    /// - Parameters:
    ///   - message: the second piece.
    ///   - prefix: the first piece.
    ///   - key: 1 to 64 bytes.
    /// - Returns: 32 bytes.
    public static func authenticate(
        _ message: Span<UInt8>, after prefix: Span<UInt8>, key: borrowing SecureBytes
    ) -> [UInt8] {
        precondition((1...64).contains(key.count), "an empty key would make this the plain hash")
        defer { SpentStack.wipe() }
        Sodium.start()
        var digest = [UInt8](repeating: 0, count: count)
        // Guarded memory, because the state begins with the key. Its length is a multiple of 64, so it is aligned for
        // libsodium.
        _ = SecureBytes(count: crypto_generichash_blake2b_statebytes()) { state in
            unsafe state.withUnsafeMutableBufferPointer { state in
                let state = OpaquePointer(state.baseAddress!)
                key.withBytes { key in
                    _ = unsafe key.withUnsafeBufferPointer { key in
                        unsafe crypto_generichash_blake2b_init(state, key.baseAddress, key.count, count)
                    }
                }
                unsafe update(state, prefix)
                unsafe update(state, message)
                _ = unsafe crypto_generichash_blake2b_final(state, &digest, count)
            }
        }
        return digest
    }

    private static func update(_ state: OpaquePointer, _ piece: Span<UInt8>) {
        _ = unsafe piece.withUnsafeBufferPointer { piece in
            unsafe crypto_generichash_blake2b_update(state, piece.baseAddress, UInt64(piece.count))
        }
    }

    /// Computes the digest of a message without a key.
    /// - Returns: 32 bytes.
    public static func hash(_ message: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        var output = digest.mutableSpan
        let unkeyed: [UInt8] = []
        hash(message, key: unkeyed.span, salt: field([]), personal: field([]), into: &output)
        return digest
    }

    /// Computes the digest of a message without a key, but with salt and personalisation.
    /// - Parameters: `salt` and `personal` are at most 16 bytes of ASCII, padded with zeros.
    /// - Returns: 32 bytes.
    public static func hash(_ message: Span<UInt8>, salt: String, personal: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        var output = digest.mutableSpan
        let unkeyed: [UInt8] = []
        hash(
            message, key: unkeyed.span, salt: field(Array(salt.utf8)), personal: field(Array(personal.utf8)),
            into: &output)
        return digest
    }

    private static func field(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= 16)
        return bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
    }

    private static func hash(
        _ message: Span<UInt8>, key: Span<UInt8>, salt: [UInt8], personal: [UInt8],
        into output: inout MutableSpan<UInt8>
    ) {
        precondition(key.count <= 64)
        defer { SpentStack.wipe() }
        Sodium.start()
        unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe key.withUnsafeBufferPointer { key in
                    _ = unsafe crypto_generichash_blake2b_salt_personal(
                        output.baseAddress!, output.count, message.baseAddress, UInt64(message.count),
                        key.baseAddress, key.count, salt, personal)
                }
            }
        }
    }
}
