import ArgumentParser
import Encodings
import SafeWire
import SecureMemory

/// Which Safe server a command is about, and what it takes to be let in and to trust it.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The Safe server: https://…, threema for the messenger's own, or file:///DIR (\(Self.variable)).",
            valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("The user's name on the server.", valueName: "name"))
    var serverUser: String?

    @Option(
        help: ArgumentHelp(
            "Trust the certificate authorities in this file (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(
        help: ArgumentHelp(
            "Also demand this public key of the server, sha256//BASE64; may be repeated.", valueName: "pin"))
    var pin: [PublicKeyPin] = []

    @OptionGroup(title: "Password on the server, with --server-user")
    var password: SecretOptions<ServerPassword>

    private static let variable = "KEYTOOL_SERVER"

    /// The server that is named.
    /// - Parameter isNeeded: without an option, look at the environment. Where a server is set up, what the
    ///   environment says is no wish to leave it.
    /// - Returns: nil where none is.
    func named(isNeeded: Bool, _ session: Session) throws -> SafeServer? {
        guard let text = server ?? (isNeeded ? Environment.value(Self.variable) : nil) else {
            guard !isApproach || !isNeeded else { throw UsageFailure("which server?", hint: "--server https://…") }
            return nil
        }
        let address = try SafeServerAddress(parsing: text)
        return SafeServer(
            address, login: try login(address, session), authority: try authority(address), pins: try pins(address))
    }

    /// What is to be different of a server that is set up: the place, or the way to it.
    /// - Returns: nil where nothing is.
    func changed(from present: borrowing SafeServer, _ session: Session) throws -> SafeServer? {
        guard let address = try server.map({ try SafeServerAddress(parsing: $0) }) else {
            guard isApproach else { return nil }
            return try approach(present, session)
        }
        // Of another place, what was known of the present one says nothing.
        return address == present.address ? try approach(present, session) : try named(isNeeded: false, session)
    }

    private var isApproach: Bool { serverUser != nil || caFile != nil || !pin.isEmpty || password.isGiven }

    private func approach(_ present: borrowing SafeServer, _ session: Session) throws -> SafeServer {
        let authority = try caFile == nil ? present.authority : authority(present.address)
        let pins = pin.isEmpty ? present.pins : try pins(present.address)
        guard serverUser == nil else {
            return SafeServer(
                present.address, login: try login(present.address, session), authority: authority, pins: pins)
        }
        switch present.login {
        case .some(let login):
            return SafeServer(present.address, login: login.copy, authority: authority, pins: pins)
        case .none: return SafeServer(present.address, login: nil, authority: authority, pins: pins)
        }
    }

    private func login(_ address: SafeServerAddress, _ session: Session) throws -> SafeServer.Login? {
        guard let user = serverUser else {
            guard !password.isGiven else { throw UsageFailure("a server password goes with --server-user") }
            return nil
        }
        try requireHTTPS(address, "--server-user")
        guard !user.isEmpty, !user.contains(":") else { throw UsageFailure("that is no user's name: it has a colon") }
        let secret = try SecretAsker(password, session).open(
            "of \(user) on \(address.host)", isWrong: { _ in false }
        ) { $0.withBytes { SecureBytes(copying: $0) } }
        return SafeServer.Login(user: user, password: secret)
    }

    private func authority(_ address: SafeServerAddress) throws -> [UInt8]? {
        guard let caFile else { return nil }
        try requireHTTPS(address, "--ca-file")
        let text = try InputFile(path: caFile).read(limit: SafeServer.maxAuthorityBytes)
        guard text.contains("-----BEGIN CERTIFICATE-----") else { throw InputError.noCertificate(path: caFile) }
        return Array(text.utf8)
    }

    private func pins(_ address: SafeServerAddress) throws -> [PublicKeyPin] {
        if !pin.isEmpty { try requireHTTPS(address, "--pin") }
        return pin
    }

    private func requireHTTPS(_ address: SafeServerAddress, _ option: String) throws {
        guard case .https = address else { throw UsageFailure("\(option) goes with https:// only") }
    }
}

/// How long a command waits for a server.
struct PatienceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Wait so long for one request to the server.", valueName: "duration"))
    var timeout = TimeSpan(argument: "2m")!

    @Option(help: ArgumentHelp("Go on trying for so long in all.", valueName: "duration"))
    var retryMaxTime = TimeSpan(argument: "10m")!

    var patience: Patience { Patience(request: timeout.duration, total: retryMaxTime.duration) }
}

/// How long to wait for a server.
struct Patience {
    var request = Duration.seconds(120)
    var total = Duration.seconds(600)
}
