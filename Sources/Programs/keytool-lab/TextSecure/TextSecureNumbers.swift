import Console
import TextSecure

/// The phone numbers in a file, one on each line. Blank lines, and lines that begin with `#`, are skipped.
enum TextSecureNumbers {
    /// What has to be said before tokens of numbers leave.
    static let warning =
        "tokens do not hide numbers: a server, or anyone who sees them, finds the numbers by trying all of them"

    /// Longest file in bytes.
    private static let maxBytes = 1024 * 1024

    /// - Parameter path: `-` for stdin.
    /// - Returns: one number or more, in the order of the lines.
    /// - Throws: `InputError`, also for a file without a number; `TextSecureMessageError.malformedNumber`.
    static func read(_ path: String) throws -> [AccountNumber] {
        let text = try InputFile(operand: path).read(limit: maxBytes)
        var numbers: [AccountNumber] = []
        // The newline of "\r\n" is a part of one Character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = trimmed(line)
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            guard let number = AccountNumber(String(decoding: line, as: UTF8.self)) else {
                throw TextSecureMessageError.malformedNumber(line: index + 1)
            }
            numbers.append(number)
        }
        guard !numbers.isEmpty else { throw InputError.empty }
        return numbers
    }

    private static func trimmed(_ line: Substring.UTF8View) -> Substring.UTF8View {
        let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0d].contains($0) }
        var line = line.drop(while: isBlank)
        while let last = line.last, isBlank(last) { line.removeLast() }
        return line
    }
}
