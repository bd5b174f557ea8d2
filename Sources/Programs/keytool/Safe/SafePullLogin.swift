import CommandLine
import Console
import HTTP
import SafeKeeping
import SafeWire
import ThreemaKeeping

/// Another login for a server that refuses the given one. The Safe password is not asked for again.
extension SafePull {
    private static let loginTries = 3

    /// Reads from a server. If it refuses the login, a person is asked for another one.
    /// - Parameters:
    ///   - access: has the login that was accepted afterwards.
    ///   - servers: those of the keystore's provisioning files; nil if none is named.
    /// - Throws: what `read` throws, if nobody can be asked or answers, or if the third login is refused.
    func askingLogin<Result: ~Copyable>(
        _ access: inout SafeAccess, _ servers: OnPremServers?, _ session: Session,
        _ read: (borrowing SafeAccess) throws -> Result
    ) throws -> Result {
        var tries = 1
        while true {
            do {
                return try read(access)
            } catch let error as SafeExchangeError {
                guard case .unauthorized = error, tries < Self.loginTries, access.isFromPassword,
                    let terminal = session.dialog.mayAsk ? ControllingTerminal() : nil
                else { throw error }
                Failure(error).report()
                guard let other = try server.askedLogin(for: access.endpoint, on: terminal, session),
                    !other.isSame(as: access.endpoint)
                else { throw CommandFailure(failure: Failure(error), isReported: true) }
                access = access.reached(as: other, connect: session.connecting(waiting.limits, servers))
                tries += 1
            }
        }
    }
}
