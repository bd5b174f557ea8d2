import Encodings
import SafeKeeping
import SafeWire

/// A Safe server that answered as one, and what it took to get there.
///
/// On a terminal a step that fails is asked again by itself: the address, the login, whether to prepare a bare place.
/// What was answered once and works is not asked twice.
struct TestedServer: ~Copyable {
    let server: SafeServer
    /// Nil under `--no-test`.
    let test: SafeKeeper.ServerTest?

    /// - Throws: what the last step throws, if nobody can be asked, or if the answer is none.
    static func find(
        _ options: ServerOptions, preparing: Bool, isTesting: Bool, _ keeper: SafeKeeper, _ session: Session
    ) throws -> TestedServer {
        guard var server = try options.named(isNeeded: true, session) ?? options.asked(session) else {
            throw UsageFailure("which server?", hint: "--server https://… or file:///DIR, with --create for a new one")
        }
        guard isTesting else { return TestedServer(server: server, test: nil) }
        var isPreparing = preparing
        while true {
            do {
                let test = try session.output.busy("trying the server") {
                    try keeper.test(server, preparing: isPreparing)
                }
                return TestedServer(server: server, test: test)
            } catch {
                guard let terminal = session.mayAsk ? ControllingTerminal() : nil else {
                    throw explained(error, preparing)
                }
                switch error {
                case SafeExchangeError.notPrepared, SafeExchangeError.unavailable(_, .away):
                    guard !isPreparing else { throw error }
                    Output.word("error", Failure(error).message)
                    guard
                        try terminal.askYesNo(
                            "\(server.address.text) is not prepared as a Safe. Make backups/ and config there?")
                    else { throw explained(error, preparing) }
                    isPreparing = true
                case SafeExchangeError.unauthorized:
                    Output.word("error", Failure(error).message)
                    guard let next = try options.askedLogin(for: server, on: terminal, session) else { throw error }
                    server = next
                case SafeExchangeError.unavailable, SafeExchangeError.unexpectedStatus, SafeExchangeError.redirected,
                    SafeKeepingError.badLimits:
                    Output.word("error", Failure(error).message)
                    guard let next = try options.asked(session) else { throw error }
                    server = next
                default: throw error
                }
            }
        }
    }

    private static func explained(_ error: any Error, _ isPreparing: Bool) -> any Error {
        guard case SafeExchangeError.notPrepared? = error as? SafeExchangeError, !isPreparing else { return error }
        return CommandFailure(failure: Failure(error).advising("--create prepares a new folder"))
    }
}
