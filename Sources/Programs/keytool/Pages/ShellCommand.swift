import Paper

/// A command line on paper, which a person types into a shell: bash, zsh, or another one that knows `$'…'`.
///
/// Every word is the same bytes again after it was typed, although paper does not show all characters: bytes of the
/// others are written as three octal digits. A line that is continued ends with a backslash.
struct ShellCommand {
    /// Words that stand in one line if possible, as an option and its value.
    let parts: [[String]]

    /// The lines, of at most `width` characters; together they can be typed as they are.
    func lines(width: Int) -> [String] {
        // A backslash comes after it, and a blank before that.
        let room = width - 2
        var lines = [""]
        func append(_ text: String) {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = text
            } else if line.count + 1 + text.count <= room {
                lines[lines.count - 1] = line + " " + text
            } else {
                lines[lines.count - 1] = line + " \\"
                lines.append(text)
            }
        }
        for part in parts {
            let words = part.map(PaperWord.init)
            let text = words.map(\.quoted).joined(separator: " ")
            guard text.count > room else {
                append(text)
                continue
            }
            for word in words {
                let pieces = word.pieces(of: room)
                append(pieces[0].quoted)
                for piece in pieces.dropFirst() {
                    // Nothing stands between the pieces of a word, not even a blank.
                    lines[lines.count - 1] += "\\"
                    lines.append(piece.quoted)
                }
            }
        }
        return lines
    }
}

/// A word of a command line on paper.
struct PaperWord {
    /// Characters; one that paper cannot show, or that ends a quoted word, is all of its bytes as `\NNN`.
    private let atoms: [String]

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        atoms = scalars.indices.map { index in
            let scalar = scalars[index]
            // Two blanks look like one.
            let isShown =
                scalar == " "
                ? index > 0 && scalars[index - 1] != " " : PrintableText(String(scalar)).text == String(scalar)
            guard !isShown || scalar == "'" || scalar == "\\" else { return String(scalar) }
            return String(scalar).utf8.map { byte in
                let digits = String(byte, radix: 8)
                return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }.joined()
        }
    }

    private init(atoms: [String]) { self.atoms = atoms }

    /// The word for a shell. The characters that need no quotes are those that no shell treats specially.
    var quoted: String {
        let text = atoms.joined()
        if text.contains("\\") { return "$'\(text)'" }
        let isPlain = !text.isEmpty && !text.hasPrefix("=") && text.utf8.allSatisfy { Self.plain.contains($0) }
        return isPlain ? text : "'\(text)'"
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-".utf8)

    /// Parts of the word that have at most `width` characters if they are quoted.
    func pieces(of width: Int) -> [PaperWord] {
        var pieces: [[String]] = [[]]
        for atom in atoms {
            let last = pieces[pieces.count - 1]
            if !last.isEmpty, PaperWord(atoms: last + [atom]).quoted.count > width { pieces.append([]) }
            pieces[pieces.count - 1].append(atom)
        }
        return pieces.map(PaperWord.init(atoms:))
    }
}
