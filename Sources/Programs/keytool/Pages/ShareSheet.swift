import Console
import Encodings
import SecureMemory
import Shares
import Threema

// The page, in millimetres from the top (see Page.safeArea):
//
//    31  title
//    50  ID, number of the share, check word, set, date and public key
//   108  the words, three numbered ones to a row
//   200  how to restore it
//   258  name and date of the person who has it
//   270  where the others must not be
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
        labelWidth: 40, words: 108, rowPitch: 7, heading: 200, linePitch: 5, name: 258, warning: 270)

    /// The page as a PDF file, in guarded memory.
    func pdf() -> SecureBytes {
        let sentences = ShareSentences.in(language)
        let values = share.values(count: count).merging([.id: id.text, .word: ShellWord.quoted(id.text)]) { $1 }
        func text(_ sentence: Sentence) -> String { sentence.with(values) }
        return SharePage(
            language: language, title: text(sentences.title), lead: text(sentences.warning),
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
            lines: ([sentences.asking(share)] + sentences.steps).map { .text(text($0)) },
            warning: sentences.storage.text, places: Self.places
        ).pdf(of: share.words)
    }
}
