import ArgumentParser
import CommandLine
import Console
import Encodings
import HTTP
import TextSecure

struct TextSecureMatchTokens: Verb {
    static let configuration = CommandConfiguration(
        commandName: "match-tokens", abstract: "Join a server's answer about tokens to the phone numbers.",
        discussion: """
            The answer is that to one request of keytool-lab textsecure hash-numbers. Prints the numbers that have an \
            account. Tokens of other numbers are ignored.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file with the answer, JSON, or - for stdin.", completion: .file())
    var answer: String

    @Option(
        help: ArgumentHelp("The file with a number on each line, or - for stdin.", valueName: "file"),
        completion: .file())
    var numbers: String

    /// Longest answer in bytes, as for a request.
    private static let maxBytes = 1024 * 1024

    func run(_ session: Session) throws {
        guard answer != "-" || numbers != "-" else { throw StandardInput.isTwoThings }
        let numbers = try TextSecureNumbers.read(numbers)
        let answer = try InputFile(operand: answer).readBytes(.text, limit: Self.maxBytes)
        let entries: [DirectoryEntry]
        do throws(ServerError) {
            entries = try ServerRequest<[DirectoryEntry]>.contacts([]).answer(HTTPResponse(status: 200, body: answer))
        } catch {
            throw TextSecureMessageError.malformedAnswer
        }
        let found = ContactDiscovery(numbers).match(entries)
        try session.output.data(
            found.map(\.line),
            json: TextSecureMessenger.result(
                "match-tokens",
                [
                    ("numbers", .number(Set(numbers).count)), ("entries", .number(entries.count)),
                    ("matches", .array(found.map(\.json))),
                ]))
        if found.isEmpty { session.output.note("none of the numbers has an account in this answer") }
    }
}

extension FoundContact {
    fileprivate var line: String {
        "\(number)" + (relay.map { "  relay \($0.printable)" } ?? "") + (supportsSMS ? "  also by SMS" : "")
    }

    fileprivate var json: JSONValue {
        .members([
            ("number", .string(number.text)), ("relay", relay.map { .string($0) }),
            ("supports_sms", .bool(supportsSMS)),
        ])
    }
}
