import ArgumentParser
import CommandLine
import Console
import Encodings
import Threema
import ThreemaDirectory
import ThreemaKeeping
import ThreemaSafe

struct ContactMatch: Verb {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Ask the directory which addresses and phone numbers belong to identities.",
        discussion: """
            The file has an e-mail address, or a phone number with its country, on each line. Only hashes are sent, but \
            the directory can find most phone numbers by trying all of them. With --add, the identities that are found \
            become contacts of level 2; otherwise nothing is added to the contacts.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(
        help: ArgumentHelp("The file with the addresses; - for standard input.", valueName: "file"), completion: .file()
    )
    var file: String

    @Flag(help: "Print the hashes; send nothing.")
    var dryRun = false

    @Flag(help: "Add the identities that are found to the contacts, at level 2. Raises level 1, and never lowers.")
    var add = false

    @OptionGroup var named: IdentityOption

    @OptionGroup(title: "Directory")
    var directory: DirectoryOptions

    @OptionGroup var keystore: KeystoreOptions

    func validate() throws {
        guard !add || !dryRun else { throw ValidationError("--add and --dry-run cannot be combined") }
    }

    func run(_ session: Session) throws {
        let text = try InputFile(operand: file).read(limit: AddressList.maxBytes)
        let list = try AddressList(parsing: text)
        guard !list.addresses.isEmpty else { throw InputError.empty }
        if dryRun { return try show(list, session) }
        let at = try DirectorySession(named.identity, directory, keystore.passphrase, session)
        let search = try session.output.busy("asking the directory") {
            try at.work.match(list, as: at.id, at: at.server, now: WallClock.now())
        }
        let comparison = KeyComparison(try at.keeper.knownKeys(), at.server)
        let additions = add ? try Self.additions(of: search, comparison, at) : []
        try session.output.data(
            search.matches.map { "\($0.address.text)  \($0.contact.id)  \($0.contact.publicKey.words)" }
                + additions.compactMap(Self.line),
            json: .result(
                "contact match",
                [
                    ("id", .string(at.id.text)), ("addresses", .number(list.addresses.count)),
                    ("matches", .array(search.matches.map { Self.json($0, comparison) })),
                    ("added", add ? .some(.array(additions.map(Self.json))) : .none),
                    ("check_interval", .number(search.checkInterval)),
                ]))
        var compared: Set<ThreemaID> = []
        let found = search.matches.map(\.contact).filter { compared.insert($0.id).inserted }
        for contact in found {
            comparison.warn(of: contact.id, contact.publicKey, session.output)
            if contact.publicKey == nil {
                session.output.warn(
                    "\(at.server.url) has no usable public key for \(contact.id): do not write to this identity")
            }
        }
        if search.matches.isEmpty {
            session.output.note("the directory knows none of the \(list.addresses.count) addresses")
        }
        if let time = search.notBefore {
            session.output.hint("the directory asked not to search again before \(time.rfc3339)")
        }
        if let failure = found.lazy.compactMap({ comparison.failure(of: $0.id, $0.publicKey) }).first {
            throw failure
        }
        for case .failure(let failure) in additions.lazy.map(\.result) { throw failure }
    }

    private typealias Addition = (card: ContactKeeper.Card, result: Result<ContactKeeper.Outcome, Failure>)

    /// Adds everybody who was found with a usable key, except the identity itself. Nothing is stored for an ID of which
    /// the keystore has another key.
    private static func additions(
        of search: DirectoryKeeper.Search, _ comparison: KeyComparison, _ at: DirectorySession
    ) throws -> [Addition] {
        var seen: Set<ThreemaID> = [at.id]
        let cards = search.matches.compactMap { match -> ContactKeeper.Card? in
            guard let key = match.contact.publicKey, seen.insert(match.contact.id).inserted else { return nil }
            return .init(ContactCode(id: match.contact.id, publicKey: key), level: .serverVerified)
        }
        let refusals = cards.map { comparison.refusal(of: $0.code.id, $0.code.publicKey) }
        let accepted = zip(cards, refusals).filter { $0.1 == nil }.map { $0.0 }
        var results = accepted.isEmpty ? [] : try at.keeper.contacts.add(all: accepted, to: at.id)
        let option = at.keeper.option(naming: at.id)
        return zip(cards, refusals).map { card, refusal -> Addition in
            if let refusal { return (card, .failure(refusal)) }
            return (card, results.removeFirst().result.mapError { $0.failure(naming: option) })
        }
    }

    /// What was done with a contact; nil if it was refused, which an error says.
    private static func line(_ addition: Addition) -> String? {
        guard case .success(let outcome) = addition.result else { return nil }
        return "\(addition.card.code.id) \(outcome.words)"
    }

    private static func json(_ addition: Addition) -> JSONValue {
        let id = ("id", JSONValue?.some(.string(addition.card.code.id.text)))
        switch addition.result {
        case .success(let outcome): return .members([id] + outcome.members)
        case .failure(let failure): return .members([id, ("error", failure.json)])
        }
    }

    private static func json(
        _ match: (address: AddressList.Address, contact: FoundContact), _ comparison: KeyComparison
    ) -> JSONValue {
        .members([
            ("line", .number(match.address.line)), ("address", .string(match.address.text)),
            ("id", .string(match.contact.id.text)), ("public_key", match.contact.publicKey.map { .string($0.hex) }),
            ("matches", comparison.matches(match.contact.id, match.contact.publicKey).map { .bool($0) }),
        ])
    }

    private func show(_ list: AddressList, _ session: Session) throws {
        let hashes = list.addresses.flatMap { address in address.hashes.map { (address, $0) } }
        let members = hashes.map { address, hash in
            JSONValue.members([
                ("line", .number(address.line)), ("kind", .string(hash.kind.name)), ("hash", .string(hash.base64)),
                ("address", .string(address.text)),
            ])
        }
        try session.output.data(
            hashes.map { "\($1.kind.name)  \($1.base64)  \($0.text)" },
            json: .result(
                "contact match",
                [("addresses", .number(list.addresses.count)), ("sent", false), ("hashes", .array(members))]))
    }
}

extension ContactHash.Kind {
    /// As in `id link`.
    fileprivate var name: String {
        switch self {
        case .email: "email"
        case .phone: "mobile"
        }
    }
}
