import Console
import SecureMemory
import Shares

extension ControllingTerminal {
    /// Asks for the words of a share, one by one; several in a line are taken, too. What is wrong is asked for again, and
    /// the rest stays.
    /// - Parameter title: names the share in each question, like `Share 2`.
    /// - Returns: nil if nothing was typed.
    /// - Throws: `ShareError` at the end of input; `SecretError.tooLong`.
    func askShare(_ title: String) throws -> Share? {
        var entry = ShareEntry()
        while true {
            while let number = entry.next {
                let question = "\(title), word \(number)\(entry.isAgain ? " again" : ""): "
                guard let line = try askShown(question) else {
                    if entry.isEmpty { return nil }
                    throw Failure(.badData, "the share is not complete: word \(number) is missing")
                }
                if line.count == 0, entry.isEmpty { return nil }
                if line.withBytes({ Self.isDash($0) }) {
                    entry.back()
                } else if let problem = line.withBytes({ entry.take($0) }) {
                    Output.word("error", problem.words)
                    dropPending()
                }
            }
            do throws(ShareError) {
                return try entry.share()
            } catch {
                Output.word("error", error.failure.message)
                guard case .checksum(let fault) = error else { throw error }
                switch fault {
                case .word(let number): entry.doubt([number])
                case .swapped(let number): entry.doubt([number, number + 1])
                case .several: entry.doubt(try askWrongWords())
                }
            }
        }
    }

    private static func isDash(_ line: Span<UInt8>) -> Bool { line.count == 1 && line[0] == UInt8(ascii: "-") }

    private func askWrongWords() throws -> [Int] {
        Output.word("hint", "compare the words row by row with the page")
        while true {
            guard let answer = try askText("Numbers of the wrong words (Enter for all of them): ") else {
                throw ShareError.checksum(.several)
            }
            let parts = answer.split { $0.isWhitespace || $0 == "," }
            if parts.isEmpty { return Array(1...ShareEntry.wordCount) }
            let numbers = parts.compactMap { Int($0) }.filter { (1...ShareEntry.wordCount).contains($0) }
            if numbers.count == parts.count { return numbers }
            Output.word("error", "type numbers from 1 to \(ShareEntry.wordCount)")
        }
    }
}

extension ShareEntry.Problem {
    fileprivate var words: String {
        switch self {
        case .unknown(let number): ShareError.unknownWord(number: number).failure.message
        case .tooMany: "a share has \(ShareEntry.wordCount) words; the rest of the line was not taken"
        }
    }
}
