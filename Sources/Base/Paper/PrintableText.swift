/// Text for paper: only characters that every printer's fonts have and that a reader can tell apart from nothing.
///
/// These are ASCII and Latin-1 without control characters, no-break space and soft hyphen. Every other character is
/// spelled `\u{HEX}`, its number in Unicode. So are a blank at an end or behind another blank, and a backslash before
/// `u{`. No two texts are spelled alike.
package struct PrintableText: Equatable, Sendable {
    /// The characters, each as it is or spelled.
    private let characters: [String]

    /// - Parameter text: any text.
    package init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        characters = scalars.indices.map { index in
            let scalar = scalars[index]
            return Self.isPlain(
                scalar, before: scalars[(index + 1)...], isAfterBlank: index == 0 || scalars[index - 1] == " ")
                ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    private init(characters: [String]) { self.characters = characters }

    private static func isPlain(
        _ scalar: Unicode.Scalar, before rest: ArraySlice<Unicode.Scalar>, isAfterBlank: Bool
    ) -> Bool {
        switch scalar {
        case " ": !isAfterBlank && !rest.isEmpty
        case "\\": !rest.starts(with: ["u", "{"])
        case "!"..."~": true
        case "\u{a1}"..."\u{ff}": scalar != "\u{ad}"
        default: false
        }
    }

    /// What is printed: characters of Latin-1.
    package var text: String { characters.joined() }

    /// The text in lines of at most `width` characters, which together are the text. A spelled character is not
    /// broken, and stands on a line of its own if it is longer.
    package func lines(of width: Int) -> [PrintableText] {
        var lines: [[String]] = [[]]
        var count = 0
        for character in characters {
            if count > 0, count + character.count > width {
                lines.append([])
                count = 0
            }
            lines[lines.count - 1].append(character)
            count += character.count
        }
        return lines.map { PrintableText(characters: $0) }
    }
}
