import CommandLine
import Console
import Shares
import ThreemaKeeping

extension ShareError: Explained {
    var failure: Failure {
        switch self {
        case .unknownWord(let number):
            Failure(
                .badData, "word \(number) is not in the list of words",
                hints: "compare it with the page; the first four letters of a word are enough")
        case .length(words: 0): Failure(.badData, "no words were given")
        case .length(let words):
            Failure(
                .badData,
                "a share of a private key has \(ShareEntry.wordCount) words; this has "
                    + (words > ShareWords.maxCount ? "more than \(ShareWords.maxCount)" : "\(words)"),
                hints: ShareEntry.areSeveral(words) ? ["each share needs a file of its own"] : [])
        case .checksum(.word(let number)):
            Failure(
                .badData, "word \(number) is probably wrong: another word of the list stands in its place",
                hints: "compare word \(number) with the page")
        case .checksum(.swapped(let number)):
            Failure(.badData, "words \(number) and \(number + 1) have probably changed places")
        case .checksum(.several):
            Failure(
                .badData, "more than one word is wrong", hints: "compare the words row by row with the page")
        case .padding, .groups:
            Failure(.badData, "these words have a right checksum, but are no share of a private key")
        }
    }
}

extension ShareJoinError: Explained {
    var failure: Failure {
        switch self {
        case .otherSet:
            Failure(
                .verifyFailed, "this share does not belong to the others: it is of another set",
                hints: "use pages that have the same date, and the same number at \"These pages belong together\"",
                "if the wrong page came first, begin again without it")
        case .sameIndex(_, let index):
            Failure(
                .verifyFailed, "two different shares have the number \(index + 1): they are of different sets",
                hints: "use the shares with the same date")
        case .otherThreshold:
            Failure(.verifyFailed, "the shares disagree on how many are needed: they are of different sets")
        case .missing: Failure(.needSecret, "more shares are needed")
        case .stray(_, let index):
            Failure(
                .verifyFailed, "share \(index + 1) does not belong to the others, although its words are right",
                hints: "join the shares without it")
        case .digest:
            Failure(
                .verifyFailed, "the shares do not belong together, although the words of each are right",
                hints: "use shares with the same date, and the same check word or recipient")
        case .tooCostly(let exponent):
            Failure(
                .badData, "the shares ask for 10,000 times 2^\(exponent) rounds of work; keytool joins up to 2^8")
        case .passphrase: .defect("a passphrase of shares has a wrong character")
        }
    }
}

extension Failure {
    /// Words of a share were given instead of a backup code.
    /// - Parameter lead: the beginning of the sentence: `FILE has`.
    static func shareNotCode(_ lead: String) -> Failure {
        Failure(
            .usage, "\(lead) the words of a share, not a backup code",
            hints: "keytool backup join restores an identity from shares",
            "keytool backup check --share checks one of them")
    }
}

extension Explained {
    /// The failure of one of several files, with its name in front.
    func failure(of file: String) -> Failure {
        Failure(failure.status, "\(file): \(failure.message)", hints: failure.hints)
    }
}

extension SharePlanError: Explained {
    var failure: Failure {
        switch self {
        case .notReproduced: .defect("verification of the new shares failed; they were discarded")
        case .threshold, .iterationExponent, .secretCount, .passphrase: .defect("the key cannot be shared in this way")
        }
    }
}

extension ShareKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .keyChanged:
            Failure(
                .verifyFailed, "another command has replaced the private key meanwhile: this is of the earlier one",
                hints: "destroy it, and try again")
        }
    }
}
