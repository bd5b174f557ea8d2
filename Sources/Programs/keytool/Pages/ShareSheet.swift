import Console
import Encodings
import SecureMemory
import Shares
import Threema

// The page, in millimetres from the top (see Page.safeArea):
//
//    31  title
//    52  a line for the owner's name
//    60  ID, number of the share, check word, set, date and public key
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
    /// How many shares there are.
    let count: Int
    /// The day they were made.
    let day: String
    let language: PageLanguage

    private static let places = SharePage.Places(
        owner: 52, facts: 60, factPitch: 5, labelWidth: 82, words: 101, rowPitch: 7, heading: 189, linePitch: 4.6,
        names: 255)

    /// The page as a PDF file, in guarded memory.
    func pdf() -> SecureBytes {
        let sentences = ShareSentences.in(language)
        let values = share.values(count: count).merging([.id: id.text, .word: ShellWord.quoted(id.text)]) { $1 }
        func text(_ sentence: Sentence) -> String { sentence.with(values) }
        return SharePage(
            language: language, title: text(sentences.title), lead: sentences.warning.map(text),
            owner: sentences.owner.text,
            facts: [
                (sentences.id, [id.text]), (sentences.share, [text(sentences.shareNumber)]),
                (sentences.checkWord, [publicKey.checkWord.text]), (sentences.set, ["\(share.set.identifier)"]),
                (sentences.madeOn, [day]),
                (
                    sentences.publicKey,
                    stride(from: 0, to: publicKey.lines.count, by: 4).map { start in
                        publicKey.lines[start..<start + 4].joined(separator: " ")
                    }
                ),
            ], heading: sentences.restoring.text,
            lines: ([sentences.asking(share)] + sentences.steps).map { .text(text($0)) }
                + [.gap, .heading(sentences.technician.text)] + sentences.details.map { .text(text($0)) },
            places: Self.places
        ).pdf(of: share.words)
    }
}
