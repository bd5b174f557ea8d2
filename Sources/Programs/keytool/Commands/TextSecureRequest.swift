import ArgumentParser
import Console
import Encodings
import Ratchet
import SecureMemory
import TextSecure

struct TextSecureRequest: Verb {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Write a request to the server as JSON, for another HTTP client.",
        discussion: """
            Nothing is sent. The JSON has method, url, headers and body. It contains the password, and that of \
            confirm-code the signaling key, so it goes to a file (0600) or a pipe, never to a terminal.
            """)

    /// The requests of a client that sends no messages.
    enum Name: String, ExpressibleByArgument, CaseIterable {
        case requestCode = "request-code"
        case confirmCode = "confirm-code"
        case registerPush = "register-push"
        case uploadKeys = "upload-keys"
        case fetchKeys = "fetch-keys"
        case newAttachment = "new-attachment"
        case attachment
    }

    @ParentCommand var noun: TextSecureCommand
    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The request.", valueName: "request"))
    var name: Name

    @OptionGroup var named: TextSecureAccountArgument

    @OptionGroup var written: DocumentOptions

    @Option(help: ArgumentHelp("The address of the server, if the account has none.", valueName: "url"))
    var server: TextSecureServer?

    @Flag(help: "request-code: have the code read out by telephone, not sent by SMS.")
    var voice = false

    @Option(help: ArgumentHelp("confirm-code: the code that has come.", valueName: "digits"))
    var code: String?

    @Option(help: ArgumentHelp("register-push: the device's ID at Google's push service.", valueName: "token"))
    var gcm: String?

    @Option(help: ArgumentHelp("register-push: the device's ID at Apple's push service.", valueName: "token"))
    var apn: String?

    @Option(
        help: ArgumentHelp("fetch-keys: the number of the contact.", valueName: "phone-number"), completion: .list([]))
    var of: AccountNumber?

    @Option(help: ArgumentHelp("fetch-keys: the contact's server in a federation.", valueName: "name"))
    var relay: String?

    @Option(help: ArgumentHelp("attachment: its ID.", valueName: "attachment-id"))
    var attachment: UInt64?

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        let given: [(option: String, name: Name, isGiven: Bool)] = [
            ("--voice", .requestCode, voice), ("--code", .confirmCode, code != nil),
            ("--gcm", .registerPush, gcm != nil), ("--apn", .registerPush, apn != nil),
            ("--of", .fetchKeys, of != nil), ("--relay", .fetchKeys, relay != nil),
            ("--attachment", .attachment, attachment != nil),
        ]
        if let wrong = given.first(where: { $0.isGiven && $0.name != name }) {
            throw ValidationError("\(wrong.option) belongs to \(wrong.name.rawValue)")
        }
        switch name {
        case .confirmCode where code == nil: throw ValidationError("confirm-code needs --code")
        case .registerPush where (gcm == nil) == (apn == nil):
            throw ValidationError("register-push needs --gcm or --apn")
        case .fetchKeys where of == nil: throw ValidationError("fetch-keys needs --of")
        case .attachment where attachment == nil: throw ValidationError("attachment needs --attachment")
        default: break
        }
    }

    func run(_ session: Session) throws {
        let target = try written.target(outside: session.reserved)
        let account = try named.account(in: session.textSecure(keystore.passphrase))
        guard let address = server?.address ?? account.server.flatMap({ TextSecureServer(argument: $0)?.address })
        else {
            throw UsageFailure(
                "the account \(account.number) has no server that a login may be sent to", hint: "--server https://…")
        }
        let request = try request(of: account, at: address)
        let number = account.number
        try request.document.withBytes { document in
            try target.write(document) {
                guard let path = target.path else { return }
                try session.output.done(
                    ["wrote \(request.method) \(request.url) to \(path)"],
                    json: .textSecure(
                        "request",
                        [
                            ("number", .string(number.text)), ("request", .string(name.rawValue)),
                            ("method", .string(request.method)), ("url", .string(request.url)),
                            ("file", .string(path)),
                        ]))
            }
        }
    }

    private func request(of account: borrowing TextSecureAccount, at address: String) throws -> WrittenRequest {
        switch name {
        case .requestCode:
            WrittenRequest(ServerQuestion<Void>.code(for: account.number, by: voice ? .voice : .sms), account, address)
        case .confirmCode:
            WrittenRequest(
                try ServerQuestion<Void>.confirm(
                    code: code!, signalingKey: account.signalingKey, registrationID: account.registrationID),
                account, address)
        case .registerPush:
            WrittenRequest(
                try ServerQuestion<Void>.register(gcm ?? apn!, at: gcm != nil ? .gcm : .apn), account, address)
        case .uploadKeys: WrittenRequest(try ServerQuestion<Void>.uploadKeys(of: account), account, address)
        case .fetchKeys:
            WrittenRequest(try ServerQuestion<ContactKeys>.keys(of: of!, relay: relay), account, address)
        case .newAttachment: WrittenRequest(ServerQuestion<AttachmentPlace>.attachmentPlace(), account, address)
        case .attachment:
            WrittenRequest(ServerQuestion<AttachmentLocation>.attachment(attachment!), account, address)
        }
    }
}

/// A request as it is written.
private struct WrittenRequest: ~Copyable {
    let method: String
    let url: String
    let document: SecureBytes

    init<Answer>(
        _ question: borrowing ServerQuestion<Answer>, _ account: borrowing TextSecureAccount, _ address: String
    ) {
        method = question.request.method.rawValue
        url = address + question.request.path
        document = account.document(of: question.request, at: address)
    }
}
