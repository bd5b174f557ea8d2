import Testing

@testable import keytool

/// The sentences of pages, as far as two languages can be compared.
@Suite struct PageSentencesTests {
    private static var tables: [any PageSentences.Type] {
        [
            SheetSentences.self, CardSentences.self, ShareSentences.self, KitSentences.self,
            ArchiveShareSentences.self, DirectorySentences.self,
        ]
    }

    /// The sentences of each member.
    private static func members(of table: any PageSentences) throws -> [(name: String, sentences: [Sentence])] {
        try Mirror(reflecting: table).children.map { child in
            let sentences = (child.value as? Sentence).map { [$0] } ?? child.value as? [Sentence]
            return try (#require(child.label), #require(sentences, "no sentence: \(child.label ?? "")"))
        }
    }

    private static func pairs() throws -> [(name: String, english: [Sentence], german: [Sentence])] {
        try tables.flatMap { table in
            try zip(members(of: table.english), members(of: table.german)).map {
                ("\(table).\($0.name)", $0.sentences, $1.sentences)
            }
        }
    }

    private static func text(_ sentences: [Sentence]) -> String { sentences.map(\.text).joined(separator: " ") }

    @Test func placesAreTheSame() throws {
        for (name, english, german) in try Self.pairs() {
            let places = Self.text(english).matches(of: /\{([a-z]+)\}/).map { String($0.1) }
            #expect(
                places.sorted() == Self.text(german).matches(of: /\{([a-z]+)\}/).map { String($0.1) }.sorted(),
                "\(name)")
            for place in places { #expect(Sentence.Place(rawValue: place) != nil, "\(name): \(place)") }
        }
    }

    /// What is to be typed stays as it is: commands, options, names of programs.
    @Test func commandsAreTheSame() throws {
        let typed =
            /keytool (?:id|backup|safe|archive) [a-z]+(?: --[a-z-]+)*|--[a-z-]+|messenger-keytool|shamir[a-z -]* recover|SLIP-39/
        for (name, english, german) in try Self.pairs() {
            let words = Self.text(english).matches(of: typed).map { String($0.0) }
            #expect(words.sorted() == Self.text(german).matches(of: typed).map { String($0.0) }.sorted(), "\(name)")
        }
    }

    @Test func nothingIsMissing() throws {
        for (name, english, german) in try Self.pairs() {
            for sentence in english + german {
                #expect(!sentence.text.isEmpty && sentence.text.first != " " && sentence.text.last != " ", "\(name)")
                // Others are spelled on paper; U+00A4 stands for the words of a share.
                #expect(sentence.text.unicodeScalars.allSatisfy { $0.value < 0x100 && $0 != "\u{a4}" }, "\(name)")
            }
            // A label may be the same word.
            #expect(Self.text(english) != Self.text(german) || Self.text(english).count < 12, "\(name)")
        }
    }

    @Test func valuesStandInTheirPlaces() {
        let sentence: Sentence = "{id} has {count} of {number}; \\u{NUMBER}, {open"
        #expect(sentence.with([.id: "{count}", .count: "3"]) == "{count} has 3 of {number}; \\u{NUMBER}, {open")
    }

    @Test(arguments: [
        ("de", PageLanguage.de), ("de_DE.UTF-8", .de), ("de_AT", .de), ("de@euro", .de), ("DE_CH.utf8", .de),
        ("C", .en), ("C.UTF-8", .en), ("POSIX", .en), ("en_GB.UTF-8", .en), ("fr_FR.UTF-8", .en), ("den", .en),
        ("", .en), ("nds_DE.UTF-8", .en),
    ])
    func localesHaveALanguage(_ locale: String, _ language: PageLanguage) {
        #expect(PageLanguage(locale: locale) == language)
    }
}
