import ArgumentParser
import CommandLine
import Console
import Encodings
import HTTP
import HTTPTransport
import SecureMemory
import ThreemaDirectory
import ThreemaKeeping
import ThreemaRecords

struct OnPremImport: Verb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Store the servers of a company, as its signed provisioning file says.",
        discussion: """
            The file is stored only if it is signed with --key, which the operator of the servers gives you. With its \
            name, keytool id create and keytool safe setup need no address. One that was fetched is fetched again when it \
            says so, before a request to one of its servers.
            """)

    @OptionGroup var globals: GlobalOptions

    @Argument(
        help: ArgumentHelp(
            "The file, - for stdin, or where it is fetched: https://HOST means https://HOST/prov/config.oppf.",
            valueName: "source"),
        completion: .file())
    var source: String

    @Option(help: ArgumentHelp("The public key that signs the file, in Base64.", valueName: "base64"))
    var key: SigningKey

    @Option(
        help: ArgumentHelp("Store it under this name (default: the host of the directory).", valueName: "company"))
    var name: OnPremName?

    @Option(
        name: .customLong("onprem-user"),
        help: ArgumentHelp("The user name of the licence, for servers that want a login.", valueName: "name"))
    var user: String?

    @OptionGroup(title: "Password for --onprem-user")
    var password: SecretOptions<OnPremPassword>

    @Flag(help: "Accept another key, a file that was replaced before, and a licence that ends earlier.")
    var replace = false

    @OptionGroup var keystore: NewKeystoreOptions

    func validate() throws {
        guard user != nil || !password.isGiven else {
            throw ValidationError("a licence password requires --onprem-user")
        }
        guard user.map(Login.isUser) ?? true else {
            throw ValidationError(
                "--onprem-user: 1 to \(Login.maxUserBytes) bytes, without colons and control characters")
        }
    }

    func run(_ session: Session) throws {
        let address = try address()
        if address != nil { try CurlClient.requireLibrary() }
        let login = try login(session)
        let bytes: [UInt8]
        if let address {
            bytes = try session.output.busy("fetching the provisioning file") { try session.fetch(address, login) }
        } else {
            bytes = try InputFile(operand: source).readBytes(
                .bytes, limit: ProvisioningFile.maxCount)
        }
        let offer = try OnPremKeeper.Offer(bytes, signedBy: key.bytes, from: address, login: login)
        guard let name = name ?? offer.file.directoryHost.flatMap({ OnPremName($0) }) else {
            throw UsageFailure("the host of the directory is no name", hint: "choose one: --name COMPANY")
        }
        let keeper = try session.keeperOfNewKeystore(keystore)
        let judgement = try keeper.onPrem.store(offer, as: name, isReplacing: replace)
        let stored = try keeper.onPrem.file(name)
        try session.output.done(
            ["\(judgement.words): \(name)"] + stored.lines,
            json: .result("onprem import", [("result", .string(judgement.name))] + stored.members))
        if judgement == .first, !keystore.noPassphrase { session.noteProtection(of: keeper) }
        for warning in stored.warnings(at: WallClock.now()) { session.output.warn(warning) }
        if judgement == .first { session.output.hint("keytool id create --onprem \(name)") }
    }

    /// - Returns: nil for a file.
    private func address() throws -> OnPremSource? {
        guard let colon = source.firstRange(of: "://") else { return nil }
        guard source[..<colon.lowerBound].lowercased() == "https" else {
            throw UsageFailure("a provisioning file is fetched from https:// only")
        }
        guard let address = OnPremSource(typed: source) else {
            throw UsageFailure(
                "that is not the address of a provisioning file", hint: "https://HOST/PATH.oppf, without a login")
        }
        return address
    }

    private func login(_ session: Session) throws -> Login? {
        guard let user else { return nil }
        let secret = try SecretAsker(password, session.dialog).open(.for(user), isWrong: { _ in false }) { secret in
            guard secret.count <= Login.maxPasswordBytes else { throw SecretError.tooLong }
            // A request for a new identity has it in JSON.
            guard secret.characterCount != nil else { throw SecretError.notUTF8(title: OnPremPassword.title) }
            return secret.withBytes { SecureBytes(copying: $0) }
        }
        return Login(user: user, password: secret)
    }
}

/// An Ed25519 public key, 44 characters of Base64.
struct SigningKey: ExpressibleByArgument {
    let bytes: [UInt8]

    init?(argument: String) {
        let text = Array(argument.utf8)
        guard let bytes = Base64.decodePublic(text.span, isPadded: true), bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

extension ProvisioningFile {
    /// The name of its directory, without the port.
    fileprivate var directoryHost: String? { HTTPOrigin(url: servers.directory)?.host }
}
