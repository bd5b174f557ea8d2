import ArgumentParser
import Console
import Encodings
import SecureMemory
import Threema

struct RevokeHash: Verb {
    static let configuration = CommandConfiguration(
        commandName: "hash", abstract: "Print the key that the directory keeps of a revocation password.",
        discussion: "It is the first four bytes of the password's SHA-256. Nothing is sent or stored.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case base64, hex
    }

    @ParentCommand var noun: RevokeCommand
    @OptionGroup var globals: GlobalOptions

    @Option(help: "How to print it.")
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
