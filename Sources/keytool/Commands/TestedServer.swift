import Encodings
import SafeKeeping
import SafeWire

/// A Safe server that answered as one, and what it took to get there.
///
/// On a terminal a step that fails is asked again by itself: the address, an unknown certificate, the login, whether to
/// prepare a bare place. What was answered once and works is not asked twice.
struct TestedServer: ~Copyable {
    let server: SafeServer
    /// Nil under `--no-test`.
    let test: SafeKeeper.ServerTest?

    /// - Parameter keeper: its time for all tries begins anew after each answer.
    /// Nobody has named a server, and nobody can be asked for one.
    static let noServer = UsageFailure(
        "which server?", hint: "--server https://… or file:///DIR, with --create for a new one")

    /// - Throws: what the last step throws, if nobody can be asked, or if there is no answer.
    static func find(
        _ options: ServerOptions, preparing: Bool, isTesting: Bool, _ keeper: inout SafeKeeper, _ patience: Patience,
        _ session: Session
    ) throws -> TestedServer {
        guard var server = try options.named(isNeeded: true, session) ?? options.asked(session) else {
            throw noServer
        }
        guard isTesting else { return TestedServer(server: server, test: nil) }
        // A certificate that is trusted on one machine says nothing about another.
        let (authority, pins) = (server.authority, server.pins)
        var isPreparing = preparing
        while true {
            do {
                let test = try session.output.busy("trying the server") {
                    try keeper.test(server, preparing: isPreparing)
                }
                return TestedServer(server: server, test: test)
            } catch {
                guard let terminal = session.mayAsk ? ControllingTerminal() : nil,
                    let step = FailedStep(error, isPreparing: isPreparing)
                else { throw explained(error, preparing) }
                Failure(error).report()
                keeper = session.renewed(keeper, patience)
                var next: SafeServer?
                switch step {
                case .prepare where try terminal.askToPrepare(server.address):
                    isPreparing = true
                    next = server.copy
                case .login: next = try options.askedLogin(for: server, on: terminal, session)
                case .certificate:
                    let shown = try keeper.presentCertificate(of: server)
                    if let shown, shown.flaw == nil {
                        next = try terminal.askTrust(in: shown, of: server)
                    } else {
                        if let flaw = shown?.flaw {
                            Failure(SafeExchangeError.untrusted(server.address.text, flaw)).report()
                        }
                        next = try options.asked(
                            insteadOf: server, trusting: authority, pins: pins, on: terminal, session)
                    }
                case .address:
                    next = try options.asked(insteadOf: server, trusting: authority, pins: pins, on: terminal, session)
                    isPreparing = preparing
                case .prepare: break
                }
                guard let next = next.take() else {
                    throw CommandFailure(failure: Failure(error), isReported: true)
                }
                server = next
                keeper = session.renewed(keeper, patience)
            }
        }
    }

    /// What to ask again after a failure.
    private enum FailedStep {
        case address, certificate, login, prepare

        /// - Returns: nil if no answer would help.
        init?(_ error: any Error, isPreparing: Bool) {
            switch error {
            case SafeExchangeError.notPrepared, SafeExchangeError.unavailable(_, .away):
                self = isPreparing ? .address : .prepare
            case SafeExchangeError.unauthorized: self = .login
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

    /// What helps before there is a setup.
    private static func explained(_ error: any Error, _ isPreparing: Bool) -> any Error {
        let failure = Failure(error)
        switch error {
        case SafeExchangeError.pinMismatch(_, _, let offered?):
            return CommandFailure(
                failure: Failure(
                    failure.status, failure.message, hints: "if that is meant: --pin \(offered.text)",
                    "nothing was sent"))
        case SafeExchangeError.notPrepared, SafeExchangeError.unavailable(_, .away):
            guard !isPreparing else { return error }
            return CommandFailure(failure: failure.advising("--create prepares a new directory"))
        default: return error
        }
    }
}

extension ControllingTerminal {
    fileprivate func askToPrepare(_ address: SafeServerAddress) throws -> Bool {
        try askYesNo("\(address.text) is not prepared as a Safe. Make backups/ and config there?")
    }
}
