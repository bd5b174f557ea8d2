import Console
import Encodings
import SecureMemory

/// What stands in a result for its secrets until they are written: text that nothing else contains.
struct SecretMarks {
    private let random = Random.bytes(16)

    /// Marks for one result.
    init() {}

    /// The mark of the secret with this number, from 0.
    subscript(number: Int) -> String { Hex.encode(random + [UInt8(number >> 8), UInt8(number & 0xff)]) }
}

extension Output {
    /// Prints a result with secrets in it, in Base64 or as words, even when quiet. They are put in where their marks stand, in guarded
    /// memory, from which they are written.
    /// - Parameters:
    ///   - lines: a line has one mark at most.
    ///   - secrets: how many there are; each has 256 bytes at most.
    ///   - reveal: appends a secret in Base64, or the words of a share.
    /// - Throws: `OutputError`.
    func reveal(
        _ lines: [String], json: @autoclosure () -> JSONValue, _ marks: SecretMarks, secrets: Int,
        _ reveal: (Int, inout SecureBuffer) -> Void
    ) throws {
        let printed = isJSON ? [String(decoding: json().encodedForOutput, as: UTF8.self)] : lines
        let text = printed.map { $0 + "\n" }.joined()
        var result = SecureBuffer(capacity: text.utf8.count + secrets * Base64.encodedCount(256))
        var rest = text[...]
        for number in 0..<secrets {
            guard let mark = rest.firstRange(of: marks[number]) else { continue }
            result.append(String(rest[..<mark.lowerBound]))
            reveal(number, &result)
            rest = rest[mark.upperBound...]
        }
        result.append(String(rest))
        // The last copies are still in vector registers, from which any call may save them to the stack. Copies of other
        // lengths use others.
        for count in [64, 128, 256, 512] {
            var blank = SecureBuffer(capacity: count)
            blank.append(SecureBytes(count: count) { _ in })
        }
        // Base64 computes its characters there.
        SpentStack.wipe()
        try result.withBytes { try Self.writeResult($0) }
    }
}
