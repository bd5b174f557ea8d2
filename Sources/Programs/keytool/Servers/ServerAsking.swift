import CommandLine
import Console
import HTTP
import SafeWire
import SecureMemory

// What commands ask of a server that no option says, on a terminal.

extension ServerOptions {
    /// Asks for what no option says.
    /// - Returns: nil if nobody can be asked, or answers.
    func asked(_ session: Session) throws -> SafeEndpoint? {
        guard session.dialog.mayAsk, let terminal = ControllingTerminal(), let address = try askedAddress(on: terminal)
        else {
            return nil
        }
        return try server(at: address, askingOn: terminal, session)
    }

    /// Asks for another address; a login that was given stays.
    /// - Parameters:
    ///   - authority, pins: what to trust if the new address is on another machine.
    /// - Returns: nil if there is no answer.
    func asked(
        insteadOf server: borrowing SafeEndpoint, trusting authority: [UInt8]?, pins: [PublicKeyPin],
        on terminal: borrowing ControllingTerminal, _ session: Session
    ) throws -> SafeEndpoint? {
        guard let address = try askedAddress(on: terminal) else { return nil }
        guard case .https(let old) = server.address, case .https(let new) = address, address != .official else {
            return try self.server(at: address, askingOn: terminal, session)
        }
        let isSameMachine = old.host == new.host && old.port == new.port
        return SafeEndpoint(
            address, login: server.copy.takeLogin(), authority: isSameMachine ? server.authority : authority,
            pins: isSameMachine ? server.pins : pins)
    }

    /// Asks for another login on the same server. The password comes first: who is refused has mistyped it, as a rule,
    /// and would type it where the name is asked for, with echo.
    /// - Returns: nil at the end of input.
    func askedLogin(
        for server: borrowing SafeEndpoint, on terminal: borrowing ControllingTerminal, _ session: Session
    ) throws -> SafeEndpoint? {
        if let user = server.user {
            guard
                let password = try SecretAsker<ServerPassword>.askAgain(
                    .of("\(user) on \(server.address.host)"), nothingFor: "another user", on: terminal)
            else { return nil }
            if password.count > 0 { return server.with(try Login(user, password)) }
        }
        guard let user = try askedUser(on: server.address.host, terminal) else { return nil }
        return server.with(try user.isEmpty ? nil : login(server.address, user, session, isTyped: true))
    }

    private func askedAddress(on terminal: borrowing ControllingTerminal) throws -> SafeServerAddress? {
        while let text = try terminal.askText("Safe server (https://…, file:///DIR, or threema): "), !text.isEmpty {
            do {
                return try SafeServerAddress(typed: text)
            } catch {
                let failure = Failure(error)
                Output.word("error", failure.message)
                if error is Failure { failure.hints.forEach { Output.word("hint", $0.text) } }
            }
        }
        return nil
    }

    private func server(
        at address: SafeServerAddress, askingOn terminal: borrowing ControllingTerminal, _ session: Session
    ) throws -> SafeEndpoint? {
        guard case .https = address, address != .official, serverUser == nil else {
            return try server(at: address, user: serverUser, session)
        }
        guard let user = try askedUser(on: address.host, terminal) else { return nil }
        return try server(at: address, user: user.isEmpty ? nil : user, session)
    }

    /// - Returns: nil at the end of input; an empty text for none.
    private func askedUser(on host: String, _ terminal: borrowing ControllingTerminal) throws -> String? {
        while let user = try terminal.askText("User on \(host) (Enter for none): ") {
            if user.isEmpty || Login.isUser(user) { return user }
            Output.word("error", "that is not a valid user name")
        }
        return nil
    }
}

extension SafeEndpoint {
    /// The same server with another login.
    fileprivate func with(_ login: consuming Login?) -> SafeEndpoint {
        SafeEndpoint(address, login: login, authority: authority, pins: pins, onPrem: onPrem)
    }
}
