import ArgumentParser
import CommandLine
import Console
import Encodings
import Threema
import ThreemaDirectory
import ThreemaKeeping

struct IDLink: Verb {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Link an e-mail address or a phone number to an identity at the directory.",
        discussion: """
            People who have the address can then find the ID. An e-mail address is linked by the link in the e-mail that \
            the directory sends. A phone number is linked by the code in a text message: keytool id link mobile --code CODE. \
            With --call, the directory calls the number and says the code. Without an address, the linked addresses are \
            shown. Linked addresses are noted in the profile, and so in the Safe backup.
            """)

    /// What kind of address.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case email, mobile
    }

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "What is linked: email or mobile.")
    var kind: Kind?

    @Argument(help: ArgumentHelp("The e-mail address, or the phone number with its country: +41…", valueName: "value"))
    var value: String?

    @Option(help: ArgumentHelp("Link the phone number with this code from the text message.", valueName: "code"))
    var code: String?

    @Flag(help: "Have the directory call the phone number that waits for its code, and say it.")
    var call = false

    @Flag(help: "Remove the link.")
    var remove = false

    @Option(help: ArgumentHelp("The language of the message, two letters.", valueName: "language"))
    var language = "en"

    @OptionGroup var named: IdentityOption

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard [value != nil, code != nil, call, remove].filter({ $0 }).count <= 1 else {
            throw ValidationError("an address, --code, --call and --remove cannot be combined")
        }
        guard !call || kind == .mobile else { throw ValidationError("--call is for mobile") }
        guard kind != nil || !remove else { throw ValidationError("--remove requires email or mobile") }
        guard code == nil || kind == .mobile else {
            throw ValidationError("--code is for mobile; an e-mail address is linked by the link in the e-mail")
        }
        guard code.map({ (1...64).contains($0.utf8.count) }) ?? true else {
            throw ValidationError("a code has 1 to 64 characters")
        }
        guard language.utf8.count == 2, language.utf8.allSatisfy({ (0x61...0x7a).contains($0) }) else {
            throw ValidationError("--language takes two letters, for example en")
        }
    }

    func run(_ session: Session) throws {
        let email = try kind == .email ? value.map(EmailAddress.init(typed:)) : nil
        let number = try kind == .mobile ? value.map(PhoneNumber.init(typed:)) : nil
        let at = try DirectorySession(named.identity, directory, keystore.passphrase, session)
        guard let kind, remove || call || code != nil || value != nil else { return try show(at, session) }
        if remove { return try unlink(kind, at, session) }
        let (result, address) = try session.output.busy("asking the directory") { () -> (LinkWord, String) in
            if let email {
                return (LinkWord(try at.work.link(email, to: at.id, language: language, at: at.server)), email.text)
            }
            if let number {
                return (LinkWord(try at.work.link(number, to: at.id, language: language, at: at.server)), number.text)
            }
            if call { return (.called, try at.work.call(of: at.id, at: at.server).text) }
            return (.linked, try at.work.verify(code: code ?? "", of: at.id, at: at.server).text)
        }
        try report(result, [result.sentence(address, at.id)], kind, at, address, session)
        result.hint(at.id).map(session.output.hint)
    }

    private func report(
        _ result: LinkWord, _ lines: [String], _ kind: Kind, _ at: DirectorySession, _ address: String?,
        _ session: Session
    ) throws {
        try session.output.done(
            lines,
            json: .result(
                "id link",
                [
                    ("id", .string(at.id.text)), ("kind", .string(kind.rawValue)),
                    ("address", address.map { .string($0) }), ("result", .string(result.rawValue)),
                ]))
    }

    private func unlink(_ kind: Kind, _ at: DirectorySession, _ session: Session) throws {
        let unlinked = try session.output.busy("asking the directory") {
            switch kind {
            case .email: try at.work.unlinkEmail(of: at.id, language: language, at: at.server)
            case .mobile: try at.work.unlinkMobile(of: at.id, language: language, at: at.server)
            }
        }
        let address = kind == .email ? unlinked.address?.text : unlinked.address?.number
        let none = kind == .email ? "no e-mail address" : "no phone number"
        let forgotten = unlinked.waiting.map { "\($0.text) no longer waits for its code" }
        let lines = [
            address.map { "\($0) is no longer linked to \(at.id)" } ?? "\(none) was linked to \(at.id)", forgotten,
        ]
        try report(.unlinked, lines.compactMap { $0 }, kind, at, address, session)
    }

    private func show(_ at: DirectorySession, _ session: Session) throws {
        let entry = try session.output.busy("asking the directory") { try at.work.ownEntry(of: at.id, at: at.server) }
        let waiting = try at.work.linkingNumber(of: at.id)
        var lines: [String] = []
        if kind != .mobile { lines.append("email   \(entry.email?.text ?? "not linked")") }
        if kind != .email {
            lines.append("mobile  \(entry.mobileNumber?.number ?? "not linked")")
            if let waiting { lines.append("        \(waiting.text) waits for its code") }
        }
        let mobile = entry.mobileNumber.map { JSONValue.string($0.number) } ?? .null
        try session.output.data(
            lines,
            json: .result(
                "id link",
                [
                    ("id", .string(at.id.text)), ("email", kind == .mobile ? .none : .some(entry.email.json)),
                    ("mobile", kind == .email ? .none : .some(mobile)),
                    ("waiting", kind == .email ? .none : waiting.map { .string($0.text) }),
                ]))
    }
}

/// What a command has reached, as in JSON.
private enum LinkWord: String {
    case mailSent = "mail_sent"
    case codeSent = "code_sent"
    case alreadyLinked = "already_linked"
    case called, linked, unlinked

    init(_ result: LinkResult) {
        switch result {
        case .alreadyLinked: self = .alreadyLinked
        case .mailSent: self = .mailSent
        case .codeSent: self = .codeSent
        case .unlinked: self = .unlinked
        }
    }

    func sentence(_ address: String, _ id: ThreemaID) -> String {
        switch self {
        case .mailSent: "the directory sends an e-mail to \(address)"
        case .codeSent: "the directory sends a code to \(address)"
        case .called: "the directory calls \(address) and says the code"
        case .alreadyLinked: "\(address) is linked to \(id) already"
        case .linked: "\(address) is linked to \(id)"
        case .unlinked: "\(address) is no longer linked to \(id)"
        }
    }

    func hint(_ id: ThreemaID) -> String? {
        switch self {
        case .mailSent:
            "follow the link in the e-mail; keytool id link then shows the address, and notes it in the profile"
        case .codeSent:
            "when it is here: keytool id link mobile --code CODE --identity \(id); if it does not come: "
                + "keytool id link mobile --call --identity \(id)"
        case .called: "keytool id link mobile --code CODE --identity \(id)"
        default: nil
        }
    }
}

extension Optional<ServerWords> {
    /// Null for nothing.
    fileprivate var json: JSONValue { map { .string($0.text) } ?? .null }
}

extension ServerWords {
    /// A phone number with a plus sign; as the directory wrote it if that is not one, for example with asterisks.
    fileprivate var number: String {
        let digits = text.hasPrefix("+") ? String(text.dropFirst()) : text
        return (try? PhoneNumber(digits: digits))?.text ?? text
    }
}
