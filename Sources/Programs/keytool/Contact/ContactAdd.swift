import ArgumentParser
import CommandLine
import Console
import Encodings
import ThreemaKeeping
import Threema

struct ContactAdd: Verb {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a contact by its QR code, or by ID and public key.",
        discussion: """
            A picture of a QR code gives level 3, because you have scanned it from the contact's screen. It is compared \
            with the identity's directory, if it has one: nothing is stored if the directory has another key (19), or \
            does not know the ID (10). A code as text and a typed key give level 1: keytool contact verify raises it.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(help: "The contact's ID, with its key after it; or its 3mid: code, - for stdin.")
    var contact: String?

    @Argument(help: ArgumentHelp("The contact's public key, 64 hexadecimal characters.", valueName: "hex"))
    var publicKey: TypedKey?

    @OptionGroup var card: ContactCardOptions

    @Option(help: ArgumentHelp("The contact's first name, also of one that is there.", valueName: "name"))
    var firstName: String?

    @Option(help: ArgumentHelp("The contact's last name, also of one that is there.", valueName: "name"))
    var lastName: String?

    @OptionGroup var named: IdentityOption

    @OptionGroup var comparison: CodeComparisonOptions

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard firstName?.hasControlCharacter != true, lastName?.hasControlCharacter != true else {
            throw ValidationError("a name has no control characters")
        }
    }

    func run(_ session: Session) throws {
        try keystore.passphrase.requireOtherSource(ifTaken: card.takesStandardInput(contact))
        let code = try code()
        let (keeper, id) = try session.open(named.identity, keystore)
        let level: VerificationLevel = card.qrImage == nil ? .unverified : .fullyVerified
        let comparison = try comparison.comparison(of: code, level, for: id, in: keeper, session)
        let addition = try keeper.naming(id) {
            try keeper.contacts.add(
                .init(code, level: level), .init(first: firstName, last: lastName), to: id,
                comparing: comparison.compare)
        }
        let name = addition.newName.map { $0.isEmpty ? "; it has no name now" : "; its name is now \($0.printable)" }
        try session.output.done(
            ["\(code.id) \(addition.outcome.words)" + (name ?? "")] + comparison.lines + code.publicKey.labelledLines,
            json: addition.outcome.json(
                "contact add", id, code, [("renamed", .bool(addition.newName != nil))] + comparison.members))
        comparison.note.map(session.output.note)
    }

    private func code() throws -> ContactCode {
        guard let contact, let id = ThreemaID(argument: contact) else {
            guard publicKey == nil else { throw UsageFailure("a public key requires an ID before it") }
            return try card.code(contact)
        }
        guard card.qrImage == nil else { throw UsageFailure("--qr-image and an ID cannot be combined") }
        guard let publicKey else {
            throw UsageFailure(
                "the public key of \(id) is missing", hint: "keytool contact add \(id) and 64 hexadecimal characters")
        }
        guard let key = PublicKey(publicKey.bytes) else {
            throw Failure(
                .badData,
                "this cannot be the public key of \(id): it is a point of low order, which no private key has",
                hints: "scan the contact's QR code: keytool contact add --qr-image FILE")
        }
        return ContactCode(id: id, publicKey: key)
    }
}

/// The digits of a public key: the right number of them, but perhaps of a key that nobody can have.
struct TypedKey: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        guard let bytes = Hex.decode(argument), bytes.count == PublicKey.count else { return nil }
        self.bytes = bytes
    }
}

extension ContactKeeper.Outcome {
    /// What was done with a contact.
    var words: String {
        switch self {
        case .added(let level): "was added at level \(level.shown), \(level.words)"
        case .keyStored(_, let level): "was a contact without a key; it has this key now, at level \(level.shown)"
        case .raised(let from, let to): "has this key; its level rose from \(from.shown) to \(to.shown), \(to.words)"
        case .unchanged(let level): "is already a contact with this key, at level \(level.shown), \(level.words)"
        }
    }

    private var level: VerificationLevel {
        switch self {
        case .added(let level), .keyStored(_, let level), .raised(_, let level), .unchanged(let level): level
        }
    }

    private var name: String {
        switch self {
        case .added: "added"
        case .keyStored: "key_stored"
        case .raised: "raised"
        case .unchanged: "unchanged"
        }
    }

    func json(
        _ command: String, _ id: ThreemaID, _ code: ContactCode, _ more: [(String, JSONValue?)] = []
    ) -> JSONValue {
        .result(
            command,
            [
                ("id", .string(id.text)), ("contact", .string(code.id.text)),
                ("public_key", .string(code.publicKey.hex)),
            ] + members + more)
    }

    /// Result and level, in JSON.
    var members: [(String, JSONValue?)] { [("result", .string(name)), ("level", .number(level.shown))] }
}
