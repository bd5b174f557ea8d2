package import SecureMemory

extension SecureBuffer {
    /// Appends text that is not secret, as UTF-8.
    package mutating func append(_ text: String) {
        let bytes = Array(text.utf8)
        append(bytes.span)
    }
}
