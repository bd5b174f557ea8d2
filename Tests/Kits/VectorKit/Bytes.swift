public import SecureMemory

// The tests' own hexadecimal: the one of Encodings is itself under test.

extension [UInt8] {
    /// Bytes from hexadecimal; blanks and line breaks between bytes are fine. Nil for anything else.
    public init?(hex: String) {
        let digits = hex.filter { !$0.isWhitespace }.map { $0.isASCII ? $0.hexDigitValue : nil }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(UInt8(high << 4 | low))
        }
    }

    /// Lower-case hexadecimal.
    public var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension SecureBytes {
    /// A copy outside of guarded memory. Tests compare with it; nothing else may.
    public var copied: [UInt8] {
        withBytes { $0.withUnsafeBufferPointer { Array($0) } }
    }
}
