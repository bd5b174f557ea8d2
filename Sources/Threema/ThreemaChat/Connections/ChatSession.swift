public import ByteStreams

/// A client's connection to a chat server over a stream: log-in, payloads, and echo requests while the server is
/// silent. One thread at a time uses it.
public final class ChatSession {
    /// How long log-in and each write may take.
    public static let timeout = Duration.seconds(20)
    private static let pieceBytes = 65_536
    /// Most pieces that are read after a failed write, from a server that goes on sending.
    private static let maxPiecesAtEnd = 64

    private let stream: any ByteStream
    private let clock: () -> Duration
    private var client: ChatClient
    private var echo: EchoTimer
    private var arrived: [ChatPayload] = []
    /// Of the next payload in `arrived`.
    private var next = 0
    /// Why nothing arrives any more.
    private var end: ChatSessionError?

    /// How the connection has ended; nil while it is in use. Payloads that arrived before can still be received.
    public private(set) var connectionEnd: ConnectionEnd?
    /// What the server said to the log-in.
    public private(set) var acknowledgement = LoginAcknowledgement.silent

    /// Logs in, and asks the server for the idle time-out that fits to the echo requests.
    /// - Parameters:
    ///   - client: a fresh one.
    ///   - stream: a fresh connection. It is closed if the log-in fails.
    ///   - clock: never goes back. The default is the system's continuous clock.
    public init(
        _ client: consuming ChatClient, on stream: any ByteStream, clock: @escaping () -> Duration = timeFromNow()
    ) throws(ChatSessionError) {
        self.stream = stream
        self.clock = clock
        self.client = client
        echo = EchoTimer(at: clock())
        do throws(ChatSessionError) {
            try logIn()
        } catch {
            stream.close()
            throw error
        }
    }

    /// - Returns: a clock that gives the time since this call. It goes on while the system sleeps.
    public static func timeFromNow() -> () -> Duration {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }

    /// Sends payloads in this order, in one piece.
    public func send(_ payloads: ChatPayload...) throws(ChatSessionError) { try send(payloads) }

    /// Sends payloads in this order, in one piece. If one of them is refused, none is sent.
    /// - Throws: `.sending`; `.stream`, after which the session is over and a part may have been sent.
    public func send(_ payloads: [ChatPayload]) throws(ChatSessionError) {
        let frames: [UInt8]
        do throws(ChatSendingError) {
            frames = try client.seal(payloads)
        } catch {
            throw .sending(error)
        }
        try write(frames)
    }

    /// The next payload of the server. Echo requests of either side need no attention.
    /// - Returns: nil if none has come in time.
    /// - Throws: also `.noEcho`, and `.closedByServer` after a payload `.closeError`. Then the session is over, and
    ///   ``connectionEnd`` says how.
    public func receive(within timeout: Duration) throws(ChatSessionError) -> ChatPayload? {
        let deadline = clock() + timeout
        while true {
            if next < arrived.count {
                defer { next += 1 }
                return arrived[next]
            }
            if let end { throw end }
            let now = clock()
            switch echo.due(at: now) {
            case .close:
                // A caller that has worked for long has not read yet what has come meanwhile.
                if try !read(within: .zero), end == nil {
                    close(.noEcho)
                    throw .noEcho
                }
            case .request(let bytes): try send([.echoRequest(bytes)])
            case .wait(let until): try read(within: max(min(until, deadline) - now, .zero))
            }
            if next == arrived.count, end == nil, clock() >= deadline { return nil }
        }
    }

    /// The next payloads of the server: waits for the first one, and takes those that have arrived behind it.
    /// - Parameter limit: most payloads, 1 or more.
    /// - Returns: nothing if none has come in time.
    /// - Throws: as ``receive(within:)``; what fails behind the first payload is thrown by the next call.
    public func receive(upTo limit: Int, within timeout: Duration) throws(ChatSessionError) -> [ChatPayload] {
        guard let first = try receive(within: timeout) else { return [] }
        var payloads = [first]
        while payloads.count < limit {
            do throws(ChatSessionError) {
                guard let payload = try receive(within: .zero) else { break }
                payloads.append(payload)
            } catch {
                break
            }
        }
        return payloads
    }

