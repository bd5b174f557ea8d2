import SecureMemory
import Shares

/// Shares a line among five people, of whom any three get it back.
///
///     echo 'A LINE OF AN EVEN NUMBER OF BYTES, 16 OR MORE' | share-secret
@main
struct ShareSecret {
    static func main() throws {
        let line = SecureBytes(copying: Array((readLine() ?? "").utf8).span)
        let texts = try split(line)
        print("\(texts.count) shares")
        let joined = try join([texts[4], texts[0], texts[2]])
        print(joined.isSame(as: line) ? "Three join to the same line." : "Three join to another line.")
        // Two words that changed places.
        var words = texts[1].split(separator: " ")
        words.swapAt(10, 11)
        print(try problem(in: words.joined(separator: " ")))
    }

    /// - Returns: the words of each share. A program that keeps them secret leaves them in guarded memory.
    static func split(_ secret: borrowing SecureBytes) throws -> [String] {
        let plan = try SharePlan(threshold: 3, count: 5)
        return try plan.split(secret)[0].map { share in
            share.words.text().withBytes { text in String(text.indices.map { Character(Unicode.Scalar(text[$0])) }) }
        }
    }

    static func join(_ texts: [String]) throws -> SecureBytes {
        var collection = ShareCollection()
        for text in texts {
            let bytes = Array(text.utf8)
            let words = try ShareWords(parsing: bytes.span)
            guard try collection.add(Share(words)) else { continue }
        }
        for group in collection.progress where group.missing > 0 {
            print("group \(group.group + 1) needs \(group.missing) more")
        }
        return try collection.join()
    }

    static func problem(in text: String) throws -> String {
        let bytes = Array(text.utf8)
        let words = try ShareWords(parsing: bytes.span)
        do {
            let share = try Share(words)
            return "share \(share.index + 1), \(share.threshold) needed"
        } catch .checksum(.word(let number)) {
            return "word \(number) is probably wrong"
        } catch .checksum(.swapped(let number)) {
            return "words \(number) and \(number + 1) are probably swapped"
        }
    }
}

extension SecureBytes {
    borrowing func isSame(as other: borrowing SecureBytes) -> Bool {
        withBytes { bytes in other.withBytes { ConstantTime.areEqual(bytes, $0) } }
    }
}
