import Console
import SecureMemory
import Shares

extension Share {
    /// Longest file in bytes.
    private static let maxFileBytes = 16 * 1024

    /// Reads the words of a share from a file.
    /// - Parameter path: `-` for stdin.
    /// - Throws: `Failure` that names the file; `InputError`.
    init(file path: String, _ output: Output) throws {
        let file = InputFile(operand: path)
        let text = try file.readGuarded(.text, limit: Self.maxFileBytes, warning: output)
        let isPDF = text.withBytes { $0.extracting(0..<min(5, $0.count)).revealBytes() == Array("%PDF-".utf8) }
        guard !isPDF else {
            throw Failure(
                .badData, "\(path) is a page to print, and keytool does not read the words from it",
                hints: "leave the file out, and type the words of the page")
        }
        do throws(ShareError) {
            let words = try text.withBytes { (text) throws(ShareError) in try ShareWords(parsing: text) }
            guard !ShareEntry.areSeveral(words.count) else { throw .length(words: words.count) }
            self = try Share(words)
        } catch {
            throw path == "-" ? error.failure : error.failure(of: path)
        }
    }
}
