import ArgumentParser
import CommandLine
import Console
import Encodings
import MessengerKeeping
import SecureMemory
import TextSecure

struct TextSecureSealPush: Verb {
    static let configuration = CommandConfiguration(
        commandName: "seal-push", abstract: "Encrypt an envelope as the server does that pushes it to a device.",
        discussion: """
            For tests of clients. The file has the bytes of an IncomingPushMessageSignal. The payload protects the way \
            from the server to the device only: a message in plain text is one for the server.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The file with the envelope, or - for stdin.", completion: .file())
    var file: String

    @OptionGroup var named: AccountArgument<TextSecureMessenger>

    @OptionGroup var written: DocumentOptions

    @Flag(name: .customLong("base64"), help: "Write Base64 without padding, as push services take it.")
    var isText = false

    @OptionGroup var keystore: KeystoreOptions

    func run(_ session: Session) throws {
        let target = try written.target(outside: session.reserved)
        let content = try InputFile(operand: file).readGuarded(
            .bytes, limit: PushPayload.maxCount - PushPayload.minCount)
        let shown = ShownSignal(
            try content.withBytes { (content) throws(ContentError) in try IncomingPushSignal(parsing: content) })
        let (keeper, number) = try session.open(named, keystore)
        let account = try keeper.account(number, at: WallClock.now())
        let payload = content.withBytes { PushPayload.seal($0, key: account.signalingKey) }
        let document = isText ? Array((PushPayload.text(payload) + "\n").utf8) : payload
        try target.write(document.span) { path in
            try session.output.done(
                ["wrote a payload of \(ByteCount.text(payload.count)) to \(path)", "account       \(account.number)"]
                    + shown.lines,
                json: TextSecureMessenger.result(
                    "seal-push",
                    [
                        ("file", .string(path)), ("payload_bytes", .number(payload.count)),
                        ("number", .string(account.number.text)),
                    ] + shown.members))
        }
        shown.sayWarnings(session.output)
    }
}
