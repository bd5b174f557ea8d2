public import Primitives
public import SecureMemory

// The call state, which the server keeps for members who have not joined: nonce 24 ‖ box(GCSK, nonce).

/// The encrypted state of a call: who is in it. The server cannot read it.
public enum CallState {
    /// - Parameter state: Protocol Buffers; this library does not read them.
    /// - Returns: nonce ‖ tag ‖ ciphertext, 40 bytes longer than `state`.
    public static func seal(_ state: Span<UInt8>, keys: borrowing CallKeys) -> [UInt8] {
        seal(state, keys: keys, nonce: Random.bytes(SecretBox.nonceCount))
    }

    /// - Parameter nonce: 24 bytes, never used twice with one call.
    package static func seal(_ state: Span<UInt8>, keys: borrowing CallKeys, nonce: [UInt8]) -> [UInt8] {
        keys.state.withBytes { SecretBox.sealWithNonce(state, nonce: nonce, key: $0) }
    }

    /// - Throws: `.notAuthentic` for another call's state, and for altered bytes.
    public static func open(
        _ sealed: Span<UInt8>, keys: borrowing CallKeys
    ) throws(AuthenticationError) -> SecureBytes {
        try CallBox.open(sealed, key: keys.state)
    }
}
