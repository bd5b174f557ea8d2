import ArgumentParser
import CommandLine
import Console
import Encodings
import HTTP
import MessengerKeeping
import SecureMemory
import TextSecure

struct TextSecureRequest: Verb {
    static let configuration = CommandConfiguration(
        commandName: "request", abstract: "Write a request to the server as JSON, for another HTTP client.",
        discussion: """
            Nothing is sent. The JSON has method, url, headers and body. It contains the password, and that of \
            confirm-code the signaling key, so it goes to a file (0600) or a pipe, never to a terminal. That of \
            upload-blob has no body: send the file that seal-attachment has written.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: ArgumentHelp("The request.", valueName: "request"))
    var name: TextSecureRequestName

    @OptionGroup var named: AccountArgument<TextSecureMessenger>

    @OptionGroup var written: DocumentOptions

    @Option(help: ArgumentHelp("The address of the server, if the account has none.", valueName: "url"))
    var server: TextSecureServer?

    @OptionGroup var parameters: TextSecureRequestOptions

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws { try parameters.check(name) }

    func run(_ session: Session) throws {
        let target = try written.target(outside: session.reserved)
        let parts = try parameters.parts(of: name)
        if name == .findContacts { session.output.warn(TextSecureNumbers.warning) }
        let (keeper, number) = try session.open(named, keystore)
        let account = try keeper.account(number, at: WallClock.now())
        let address = server?.address ?? account.server.flatMap { TextSecureServer(argument: $0)?.address }
        guard address != nil || parameters.location != nil else {
            throw UsageFailure(
                "the account \(account.number) has no server that a login may be sent to", hint: "--server https://…")
        }
        // Not used for the URL of a blob, which is one of its own.
        let request = try request(of: account, at: address ?? "", parts)
        try request.document.withBytes { document in
            try target.write(document) { path in
                try session.output.done(
                    ["wrote \(request.method) \(request.url) to \(path)"],
                    json: TextSecureMessenger.result(
                        "request",
                        [
                            ("number", .string(number.text)), ("request", .string(name.rawValue)),
                            ("method", .string(request.method)), ("url", .string(request.url)),
                            ("file", .string(path)),
                        ]))
            }
        }
    }

    private func request(
        of account: borrowing TextSecureAccount, at address: String, _ parts: TextSecureRequestParts
    ) throws -> WrittenRequest {
        switch parts {
        case .code(let transport):
            WrittenRequest(ServerRequest<Void>.code(for: account.number, by: transport), account, address)
        case .confirm(let code):
            WrittenRequest(
                try ServerRequest<Void>.confirm(
                    code: code, signalingKey: account.signalingKey, registrationID: account.registrationID),
                account, address)
        case .push(let service, let id):
            WrittenRequest(try ServerRequest<Void>.register(id, at: service), account, address)
        case .keys: WrittenRequest(try ServerRequest<Void>.uploadKeys(of: account), account, address)
        case .keysOf(let number, let relay):
            WrittenRequest(try ServerRequest<ContactKeys>.keys(of: number, relay: relay), account, address)
        case .contacts(let tokens):
            WrittenRequest(try ServerRequest<[DirectoryEntry]>.contacts(tokens), account, address)
        case .message(let message): WrittenRequest(try ServerRequest<SendingResult>.send([message]), account, address)
        case .attachmentPlace: WrittenRequest(ServerRequest<AttachmentPlace>.attachmentPlace(), account, address)
        case .attachment(let id):
            WrittenRequest(ServerRequest<AttachmentLocation>.attachment(id), account, address)
        case .upload(let location): WrittenRequest(ServerRequest<Void>.upload([], to: location), account, address)
        case .download(let location): WrittenRequest(ServerRequest<[UInt8]>.download(location), account, address)
        }
    }
}

/// A request as it is written.
private struct WrittenRequest: ~Copyable {
    let method: String
    let url: String
    let document: SecureBytes

    init<Answer>(
        _ request: borrowing ServerRequest<Answer>, _ account: borrowing TextSecureAccount, _ address: String
    ) {
        method = request.method.rawValue
        url = request.url(at: address)
        document = account.document(of: request, at: address)
    }
}
