public import ArgumentParser
import CommandLine
import Console
import Encodings
public import TextSecure

extension AttachmentLocation: ExpressibleByArgument {
    /// A URL, `https://…`.
    public init?(argument: String) { self.init(argument) }
}

/// The requests of a client.
enum TextSecureRequestName: String, ExpressibleByArgument, CaseIterable {
    case requestCode = "request-code"
    case confirmCode = "confirm-code"
    case registerPush = "register-push"
    case uploadKeys = "upload-keys"
    case fetchKeys = "fetch-keys"
    case findContacts = "find-contacts"
    case sendMessage = "send-message"
    case newAttachment = "new-attachment"
    case attachment
    case uploadBlob = "upload-blob"
    case downloadBlob = "download-blob"
}

/// What a request is made of, beside the account.
enum TextSecureRequestParts {
    case code(CodeTransport)
    case confirm(code: String)
    case push(PushService, id: String)
    case keys
    case keysOf(AccountNumber, relay: String?)
    case contacts([DirectoryToken])
    case message(AddressedMessage)
    case attachmentPlace
    case attachment(UInt64)
    case upload(AttachmentLocation)
    case download(AttachmentLocation)
}

/// The options that belong to some requests.
struct TextSecureRequestOptions: ParsableArguments {
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

    @Option(
        help: ArgumentHelp(
            "fetch-keys, send-message: the contact's server in a federation.", valueName: "name"))
    var relay: String?

    @Option(
        help: ArgumentHelp(
            "find-contacts: a file with a number on each line, up to 1000, or - for stdin.", valueName: "file"),
        completion: .file())
    var numbers: String?

    @Option(
        help: ArgumentHelp("send-message: the number of the receiver.", valueName: "phone-number"),
        completion: .list([]))
    var to: AccountNumber?

    @Option(
        help: ArgumentHelp("send-message: a file with the encrypted message, or - for stdin.", valueName: "file"),
        completion: .file())
    var message: String?

    @Flag(help: "send-message: it is the first one of a session, type 3, not 1.")
    var first = false

    @Option(help: ArgumentHelp("attachment: its ID.", valueName: "attachment-id"))
    var attachment: UInt64?

    @Option(
        help: ArgumentHelp(
            "upload-blob, download-blob: what the server has named as the attachment's location.", valueName: "url"),
        completion: .list([]))
    var location: AttachmentLocation?

    /// - Throws: `ValidationError` for an option of another request, or if one is missing.
    func check(_ name: TextSecureRequestName) throws {
        let given: [(option: String, names: [TextSecureRequestName], isGiven: Bool)] = [
            ("--voice", [.requestCode], voice), ("--code", [.confirmCode], code != nil),
            ("--gcm", [.registerPush], gcm != nil), ("--apn", [.registerPush], apn != nil),
            ("--of", [.fetchKeys], of != nil), ("--relay", [.fetchKeys, .sendMessage], relay != nil),
            ("--numbers", [.findContacts], numbers != nil), ("--to", [.sendMessage], to != nil),
            ("--message", [.sendMessage], message != nil), ("--first", [.sendMessage], first),
            ("--attachment", [.attachment], attachment != nil),
            ("--location", [.uploadBlob, .downloadBlob], location != nil),
        ]
        if let wrong = given.first(where: { $0.isGiven && !$0.names.contains(name) }) {
            throw ValidationError(
                "\(wrong.option) belongs to \(wrong.names.map(\.rawValue).joined(separator: " and "))")
        }
        switch name {
        case .confirmCode where code == nil: throw ValidationError("confirm-code needs --code")
        case .registerPush where (gcm == nil) == (apn == nil):
            throw ValidationError("register-push needs --gcm or --apn")
        case .fetchKeys where of == nil: throw ValidationError("fetch-keys needs --of")
        case .findContacts where numbers == nil: throw ValidationError("find-contacts needs --numbers")
        case .sendMessage where to == nil || message == nil:
            throw ValidationError("send-message needs --to and --message")
        case .attachment where attachment == nil: throw ValidationError("attachment needs --attachment")
        case .uploadBlob where location == nil, .downloadBlob where location == nil:
            throw ValidationError("\(name.rawValue) needs --location")
        default: break
        }
    }

    /// Reads the files that the options name.
    /// - Throws: `InputError`; `TextSecureMessageError`.
    func parts(of name: TextSecureRequestName) throws -> TextSecureRequestParts {
        switch name {
        case .requestCode: .code(voice ? .voice : .sms)
        case .confirmCode: .confirm(code: code!)
        case .registerPush: .push(gcm != nil ? .gcm : .apn, id: gcm ?? apn!)
        case .uploadKeys: .keys
        case .fetchKeys: .keysOf(of!, relay: relay)
        case .findContacts: .contacts(try tokens(numbers!))
        case .sendMessage: .message(try addressed(message!))
        case .newAttachment: .attachmentPlace
        case .attachment: .attachment(attachment!)
        case .uploadBlob: .upload(location!)
        case .downloadBlob: .download(location!)
        }
    }

    private func tokens(_ path: String) throws -> [DirectoryToken] {
        let batches = ContactDiscovery(try TextSecureNumbers.read(path)).batches
        guard batches.count == 1 else {
            throw TextSecureMessageError.tooManyNumbers(limit: ContactDiscovery.maxTokens)
        }
        return batches[0]
    }

    private func addressed(_ path: String) throws -> AddressedMessage {
        let input = InputFile(operand: path)
        return AddressedMessage(
            to: to!, relay: relay, type: first ? 3 : 1, timestamp: WallClock.now(),
            body: try input.readBytes(.bytes, limit: AddressedMessage.maxBodyCount))
    }
}
