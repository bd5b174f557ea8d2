/// A line of text in which this program has set colours. What comes from elsewhere is text, whatever it looks like.
package struct StyledLine {
    enum Part {
        case text(String)
        case drawn(String)
    }

    let parts: [Part]

    /// Text, which may come from anywhere.
    package init(_ text: String) { parts = [.text(text)] }

    /// What this program draws, with its escape sequences. Nothing in it comes from elsewhere.
    package static func drawn(_ drawing: String) -> StyledLine { StyledLine(parts: [.drawn(drawing)]) }

    /// A word that stands out.
    static func bold(_ word: String) -> StyledLine { drawn("\u{1b}[1m\(word)\u{1b}[0m") }

    private init(parts: [Part]) { self.parts = parts }

    /// Both, one after the other.
    package func followed(by other: StyledLine) -> StyledLine { StyledLine(parts: parts + other.parts) }

    /// The same for text.
    package func followed(by text: String) -> StyledLine { followed(by: StyledLine(text)) }

    /// All of it, for JSON.
    package var text: String { rendered { $0 } }

    /// The line's bytes.
    /// - Parameter show: makes what is text harmless.
    func rendered(_ show: (String) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): show(text)
            case .drawn(let drawing): drawing
            }
        }.joined()
    }
}
