public import ThreemaChat

extension MessageClient {
    /// Uses a client for each connection, one after the other, as long as ``ReconnectPolicy`` permits another one.
    /// - Parameters:
    ///   - mailbox: of the identity that logs in.
    ///   - logIn: connects and logs in. Its `StreamError` and `ChatSessionError` mean that there is no connection.
    ///   - sleep: waits. It may throw to end this function.
    ///   - jitter: a random number in 0...1.
    ///   - use: receives and sends until the client throws, or returns to stop.
    /// - Returns: why there is no other connection: `.stopped` if `use` has returned; otherwise tell the user.
    /// - Throws: what is no failure of the connection, such as an error of the store.
    public static func stayConnected(
        _ mailbox: Mailbox, logIn: () throws -> ChatSession, sleep: (Duration) throws -> Void,
        jitter: () -> Double = { .random(in: 0...1) }, use: (MessageClient) throws -> Void
    ) throws -> ConnectionEnd {
        var policy = ReconnectPolicy()
        while true {
            let end = try useOnce(mailbox, logIn, &policy, use)
            switch policy.next(after: end, jitter: jitter()) {
            case .never: return end
            case .wait(let time): try sleep(time)
            }
        }
    }

    /// - Returns: how the connection has ended.
    private static func useOnce(
        _ mailbox: Mailbox, _ logIn: () throws -> ChatSession, _ policy: inout ReconnectPolicy,
        _ use: (MessageClient) throws -> Void
    ) throws -> ConnectionEnd {
        let session: ChatSession
        do {
            session = try logIn()
        } catch {
            guard let end = ConnectionEnd(error) else { throw error }
            return end
        }
        defer { session.close() }
        policy.loggedIn()
        do {
            try use(MessageClient(mailbox, on: session))
        } catch {
            // A client has closed the session itself if something could not be stored.
            guard isOfConnection(error), let end = session.connectionEnd, end != .stopped else { throw error }
            return end
        }
        return .stopped
    }

    private static func isOfConnection(_ error: any Error) -> Bool {
        error is ChatSessionError || error as? MailboxError == .connectionOver
    }
}
