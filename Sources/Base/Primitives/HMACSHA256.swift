internal import COpenSSL
public import SecureMemory

/// HMAC-SHA-256 (RFC 2104, RFC 4231).
public enum HMACSHA256 {
    /// - Parameter key: any length.
    /// - Returns: 32 bytes.
    public static func authenticate(_ message: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
        var outer = outerState(message, key: key)
        var digest = [UInt8](repeating: 0, count: SHA256.count)
        outer.finish(into: &digest)
        return digest
    }

    /// Derives a key from another one: its HMAC of a message, in guarded memory.
    /// - Parameter key: any length.
    /// - Returns: 32 bytes.
    public static func derive(_ message: Span<UInt8>, key: Span<UInt8>, life: SecretLife = .long) -> SecureBytes {
        var outer = outerState(message, key: key)
        return SecureBytes(count: SHA256.count, life: life) { digest in outer.finish(into: &digest) }
    }

    /// The state of the outer hash, which its caller finishes.
    fileprivate static func outerState(_ message: Span<UInt8>, key: Span<UInt8>) -> SHA256State {
        var states = HMACStates(key: key)
        defer { states.wipe() }
        states.inner.update(message)
        states.join()
        return states.outer
    }

    /// Authenticates under a key that is not secret, for example a constant. Without guarded memory this takes about a
    /// microsecond.
    /// - Parameter publicKey: at most 64 bytes.
    /// - Returns: 32 bytes.
    public static func authenticate(_ message: Span<UInt8>, publicKey: [UInt8]) -> [UInt8] {
        precondition(publicKey.count <= SHA256State.blockCount)
        let key = publicKey + [UInt8](repeating: 0, count: SHA256State.blockCount - publicKey.count)
        // Variables, because the compiler crashes in debug builds on the span of a temporary array here.
        let innerPad = key.map { $0 ^ 0x36 }
        let outerPad = key.map { $0 ^ 0x5c }
        var inner = SHA256State()
        inner.update(innerPad.span)
        inner.update(message)
        var digest = [UInt8](repeating: 0, count: SHA256.count)
        inner.finish(into: &digest)
        var outer = SHA256State()
        outer.update(outerPad.span)
        outer.update(digest.span)
        outer.finish(into: &digest)
        return digest
    }
}

/// The hash states after the padded key, from which HMAC computes every tag.
struct HMACStates {
    var inner: SHA256State
    var outer: SHA256State

    /// The padded key is on the stack and wiped: guarded memory would take ten times as long as the hash.
    init(key: Span<UInt8>) {
        (inner, outer) = (SHA256State(), SHA256State())
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: SHA256State.blockCount) { pad in
            unsafe pad.initialize(repeating: 0)
            // A key longer than a block is replaced by its hash; a shorter one is padded with zeros.
            if key.count > SHA256State.blockCount {
                var state = SHA256State()
                state.update(key)
                var bytes = unsafe pad.mutableSpan
                state.finish(into: &bytes)
            } else {
                for index in key.indices { unsafe pad[index] = key[index] }
            }
            for index in pad.indices { unsafe pad[index] ^= 0x36 }
            unsafe inner.update(pad.span)
            for index in pad.indices { unsafe pad[index] ^= 0x36 ^ 0x5c }
            unsafe outer.update(pad.span)
            unsafe OPENSSL_cleanse(pad.baseAddress, pad.count)
        }
    }

    /// The states under the HMAC of a message, of which no copy remains.
    init(keyFrom message: Span<UInt8>, key: Span<UInt8>) {
        var outer = HMACSHA256.outerState(message, key: key)
        self = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: SHA256.count) { digest in
            unsafe digest.initialize(repeating: 0)
            var bytes = unsafe digest.mutableSpan
            outer.finish(into: &bytes)
            defer { unsafe OPENSSL_cleanse(digest.baseAddress, digest.count) }
            return unsafe HMACStates(key: digest.span)
        }
    }

    /// Finishes the inner hash and gives it to the outer one, whose digest is the HMAC.
    mutating func join() {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: SHA256.count) { digest in
            unsafe digest.initialize(repeating: 0)
            var bytes = unsafe digest.mutableSpan
            inner.finish(into: &bytes)
            unsafe outer.update(digest.span)
            unsafe OPENSSL_cleanse(digest.baseAddress, digest.count)
        }
    }

    mutating func wipe() {
        inner.wipe()
        outer.wipe()
    }
}
