import SecureMemory

extension SecureBuffer {
    /// Appends a byte that a terminal has delivered, and removes the mark of a paste that it completes. A terminal sets
    /// pastes between such marks if a program that ran before has asked for it. Nobody sees them.
    mutating func append(typed byte: UInt8) {
        append(byte)
        for mark in ["\u{1b}[200~", "\u{1b}[201~"] where ends(with: Array(mark.utf8)) {
            for _ in mark.utf8 { removeLast() }
        }
    }

    private borrowing func ends(with mark: [UInt8]) -> Bool {
        withBytes { bytes in
            guard bytes.count >= mark.count else { return false }
            let start = bytes.count - mark.count
            for index in mark.indices where bytes[start + index] != mark[index] { return false }
            return true
        }
    }
}
