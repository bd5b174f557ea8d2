import Console
import Paper
import SecureMemory
import Shares

// The page, in millimetres from the top (see Page.safeArea):
//
//    31  title
//    51  a line for the owner's name
//    58  file, date, number of the share, set and recipient
//    84  the words, three numbered ones to a row
//   164  how to open the archive, for everybody and, with a program of some lines, for a technician
//   257  lines for the names of the people who have the pages
//   273  where the others must not be
//
/// A page to print for one person: one share of the key of an archive, and what to do with it.
struct ArchiveShareSheet {
    /// Name of the archive's file; nil if it has none, or one that does not fit the page.
    private let name: String?
    /// The public key that the archive is encrypted for, as age writes it.
    private let recipient: String
    private let share: Share
    /// How many shares there are.
    private let count: Int
    /// The day they were made.
    private let day: String
    private let language: PageLanguage

    private static let places = SharePage.Places(
        owner: 51, facts: 58, factPitch: 4.8, labelWidth: 54, words: 84, rowPitch: 6.5, heading: 164, linePitch: 4.05,
        names: 257)
    private static let maxNameLetters = 60
    /// A longer name is not repeated in commands.
    private static let maxWordLetters = 24

    /// - Parameter path: of the archive; nil for stdout.
    init(of path: String?, recipient: String, share: Share, count: Int, day: String, language: PageLanguage) {
        let name = path.map { String($0[($0.lastIndex(of: "/").map($0.index(after:)) ?? $0.startIndex)...]) }
        self.name = name.flatMap { name in
            SharePage.mayHave(name) && PrintableText(name).text.count <= Self.maxNameLetters ? name : nil
        }
        self.recipient = recipient
        self.share = share
        self.count = count
        self.day = day
        self.language = language
    }

    /// The page as a PDF file, in guarded memory.
    func pdf() -> SecureBytes {
        let (common, own) = (ShareSentences.in(language), ArchiveShareSentences.in(language))
        let values = share.values(count: count).merging([.word: word]) { $1 }
        func lines(_ sentences: [Sentence]) -> [SharePage.Line] { sentences.map { .text($0.with(values)) } }
        return SharePage(
            language: language, title: own.title.with(values), lead: own.warning.map { $0.with(values) },
            owner: own.owner.text,
            facts: (name.map { [(own.file, [$0])] } ?? []) + [
                (common.madeOn, [day]), (common.share, [common.shareNumber.with(values)]),
                (common.set, ["\(share.set.identifier)"]), (own.recipient, [recipient]),
            ], heading: own.opening.text,
            lines: lines([common.asking(share)] + own.steps) + [.gap, .heading(common.technician.text)]
                + lines(own.details + own.withoutKeytool) + [.program(AgeKeyProgram.lines)] + lines(own.withKey)
                + [.program(["age -d -i key.txt \(word) | tar -x"])],
            places: Self.places
        ).pdf(of: share.words)
    }

    /// The file in a command.
    private var word: String {
        guard let word = name.map({ PaperWord(ShellWord.operand($0)).quoted }),
            word.count <= Self.maxWordLetters
        else { return "ARCHIVE" }
        return word
    }
}

/// A Python program that prints the text of an age identity (Bech32, `AGE-SECRET-KEY-1…`) of 32 bytes in hexadecimal.
/// No line begins with blanks, which copies of a page lose. All that it prints is a file of keys: age skips the question,
/// which is a comment there.
enum AgeKeyProgram {
    static let lines = [
        "h, s = \"age-secret-key-\", \"qpzry9x8gf2tvdw0s3jn54khce6mua7l\"",
        "n = int(input(\"# master secret: \"), 16) * 16",
        "d = [n >> 5 * i & 31 for i in range(51, -1, -1)]",
        "t, c = [0], 1",
        "for a in 0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3: t += [a ^ b for b in t]",
        "x = [ord(k) >> 5 for k in h] + [0] + [ord(k) & 31 for k in h] + d + [0] * 6",
        "for v in x: c = c % 2**25 * 32 ^ v ^ t[c >> 25]",
        "d += [(c ^ 1) >> 5 * i & 31 for i in range(5, -1, -1)]",
        "print((\"\\n\" + h + \"1\" + \"\".join(s[k] for k in d)).upper())",
    ]
}
