import CommandLine
import HTTP
import HTTPTransport
import ArgumentParser
import Console
import SafeWire
import SecureMemory
import ThreemaKeeping
import ThreemaRecords

/// The options for a Safe server: address, login, certificate authorities and pins.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The Safe server: https://…, threema for the messenger's own, or file:///DIR (setup, pull: \(Self.variable)).",
            valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "Read the server's address from this file; it may contain a login: https://USER:PASSWORD@HOST/PATH.",
            valueName: "file"),
        completion: .file())
    var serverFile: String?

    @Option(
        help: ArgumentHelp(
            "The Safe server of a company, with the pins of its provisioning file: keytool onprem import.",
            valueName: "company"))
    var onprem: OnPremName?

    @Option(help: ArgumentHelp("The user name on the server.", valueName: "name"))
    var serverUser: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificate authorities in this file (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(
        help: ArgumentHelp(
            "Trust only the certificate with this SHA-256 fingerprint, of those that the server sends; may be repeated.",
            valueName: "hex"))
    var caFingerprint: [Fingerprint] = []

    @Option(
        help: ArgumentHelp(
            "Accept only a server with this public key, sha256//BASE64, in addition to all other checks; may be repeated.",
            valueName: "pin"))
    var pin: [PublicKeyPin] = []

    @OptionGroup(title: "Password for --server-user")
    var password: SecretOptions<ServerPassword>

    private static let variable = "KEYTOOL_SERVER"

    func validate() throws {
        guard server == nil || serverFile == nil else {
            throw ValidationError("--server and --server-file cannot be combined")
        }
        guard onprem == nil || server == nil && serverFile == nil && pin.isEmpty else {
            throw ValidationError("--onprem cannot be combined with --server, --server-file or --pin")
        }
        guard caFile == nil || caFingerprint.isEmpty else {
            throw ValidationError("--ca-file and --ca-fingerprint cannot be combined")
        }
    }

    /// Whether an option names a server.
    var isOption: Bool { server != nil || serverFile != nil || onprem != nil }

    /// Whether an option or the environment names a server.
    var isNamed: Bool { get throws { try isOption || Environment.setting(Self.variable) != nil } }

    /// Refuses a malformed `--server`, and `https://` without libcurl, before anything is asked for.
    /// - Parameter isNeeded: as for `named`.
    /// - Throws: as `SafeServerAddress(typed:)`; `SharedLibrary.Failure`.
    func checkAddress(isNeeded: Bool = false) throws {
        if onprem != nil { try CurlClient.requireLibrary() }
        if let text = try addressText(isNeeded) { try Self.requireLibrary(SafeServerAddress(typed: text)) }
    }

    /// Refuses `https://` without libcurl.
    static func requireLibrary(_ address: SafeServerAddress) throws {
        if case .https = address { try CurlClient.requireLibrary() }
    }

    private func addressText(_ isNeeded: Bool) throws -> String? {
        try server ?? (isNeeded && serverFile == nil && onprem == nil ? Environment.setting(Self.variable) : nil)
    }

    /// The server that is named.
    /// - Parameter isNeeded: without an option, look at the environment. `KEYTOOL_SERVER` is ignored once a server is
    ///   set up.
    /// - Parameter files: has the provisioning file that is named; not nil if one is.
    /// - Returns: nil where none is.
    func named(isNeeded: Bool, _ files: OnPremKeeper?, _ session: Session) throws -> SafeEndpoint? {
        if let onprem, let files {
            let safe = try files.file(onprem).safeServer()
            let authority = try authority(safe.address)
            return SafeEndpoint(
                safe.address, login: try login(safe.address, serverUser, session), authority: authority,
                pins: safe.pins, onPrem: safe.onPrem)
        }
        if let text = try addressText(isNeeded) { return try server(at: SafeServerAddress(typed: text), session) }
        return try serverFile.map { try server(inFile: $0, session) }
    }

    /// What is to be different of a server that is set up: the place, or the way to it.
    /// - Returns: nil where nothing is.
    /// - Parameter without: what is known of the present way, and is to be so no more.
    func changed(
        from present: borrowing SafeEndpoint, without: SafeEndpoint.Approach, _ files: OnPremKeeper, _ session: Session
    ) throws -> SafeEndpoint? {
        guard isGiven || !without.isEmpty else { return nil }
        let named =
            try named(isNeeded: false, files, session)
            ?? server(at: present.address, user: user(of: present), session)
        // Of another place, what was known of the present one says nothing.
        guard named.address == present.address else { return named }
        if let name = present.onPrem, !pin.isEmpty || without.contains(.pins) {
            throw DirectoryOptions.pinsOfFile(name)
        }
        var replaced = hasFingerprint ? without.union(.authority) : without
        // Those of a provisioning file count, even if it has none.
        if onprem != nil { replaced.insert(.pins) }
        return named.completed(by: present.copy.without(replaced))
    }

    /// A new password is that of the stored user, if no other one is named.
    private func user(of present: borrowing SafeEndpoint) -> String? {
        serverUser ?? (password.isGiven ? present.user : nil)
    }

    func validate(without: SafeEndpoint.Approach) throws {
        guard !without.contains(.login) || (serverUser == nil && !password.isGiven) else {
            throw ValidationError("--no-login and --server-user cannot be combined")
        }
        guard !without.contains(.authority) || caFile == nil else {
            throw ValidationError("--no-ca and --ca-file cannot be combined")
        }
        guard !without.contains(.authority) || caFingerprint.isEmpty else {
            throw ValidationError("--no-ca and --ca-fingerprint cannot be combined")
        }
        guard !without.contains(.pins) || pin.isEmpty else {
            throw ValidationError("--no-pins and --pin cannot be combined")
        }
    }

    var isGiven: Bool { isApproach || isOption }

    private var isApproach: Bool {
        serverUser != nil || caFile != nil || hasFingerprint || !pin.isEmpty || password.isGiven
    }

    private func server(at address: SafeServerAddress, _ session: Session) throws -> SafeEndpoint {
        try server(at: address, user: serverUser, session)
    }

    func server(at address: SafeServerAddress, user: String?, _ session: Session) throws -> SafeEndpoint {
        try Self.requireLibrary(address)
        // A file that is missing is told before a person types a password.
        let (authority, pins) = (try authority(address), try pins(address))
        return SafeEndpoint(address, login: try login(address, user, session), authority: authority, pins: pins)
    }

    private func server(inFile path: String, _ session: Session) throws -> SafeEndpoint {
        let server = try SafeEndpoint(
            url: SecretSource.file(path).read(title: "server's address", output: session.output))
        try Self.requireLibrary(server.address)
        switch server.login {
        case .none: return try self.server(at: server.address, session)
        case .some(let login):
            guard serverUser == nil, !password.isGiven else {
                throw UsageFailure("the address in \(path) already contains a login")
            }
            return SafeEndpoint(
                server.address, login: login.copy, authority: try authority(server.address),
                pins: try pins(server.address))
        }
    }

    /// - Parameter isTyped: ask for the password, whatever the options say.
    func login(
        _ address: SafeServerAddress, _ user: String?, _ session: Session, isTyped: Bool = false
    ) throws -> Login? {
        guard let user else {
            guard !password.isGiven else { throw UsageFailure("a server password requires --server-user") }
            return nil
        }
        try requireHTTPS(address, "--server-user")
        guard Login.isUser(user) else {
            throw UsageFailure(
                "that is not a valid user name",
                hint: "1 to \(Login.maxUserBytes) bytes, without colons and control characters")
        }
        return try SecretAsker(password, session.dialog).open(
            .of("\(user) on \(address.host)"), isTyped: isTyped, isWrong: { _ in false }
        ) { try Login(user, $0) }
    }

    private func authority(_ address: SafeServerAddress) throws -> [UInt8]? {
        guard let caFile else { return nil }
        try requireHTTPS(address, "--ca-file")
        let text = try InputFile(path: caFile).read(limit: SafeEndpoint.maxAuthorityBytes)
        guard text.contains("-----BEGIN CERTIFICATE-----") else { throw InputError.noCertificate(path: caFile) }
        return Array(text.utf8)
    }

    private func pins(_ address: SafeServerAddress) throws -> [PublicKeyPin] {
        if !pin.isEmpty { try requireHTTPS(address, "--pin") }
        guard pin.count <= SafeEndpoint.maxPins else {
            throw UsageFailure("at most \(SafeEndpoint.maxPins) pins are possible")
        }
        return pin
    }

    func requireHTTPS(_ address: SafeServerAddress, _ option: String) throws {
        guard case .https = address else { throw UsageFailure("\(option) requires https://") }
    }
}

extension Login {
    /// - Throws: `SecretError.tooLong`.
    init(_ user: String, _ password: borrowing SecureBytes) throws {
        guard password.count <= Self.maxPasswordBytes else { throw SecretError.tooLong }
        self.init(user: user, password: password.withBytes { SecureBytes(copying: $0) })
    }
}

/// How long a command waits for a server.
struct TimeLimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Time limit for one request to the server.", valueName: "duration"))
    var timeout = TimeSpan(argument: "2m")!

    @Option(
        help: ArgumentHelp("Total time limit for all attempts at one server.", valueName: "duration"))
    var retryMaxTime = TimeSpan(argument: "10m")!

    var limits: TimeLimits { TimeLimits(request: timeout.duration, total: retryMaxTime.duration) }
}

/// How long to wait for a server.
struct TimeLimits {
    var request = Duration.seconds(120)
    var total = Duration.seconds(600)
    /// For the lock of a directory.
    var lock = Duration.seconds(60)
    /// Whether a server that does not answer in time is tried again.
    var repeatsSilence = true
}
