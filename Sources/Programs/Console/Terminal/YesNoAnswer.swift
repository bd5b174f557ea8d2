/// The answer to a yes-or-no question.
enum YesNoAnswer {
    case yes, no

    /// - Parameter line: in any case, with blanks around it. An empty one, and nil at the end of input, mean no.
    /// - Returns: nil for any other answer.
    init?(_ line: String?) {
        let words = (line ?? "").lowercased().split(whereSeparator: \.isWhitespace)
        guard words.count <= 1 else { return nil }
        switch words.first ?? "" {
        case "y", "yes": self = .yes
        case "", "n", "no": self = .no
        default: return nil
        }
    }
}
