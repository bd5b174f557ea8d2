import Console
import Encodings
import Paper
import SecureMemory
import Shares
import Threema

// The page, in millimetres from the top (see Page.safeArea):
//
//    31  title
//    52  a line for the owner's name
//    60  ID, number of the share, check word, set, date, public key and directory
//   101  the words, three numbered ones to a row
//   189  how to restore the account, for everybody and for a technician
//   255  lines for the names of the people who have the pages
//   271  where the others must not be
//
/// A page to print for one person: one share of a private key, and what to do with it.
struct ShareSheet {
    let id: ThreemaID
    let publicKey: PublicKey
    let share: Share
    /// nil for an identity that no directory knows.
    let directory: PrintedDirectory?
    /// How many shares there are.
    let count: Int
    /// The day they were made.
    let day: String
    let language: PageLanguage

    /// - Parameter rows: of the facts.
    private static func places(_ rows: Int) -> SharePage.Places {
        SharePage.Places(
            owner: 52, facts: 60, factPitch: rows > 8 ? 4.1 : 5, labelWidth: 82, words: 101, rowPitch: 7, heading: 189,
            linePitch: 4.6, names: 255)
    }
    /// Of the facts, beside their labels.
    private static let columns = 48
    private static let maxRows = 10

    /// The page as a PDF file, in guarded memory.
    func pdf() -> SecureBytes {
        let sentences = ShareSentences.in(language)
        let values = share.values(count: count).merging([.id: id.text, .word: ShellWord.quoted(id.text)]) { $1 }
        func text(_ sentence: Sentence) -> String { sentence.with(values) }
        let facts = facts(sentences, values)
        return SharePage(
            language: language, title: text(sentences.title), lead: sentences.warning.map(text),
            owner: sentences.owner.text, facts: facts, heading: sentences.restoring.text,
            lines: ([sentences.asking(share)] + sentences.steps).map { .text(text($0)) }
                + [.gap, .heading(sentences.technician.text)]
                + (sentences.details + directoryWords(sentences)).map { .text(text($0)) },
            places: Self.places(Self.rows(facts))
        ).pdf(of: share.words)
    }

    private func directoryWords(_ sentences: ShareSentences) -> [Sentence] {
        guard let directory else { return sentences.offline }
        return hasRoomForDirectory ? directory.words(language) : []
    }

    /// Whether the directory's address, and that of a company's file, fit on the page.
    var hasRoomForDirectory: Bool {
        let sentences = ShareSentences.in(language)
        return Self.rows(known(sentences, [:]) + directoryFacts) <= Self.maxRows
    }

    private func facts(
        _ sentences: ShareSentences, _ values: [Sentence.Place: String]
    ) -> [(label: Sentence, values: [String])] {
        known(sentences, values) + (hasRoomForDirectory ? directoryFacts : [])
    }

    private func known(
        _ sentences: ShareSentences, _ values: [Sentence.Place: String]
    ) -> [(label: Sentence, values: [String])] {
        [
            (sentences.id, [id.text]), (sentences.share, [sentences.shareNumber.with(values)]),
            (sentences.checkWord, [publicKey.checkWord.text]), (sentences.set, ["\(share.set.identifier)"]),
            (sentences.madeOn, [day]),
            (
                sentences.publicKey,
                stride(from: 0, to: publicKey.lines.count, by: 4).map { start in
                    publicKey.lines[start..<start + 4].joined(separator: " ")
                }
            ),
        ]
    }

    private var directoryFacts: [(label: Sentence, values: [String])] {
        (directory?.facts(language, hasUser: false) ?? []).map { label, values in
            (label, values.flatMap { $0.lines(of: Self.columns) }.map(\.text))
        }
    }

    private static func rows(_ facts: [(label: Sentence, values: [String])]) -> Int {
        facts.map(\.values.count).reduce(0, +)
    }
}
