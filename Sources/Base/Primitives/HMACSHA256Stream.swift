package import SecureMemory

/// HMAC-SHA-256 (RFC 2104) piece by piece, for messages that do not fit into memory.
package struct HMACSHA256Stream: ~Copyable {
    private let held: Held

    /// - Parameter key: any length.
    package init(key: borrowing SecureBytes) { held = Held(key.withBytes { HMACStates(key: $0) }) }

    /// Adds the next piece of the message.
    package mutating func update(_ piece: Span<UInt8>) { held.states.inner.update(piece) }

    /// The authentication code of all pieces. Call it once.
    /// - Returns: 32 bytes.
    package mutating func finish() -> [UInt8] {
        held.states.join()
        var code = [UInt8](repeating: 0, count: SHA256.count)
        held.states.outer.finish(into: &code)
        return code
    }

    /// The states where they are wiped at the end: who has them computes codes. A struct could only wipe a copy.
    private final class Held {
        var states: HMACStates

        init(_ states: HMACStates) { self.states = states }

        deinit { states.wipe() }
    }
}
