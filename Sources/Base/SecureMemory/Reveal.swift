// The functions by which bytes leave guarded memory. They return ordinary memory, which may be swapped and is not
// wiped. `grep -rn "reveal" Sources` lists every use, and `Scripts/check-secrets` refuses other ways.

extension Span where Element == UInt8 {
    /// A copy in ordinary memory. For bytes that are not secret (nonce, salt, ciphertext), or that have to be shown.
    package func revealBytes() -> [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// A copy as text, decoded from UTF-8; invalid bytes become U+FFFD.
    package func revealText() -> String {
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension SecureBytes {
    /// A copy in ordinary memory. For bytes that have to be shown or given to another program.
    package borrowing func revealBytes() -> [UInt8] { withBytes { $0.revealBytes() } }

    /// A copy as text, decoded from UTF-8; invalid bytes become U+FFFD.
    package borrowing func revealText() -> String { withBytes { $0.revealText() } }
}
