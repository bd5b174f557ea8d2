import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import Ratchet
import SecureMemory
import TextSecure

struct TextSecureOpenPush: Verb {
    static let configuration = CommandConfiguration(
        commandName: "open-push", abstract: "Open what the server has pushed to a device, with the signaling key.",
        discussion: """
            Reads a payload in Base64, as bytes, or as the JSON that Apple's push service delivers, and shows its envelope: \
            type, sender, receivers, time. A message that its sender has encrypted stays so; one in plain text is shown, and its attachments without their keys.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file with the payload, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var named: AccountArgument<TextSecureMessenger>

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the message to a new file (0600), or - for stdout.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let target = try output.map { try DocumentTarget($0, mayReplace: force, outside: session.reserved) }
        let payload = try Self.payload(try InputFile(operand: file).readBytes(.bytes, limit: 2 * PushPayload.maxCount))
        let (keeper, number) = try session.open(named, keystore)
        let account = try keeper.account(number, at: WallClock.now())
        let content = try PushPayload.open(payload.span, key: account.signalingKey)
        let signal = try content.withBytes { (content) throws(ContentError) in
            try IncomingPushSignal(parsing: content)
        }
        let shown = ShownSignal(signal)
        let done = {
            try session.output.data(
                ["account       \(account.number)"] + shown.lines
                    + (target?.path.map { ["wrote the message to \($0)"] } ?? []),
                json: TextSecureMessenger.result(
                    "open-push",
                    [("number", .string(account.number.text))] + shown.members
                        + [("file", target?.path.map { .string($0) })]))
        }
        if let target {
            guard let message = signal.message else { throw TextSecureMessageError.noMessage }
            // Stdout has the message, and nothing else.
            try message.bytes.withBytes { bytes in
                try target.write(bytes) { _ in try done() }
            }
        } else {
            try done()
        }
        shown.sayWarnings(session.output)
    }

    /// A payload from a file: its first byte is 01, which no text begins with, or it is Base64, or JSON with it.
    /// - Throws: `TextSecureMessageError.notBase64` for other text. Other bytes are left to `PushPayload.open`.
    private static func payload(_ content: [UInt8]) throws -> [UInt8] {
        guard content.first != PushPayload.version, let text = String(validating: content, as: UTF8.self) else {
            return content
        }
        if let payload = PushPayload.payload(text: text) { return payload }
        guard content.contains(where: { $0 < 0x20 && ![0x09, 0x0a, 0x0d].contains($0) }) else {
            throw TextSecureMessageError.notBase64
        }
        return content
    }
}
