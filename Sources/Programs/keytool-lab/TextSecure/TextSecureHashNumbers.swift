import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import TextSecure

struct TextSecureHashNumbers: Verb {
    static let configuration = CommandConfiguration(
        commandName: "hash-numbers", abstract: "Compute the tokens by which a server finds phone numbers.",
        discussion: """
            Prints a token and its number on each line. No key goes into a token: anyone who sees it finds the number \
            by trying all of them. keytool-lab textsecure match-tokens joins the server's answer to the numbers.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file with a number on each line, or - for stdin.", completion: .file())
    var file: String

    @Flag(help: "Print the bodies of the requests instead: JSON, one for 1000 tokens on each line.")
    var bodies = false

    func run(_ session: Session) throws {
        let numbers = try TextSecureNumbers.read(file)
        let discovery = ContactDiscovery(numbers)
        let requests = try discovery.batches.map(Self.body)
        var seen: Set<AccountNumber> = []
        let tokens = numbers.filter { seen.insert($0).inserted }.map { (DirectoryToken($0).text, $0.text) }
        let shown = tokens.map { JSONValue.members([("token", .string($0)), ("number", .string($1))]) }
        session.output.warn(TextSecureNumbers.warning)
        try session.output.data(
            bodies ? requests.map { String(decoding: $0.encoded, as: UTF8.self) } : tokens.map { "\($0)  \($1)" },
            json: TextSecureMessenger.result(
                "hash-numbers",
                [("sent", false), ("tokens", .array(shown)), ("bodies", .array(requests))]))
    }

    /// The body of the request for one batch.
    private static func body(_ batch: [DirectoryToken]) throws -> JSONValue {
        let request = try ServerRequest<[DirectoryEntry]>.contacts(batch)
        switch request.body {
        case .some(let body): return try JSONScanner.parse(body.revealBytes().span)
        case .none: return .null
        }
    }
}
