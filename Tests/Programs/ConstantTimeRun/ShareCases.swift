import Encodings
import SecureMemory
import Shares

/// Secrets as shares, and shares as words. Which share of which set it is, is public: its first four words.
enum ShareCases {
    static var all: [Case] { [("share-split", split), ("share-words", words), ("share-refused", refused)] }

    /// With the passphrase `x`: SLIP-0039's sealing has no other secret input.
    private static func split() throws {
        let passphrase = Hidden.secret([0x78])
        let plan = try SharePlan(threshold: 2, count: 3)
        let shares = try passphrase.withBytes { (passphrase) throws(SharePlanError) in
            try plan.split(Hidden.secret(EncodingCases.key), passphrase: passphrase)[0]
        }
        var collection = ShareCollection()
        for share in shares.dropFirst() { try expect(try collection.add(share), "a new share") }
        let joined = try passphrase.withBytes { (passphrase) throws(ShareJoinError) in
            try collection.join(passphrase: passphrase)
        }
        try expect(joined.shown() == EncodingCases.key, "the joined secret")
    }

    private static let text = """
        cleanup penalty academic acid anxiety visitor pajamas damage speak imply stadium cubic network marathon fortune \
        drove step soul peaceful presence acne prune coding cover income change tracks unfair total picture maximum \
        jerky rescue
        """
    private static let headCount = "cleanup penalty academic acid ".utf8.count

    private static func hidden(_ text: String) -> SecureBytes {
        Hidden.text(String(text.prefix(headCount)), String(text.dropFirst(headCount)))
    }

    private static func words() throws {
        let words = try hidden(text).withBytes { (text) throws(ShareError) in try ShareWords(parsing: text) }
        let share = try Share(words)
        try expect(share.words.text().shown().text == text, "the same words")
    }

    private static func refused() throws {
        for (wrong, error) in [
            (text.replacing("visitor", with: "victim"), ShareError.checksum(.word(number: 6))),
            (text.replacing("soul peaceful", with: "peaceful soul"), .checksum(.swapped(number: 18))),
            (text.replacing("soul", with: "none"), .unknownWord(number: 18)),
        ] {
            let found: ShareError? = hidden(wrong).withBytes { text in
                do throws(ShareError) {
                    _ = try Share(ShareWords(parsing: text))
                    return nil
                } catch {
                    return error
                }
            }
            try expect(found == error, "\(error), not \(found as Any)")
        }
    }
}
