/// A sentence on a page, with places for values: `{id}`.
struct Sentence: ExpressibleByStringLiteral, Equatable {
    /// What a sentence can have a place for.
    enum Place: String, CaseIterable {
        case id, number, count, threshold, others, word, day, version
    }

    let text: String

    init(stringLiteral text: String) { self.text = text }

    /// The sentence with each value in its place. Braces in a value stay as they are.
    func with(_ values: [Place: String]) -> String {
        var (result, rest) = ("", text[...])
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = Place(rawValue: String(rest[rest.index(after: start)..<end]))
            result += rest[..<start] + (name.flatMap { values[$0] } ?? String(rest[start...end]))
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}

/// All sentences of one kind of page: a value for each language, with the same members.
///
/// A member is one sentence, or the lines of a paragraph: what does not fit into a line is broken here.
protocol PageSentences {
    static var english: Self { get }
    static var german: Self { get }
}

extension PageSentences {
    static func `in`(_ language: PageLanguage) -> Self {
        switch language {
        case .en: english
        case .de: german
        }
    }
}
