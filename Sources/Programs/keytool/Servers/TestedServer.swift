import CommandLine
import Console
import HTTP
import SafeKeeping
import ThreemaKeeping
import SafeWire

/// A Safe server that answered as one, and what it took to get there.
///
/// On a terminal a step that fails is asked again by itself: the address, an unknown certificate, the login, whether to
/// prepare a bare place. What was answered once and works is not asked twice.
struct TestedServer: ~Copyable {
    let server: SafeEndpoint
    /// Nil under `--no-test`.
    let test: SafeKeeper.ServerTest?

    /// Nobody has named a server, and nobody can be asked for one.
    static let noServer = UsageFailure(
        "no server was given", hint: "--server https://… or file:///DIR, with --create for a new one")

    /// What to try before a server is used.
    enum Trial {
        /// Nothing.
        case none
        /// Whether it answers as a Safe server, with a probe.
        case test
        /// Whether it answers as a Safe server. Nothing is written.
        case read
        /// As `test`, after an empty or absent directory was prepared.
        case prepareAndTest
    }

    /// - Parameter keeper: its total time limit restarts after each answer.
    /// - Throws: what the last step throws, if nobody can be asked, or if nobody answers.
    static func find(
        _ options: ServerOptions, _ trial: Trial, _ keeper: inout ThreemaKeeper, _ limits: TimeLimits,
        _ session: Session
    ) throws -> TestedServer {
        guard var server = try options.named(isNeeded: true, keeper.onPrem, session) ?? options.asked(session) else {
            throw noServer
        }
        try session.requireOutsideKeystore(server.address)
        guard trial != .none else {
            return TestedServer(server: try options.trustingFingerprint(server, limits, session), test: nil)
        }
        // A certificate that is trusted on one machine says nothing about another.
        let (authority, pins) = (server.authority, server.pins)
        var isPreparing = trial == .prepareAndTest
        while true {
            do {
                server = try options.trustingFingerprint(server, limits, session)
                let test = try session.output.busy("testing the server") {
                    try keeper.safe.test(
                        server, preparing: isPreparing, access: trial == .read ? .readOnly : .readAndWrite)
                }
                return TestedServer(server: server, test: test)
            } catch {
                let missing = MissingDirectory(error, server.address)
                guard let terminal = session.dialog.mayAsk ? ControllingTerminal() : nil,
                    let step = FailedStep(error, missing, mayPrepare: trial != .read && !isPreparing),
                    step != .certificate || !options.hasFingerprint
                else { throw explained(error, server, trial) }
                keeper = session.renewed(keeper, limits)
                let shown = step == .certificate ? try keeper.safe.presentCertificate(of: server) : nil
                let isReported = step != .make
                if isReported { Self.failure(error, missing, shown, server.address).report() }
                var next: SafeEndpoint?
                switch step {
                case .prepare where try terminal.askToPrepare(server.address),
                    .make where try terminal.askToMake(server.address):
                    isPreparing = true
                    next = server.copy
                case .login: next = try options.askedLogin(for: server, on: terminal, session)
                case .certificate:
                    if let shown, shown.flaw == nil {
                        next = try terminal.askTrust(in: shown, of: server)
                    } else {
                        next = try options.asked(
                            insteadOf: server, trusting: authority, pins: pins, on: terminal, session)
                    }
                case .address:
                    next = try options.asked(insteadOf: server, trusting: authority, pins: pins, on: terminal, session)
                    isPreparing = trial == .prepareAndTest
                case .prepare, .make: break
                }
                guard let next = next.take() else {
                    throw CommandFailure(failure: Failure(error), isReported: isReported)
                }
                try session.requireOutsideKeystore(next.address)
                server = next
                keeper = session.renewed(keeper, limits)
            }
        }
    }

    /// What to ask again after a failure.
    private enum FailedStep {
        case address, certificate, login
        /// Whether to prepare a bare place, or to make a directory and prepare it.
        case prepare, make

