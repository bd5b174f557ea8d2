/// How control and format characters are shown, as `less` shows them: `<U+202E>`; a byte that is not UTF-8 as `<FF>`.
package enum VisibleText {
    /// The text without any of these characters.
    package static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: ControlCharacters.contains) else { return text }
        return String(
            text.unicodeScalars.reduce(into: String.UnicodeScalarView()) { shown, scalar in
                if ControlCharacters.contains(scalar) {
                    shown.append(contentsOf: spelled(scalar).unicodeScalars)
                } else {
                    shown.append(scalar)
                }
            })
    }

    /// The text as one line: a line end is shown, and everything else is left as it is.
    package static func line(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
        // By scalars: CR LF is one character.
        return text.unicodeScalars.map { $0 == "\n" ? spelled($0) : String($0) }.joined()
    }

    package static func spelled(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
    }

    package static func spelled(_ byte: UInt8) -> String { "<" + Hex.encode([byte]).uppercased() + ">" }
}
