import ArgumentParser
import CommandLine
import Console
import Encodings
import SecureMemory
import Threema

struct RevokeHash: Verb {
    static let configuration = CommandConfiguration(
        commandName: "hash", abstract: "Print the hash of a revocation password that the directory stores.",
        discussion: "It is the first four bytes of the password's SHA-256. Nothing is sent or stored.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case base64, hex
    }

    @OptionGroup var globals: GlobalOptions

    @Option(help: "The output format.")
    var format = Format.base64

    @OptionGroup(title: "Revocation password (at least 8 characters)")
    var password: SecretOptions<RevocationPassword>

    func run(_ session: Session) throws {
        let secret = try SecretAsker(password, session.dialog).create(
            .only, minimum: RevocationKey.minimumPasswordLength, weak: .accept)
        let key = secret.withBytes { RevocationKey(password: $0) }
        let text = format == .hex ? Hex.encode(key.bytes) : Base64.encode(key.bytes.span)
        try session.output.data([text], json: .result("revoke hash", [("key", .string(text))]))
    }
}