    /// Ends the session and its connection. A call that waits on another thread returns.
    public func close() { close(.stopped) }

    private func close(_ how: ConnectionEnd) {
        // First, because the call on the other thread finds the stream closed.
        note(.stream(.closed), how)
        stream.close()
    }

    /// The first end counts.
    private func note(_ error: ChatSessionError, _ how: ConnectionEnd?) {
        if end == nil { end = error }
        if connectionEnd == nil { connectionEnd = how }
    }

    private func logIn() throws(ChatSessionError) {
        let deadline = clock() + Self.timeout
        try write(client.hello)
        while !client.isOpen {
            guard clock() < deadline else { throw .stream(.timedOut(.read)) }
            try read(within: deadline - clock())
            // A server says nothing to a login that it refuses.
            if end == .stream(.closed), client.awaitsAcknowledgement { throw .loginRefused }
            if let end, !client.isOpen { throw end }
        }
        echo = EchoTimer(at: clock())
        // What the server has said behind its answer is for `receive`: a write would fail, and hide it.
        guard end == nil else { return }
        do throws(ChatSessionError) {
            try send([.idleTimeout(seconds: EchoTimer.idleTimeoutSeconds)])
        } catch {
            // It was said after the answer had been read.
            guard case .closedByServer = connectionEnd else { throw error }
        }
    }

    private func write(_ bytes: [UInt8]) throws(ChatSessionError) {
        guard !bytes.isEmpty else { return }
        do throws(StreamError) {
            try stream.write(bytes.span, within: Self.timeout)
        } catch {
            // The server may have said why it has closed the connection. What it wants to be answered is not.
            for _ in 0..<Self.maxPiecesAtEnd where end == nil { if sort(within: .zero) == nil { break } }
            // A part of a frame may be sent: the server could open no later one.
            close(.network)
            throw .stream(error)
        }
    }

    /// - Returns: whether something has come.
    @discardableResult
    private func read(within timeout: Duration) throws(ChatSessionError) -> Bool {
        guard let answer = sort(within: timeout) else { return false }
        try write(answer)
        return true
    }

    /// Waits for a piece, and sorts what it has.
    /// - Returns: what is to be sent for it; nil if nothing has come.
    private func sort(within timeout: Duration) -> [UInt8]? {
        let bytes: [UInt8]
        do throws(StreamError) {
            bytes = try stream.read(upTo: Self.pieceBytes, within: timeout)
        } catch {
            if case .timedOut = error { return nil }
            note(.stream(error), .network)
            return nil
        }
        guard !bytes.isEmpty else {
            note(.stream(.closed), .network)
            return nil
        }
        let progress = client.receive(bytes.span)
        arrived.removeFirst(next)
        next = 0
        for event in progress.events { note(event) }
        if let failure = progress.failure { note(.chat(failure), ConnectionEnd(ChatSessionError.chat(failure))) }
        return progress.toSend
    }

    private func note(_ event: ChatClient.Event) {
        switch event {
        case .loggedIn(let acknowledgement): self.acknowledgement = acknowledgement
        case .received(.echoResponse(let bytes)) where echo.received(bytes): break
        case .received(.echoRequest), .ignored: break
        case .received(let payload):
            arrived.append(payload)
            guard case .closeError(let mayReconnect, _) = payload else { return }
            note(.closedByServer(mayReconnect: mayReconnect), .closedByServer(mayReconnect: mayReconnect))
        }
    }
}

/// Why a session did not begin, or ended.
public enum ChatSessionError: Error, Equatable, Sendable {
    case stream(StreamError)
    /// What the server sent was refused.
    case chat(ChatError)
    case sending(ChatSendingError)
    /// The server does not answer.
    case noEcho
    /// The server has closed the connection instead of an answer to the log-in. A network that breaks off at this point
    /// looks alike.
    case loginRefused
    /// The server has said why it closes the connection, in a payload `.closeError`.
    case closedByServer(mayReconnect: Bool)
}