        /// - Returns: nil if no answer would help.
        init?(_ error: any Error, _ missing: MissingDirectory?, mayPrepare: Bool) {
            switch error {
            case SafeExchangeError.unavailable(_, .away):
                self = missing == .directory && mayPrepare ? .make : .address
            case SafeExchangeError.notPrepared, SafeExchangeError.noBackups:
                self = mayPrepare ? .prepare : .address
            case SafeExchangeError.cannotPrepare: self = .address
            case SafeExchangeError.unauthorized, SafeExchangeError.deletionForbidden: self = .login
            case SafeExchangeError.untrusted(_, .selfSigned), SafeExchangeError.untrusted(_, .unknownIssuer):
                self = .certificate
            case SafeExchangeError.untrusted, SafeExchangeError.unavailable, SafeExchangeError.throttled,
                SafeExchangeError.unexpectedStatus, SafeExchangeError.redirected, SafeExchangeError.full,
                SafeExchangeError.refused, SafeExchangeError.notEmpty,
                SafeExchangeError.tooLarge, SafeExchangeError.busy,
                SafeKeepingError.badLimits, SafeKeepingError.notVerified:
                self = .address
            default: return nil
            }
        }
    }

    /// What is said before something is asked again.
    private static func failure(
        _ error: any Error, _ missing: MissingDirectory?, _ certificate: PresentedCertificate?,
        _ address: SafeServerAddress
    ) -> Failure {
        if case .parent(let path)? = missing {
            return Failure(.tempfail, "the directory \(path.printable) does not exist; check that the disk is mounted")
        }
        // An expired certificate cannot be trusted, so the message says only that.
        return Failure(certificate?.flaw.map { SafeExchangeError.untrusted(address.text, $0) } ?? error)
    }

    private static func explained(
        _ error: any Error, _ server: borrowing SafeEndpoint, _ trial: Trial
    ) -> any Error {
        guard trial != .read, let error = error as? SafeExchangeError else { return error }
        return error.explainedBeforeUse(of: server, isPreparing: trial == .prepareAndTest)
    }
}

extension SafeExchangeError {
    /// What helps while a server is chosen: options of the same command.
    func explainedBeforeUse(of server: borrowing SafeEndpoint, isPreparing: Bool) -> Failure {
        var failure = self.failure
        switch self {
        case .pinMismatch(_, _, let offered?, false):
            failure = Failure(
                failure.status, failure.message, hints: "to accept the new key: --pin \(offered.text)",
                "nothing was sent")
        case .notPrepared where !isPreparing, .unavailable(_, .away) where !isPreparing:
            failure = failure.advising("--create prepares a new directory")
        default: break
        }
        switch self {
        case .notPrepared, .cannotPrepare(_, status: 404), .cannotPrepare(_, status: 405):
            failure = server.accountHint(for: failure)
        default: break
        }
        return failure
    }
}

extension SafeEndpoint {
    /// Each account of keytool-server has an address of its own; to a right login, all other addresses have nothing.
    fileprivate borrowing func accountHint(for failure: Failure) -> Failure {
        guard case .https(let address) = address, let user, Self.isAccount(user) else { return failure }
        let steps = address.path.split(separator: "/")
        guard steps.count < 2, steps != [user[...]] else { return failure }
        let host = address.host + (address.port.map { ":\($0)" } ?? "")
        let hint = "on a server with accounts it is https://\(host)/\(user)"
        guard steps.isEmpty else { return failure.advising(Hint(hint)) }
        // Nothing can be prepared at the root of such a server.
        let nextcloud = SafeExchangeError.nextcloud(host).replacing("USER", with: user)
        return Failure(failure.status, failure.message, hints: "\(hint); on a Nextcloud it is \(nextcloud)")
            .because(of: failure.reason)
    }

    private var user: String? {
        switch login {
        case .some(let login): login.user
        case .none: nil
        }
    }

    /// Whether an account of keytool-server can have this name.
    private static func isAccount(_ user: String) -> Bool {
        user.utf8.count <= 32 && user.first != "-"
            && user.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "-")
            }
    }
}

extension ControllingTerminal {
    fileprivate func askToPrepare(_ address: SafeServerAddress) throws -> Bool {
        try askYesNo("\(address.text) is not prepared as a Safe. Make backups/ and config there?")
    }

    fileprivate func askToMake(_ address: SafeServerAddress) throws -> Bool {
        try askYesNo("\(address.text) does not exist. Make it, with backups/ and config?")
    }
}
