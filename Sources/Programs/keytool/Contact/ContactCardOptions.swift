import ArgumentParser
import Console
import Encodings
import Glibc
import Threema
import ThreemaKeeping
import ThreemaSafe

/// Where a contact's ID and key come from: an operand, stdin or a picture of a QR code.
struct ContactCardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read the code from a photo or screenshot of its QR code. Needs zbarimg.", valueName: "file"),
        completion: .file())
    var qrImage: String?

    /// Longest text that is read, in bytes.
    private static let maxBytes = 4096

    /// The code in the picture, in an operand, or on stdin.
    /// - Parameter operand: `3mid:…`, or `-` for stdin; nil if none was given.
    func code(_ operand: String?) throws -> ContactCode {
        if let qrImage {
            guard operand == nil else { throw UsageFailure("--qr-image and a code cannot be combined") }
            return try CodePicture(qrImage).contactCode()
        }
        guard let operand, operand != "-" else {
            guard operand == "-" || isatty(STDIN_FILENO) == 0 else {
                throw UsageFailure(
                    "no contact was given", hint: "give a 3mid: code, pass it on stdin, or use --qr-image FILE")
            }
            return try Self.parse(InputFile.standardInput.read(limit: Self.maxBytes))
        }
        return try Self.parse(operand)
    }

    /// Whether the code comes from stdin.
    func takesStandardInput(_ operand: String?) -> Bool {
        qrImage == nil && (operand == "-" || operand == nil && isatty(STDIN_FILENO) == 0)
    }

    /// Blanks and line ends around a code are accepted.
    private static func parse(_ text: String) throws -> ContactCode {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
        let bytes = Array(text.utf8)
        let start = bytes.firstIndex { !blanks.contains($0) } ?? bytes.endIndex
        let end = bytes.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? start
        do {
            return try ContactCode(parsing: String(decoding: bytes[start..<end], as: UTF8.self))
        } catch {
            throw Failure(
                .badData, "this is not a contact's code",
                hints: "it begins with 3mid: and has an ID and 64 hexadecimal characters")
        }
    }
}
