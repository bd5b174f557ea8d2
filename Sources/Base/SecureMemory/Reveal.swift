// The ways by which bytes leave guarded memory. What they return is ordinary memory: it may be swapped, and nobody
// wipes it. `grep -rn "reveal" Sources` lists every use, and `Scripts/check-secrets` refuses other ways.

extension Span where Element == UInt8 {
    /// A copy in ordinary memory: for what is no secret, such as a nonce, a salt or ciphertext, or has to be shown.
    package func revealBytes() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            for index in indices { unsafe buffer[index] = self[index] }
            used = count
        }
    }

    /// The same as text, UTF-8; what is not valid becomes U+FFFD.
    package func revealText() -> String { String(decoding: revealBytes(), as: UTF8.self) }
}

extension SecureBytes {
    /// A copy in ordinary memory: for what has to be shown or handed to another program.
    package borrowing func revealBytes() -> [UInt8] { withBytes { $0.revealBytes() } }

    /// The same as text, UTF-8; what is not valid becomes U+FFFD.
    package borrowing func revealText() -> String { withBytes { $0.revealText() } }
}
