import ByteStreams
import Primitives
import SecureMemory
import StreamKit
import Testing
import Threema
import ThreemaMessages

@testable import ThreemaChat

@Suite struct ChatSessionTests {
    @Test func `echo requests keep a silent connection`() throws {
        let chat = Chat()
        let session = try chat.logInQuietly(Scene.alice)
        #expect(try session.receive(within: .seconds(3600)) == nil)
        #expect(chat.network.now == .seconds(3600))
        // Without them, the server closes after the time that the session has asked for.
        chat.network.wait(until: .seconds(3600 + Int64(EchoTimer.idleTimeoutSeconds) + 61))
        #expect(throws: ChatSessionError.stream(.closed)) { try session.receive(within: .zero) }
        #expect(session.connectionEnd == .network)
    }

    @Test func `a server that does not answer is given up`() throws {
        let chat = Chat()
        let network = LoopbackNetwork(Mute(chat.server))
        let session = try ChatSession(chat.client(Scene.alice), on: LoopbackStream(network)) { network.now }
        #expect(try session.receive(within: .zero) == .queueSendComplete)
        network.wait(until: .seconds(60))
        #expect(try session.receive(within: .zero) == nil)
        network.wait(until: .seconds(70))
        #expect(session.connectionEnd == nil)
        #expect(throws: ChatSessionError.noEcho) { try session.receive(within: .zero) }
        #expect(session.connectionEnd == .noEcho)
        #expect(throws: ChatSessionError.stream(.closed)) { try session.receive(within: .zero) }
        #expect(throws: ChatSessionError.stream(.closed)) { try session.send(.echoRequest([])) }
    }

    @Test func `an answer that lies unread is one`() throws {
        let chat = Chat()
        let session = try chat.logInQuietly(Scene.alice)
        chat.network.wait(until: .seconds(60))
        #expect(try session.receive(within: .zero) == nil)
        // The caller works for longer than an answer may take.
        chat.network.wait(until: .seconds(75))
        #expect(try session.receive(within: .zero) == nil)
        #expect(session.connectionEnd == nil)
    }

    @Test func `a refused payload is not sent, nor are those beside it`() throws {
        let session = try Chat().logInQuietly(Scene.alice)
        let tooLong = ChatPayload.echoRequest([UInt8](repeating: 0, count: 8173))
        #expect(throws: ChatSessionError.sending(.tooLong(limit: 8172, actual: 8173))) { try session.send(tooLong) }
        try session.send(.echoRequest([1, 2]))
        #expect(try session.all() == [.echoResponse([1, 2])])
        #expect(throws: ChatSessionError.sending(.wrongDirection)) {
            try session.send(.echoRequest([3]), .queueSendComplete)
        }
        try session.send(.echoRequest([4]))
        #expect(try session.all() == [.echoResponse([4])])
    }

    @Test func `a write that times out ends the session`() throws {
        let chat = Chat()
        let stream = StuckStream(LoopbackStream(chat.network))
        let session = try ChatSession(chat.client(Scene.alice), on: stream) { .zero }
        #expect(try session.receive(within: .zero) == .queueSendComplete)
        stream.isStuck = true
        #expect(throws: ChatSessionError.stream(.timedOut(.write))) { try session.send(.echoRequest([1, 2, 3])) }
        #expect(session.connectionEnd == .network)
        stream.isStuck = false
        #expect(throws: ChatSessionError.stream(.closed)) { try session.send(.echoRequest([4])) }
        #expect(throws: ChatSessionError.stream(.closed)) { try session.receive(within: .zero) }
    }

    @Test func `payloads before a failure count`() throws {
        let chat = Chat()
        let handler = Mute(chat.server)
        let session = try ChatSession(chat.client(Scene.alice), on: LoopbackStream(LoopbackNetwork(handler))) { .zero }
        handler.forged = [20, 0] + [UInt8](repeating: 0, count: 20)
        try session.send(.echoRequest([1]))
        #expect(try session.receive(within: .zero) == .queueSendComplete)
        for _ in 0..<2 {
            #expect(throws: ChatSessionError.chat(.frameNotAuthentic)) { try session.receive(within: .zero) }
        }
        #expect(session.connectionEnd == .refusedBytes)
    }

    @Test func `payloads that have arrived are taken together, up to a limit`() throws {
        let chat = Chat()
        let session = try chat.logIn(Scene.alice)
        for number in 1...3 as ClosedRange<UInt8> { try session.send(.echoRequest([number])) }
        let answers = (1...3).map { ChatPayload.echoResponse([$0]) }
        #expect(try session.receive(upTo: 3, within: .seconds(9)) == [.queueSendComplete] + answers[..<2])
        #expect(try session.receive(upTo: 3, within: .seconds(9)) == [answers[2]])
        // Nobody waited for more.
        #expect(chat.network.now == .zero)
        #expect(try session.receive(upTo: 3, within: .seconds(9)) == [])
        #expect(chat.network.now == .seconds(9))
        // What fails behind a payload waits for the next call.
        for number in 4...5 as ClosedRange<UInt8> { try session.send(.echoRequest([number])) }
        #expect(try session.receive(within: .zero) == .echoResponse([4]))
        session.close()
        #expect(try session.receive(upTo: 3, within: .zero) == [.echoResponse([5])])
        #expect(throws: ChatSessionError.stream(.closed)) { try session.receive(upTo: 3, within: .zero) }
    }

    @Test func `a session that writes after the server has closed it reads why`() throws {
        let chat = Chat()
        let first = try chat.logInQuietly(Scene.bob)
        let second = try chat.logInQuietly(Scene.bob)
        #expect(throws: ChatSessionError.stream(.closed)) { try first.send(.echoRequest([1])) }
        #expect(first.connectionEnd == .closedByServer(mayReconnect: false))
        #expect(second.connectionEnd == nil)
        #expect(
            try first.receive(within: .zero)
                == .closeError(mayReconnect: false, text: "This ID has logged in elsewhere."))
    }

    @Test func `what the server says between its answer and the first write is told`() throws {
        let chat = Chat()
        let stream = InterruptedStream(LoopbackStream(chat.network), write: 3) { _ = try? chat.logInQuietly(Scene.bob) }
        let session = try ChatSession(chat.client(Scene.bob), on: stream) { .zero }
        #expect(session.connectionEnd == .closedByServer(mayReconnect: false))
        var said: [ChatPayload] = []
        #expect(throws: ChatSessionError.closedByServer(mayReconnect: false)) {
            while let payload = try session.receive(within: .zero) { said.append(payload) }
        }
        #expect(said.last == .closeError(mayReconnect: false, text: "This ID has logged in elsewhere."))
    }

    @Test func `the first end counts`() throws {
        let chat = Chat()
        let session = try chat.logInQuietly(Scene.alice)
        #expect(session.connectionEnd == nil)
        #expect(throws: ChatSessionError.sending(.wrongDirection)) { try session.send(.queueSendComplete) }
        #expect(session.connectionEnd == nil)
        session.close()
        #expect(session.connectionEnd == .stopped)
        #expect(throws: ChatSessionError.stream(.closed)) { try session.send(.echoRequest([1])) }
        #expect(throws: ChatSessionError.stream(.closed)) { try session.receive(within: .zero) }
        #expect(session.connectionEnd == .stopped)
    }

    @Test func `another server is refused, and the stream closed`() throws {
        let chat = Chat()
        let stream = LoopbackStream(chat.network)
        #expect(throws: ChatSessionError.chat(.serverHelloNotAuthentic)) {
            let client = ChatClient(
                identity: Chat.identity(Scene.alice, seed: 1), serverKeys: [ServerKey.random().publicKey],
                extensions: try LoginExtensions([]))
            _ = try ChatSession(client, on: stream) { .zero }
        }
        #expect(throws: StreamError.closed) { try stream.write([1].span, within: .zero) }
    }

    @Test func `a server that says nothing to a login is given up`() throws {
        let silent = Mute(Chat().server)
        silent.answered = 0
        let network = LoopbackNetwork(silent)
        #expect(throws: ChatSessionError.stream(.timedOut(.read))) {
            _ = try ChatSession(Chat().client(Scene.alice), on: LoopbackStream(network)) { network.now }
        }
        #expect(network.now == ChatSession.timeout)
    }
}

/// A stream that can send the first byte of what is written, and no more.
private final class StuckStream: ByteStream, @unchecked Sendable {
    private let stream: LoopbackStream
    var isStuck = false

    init(_ stream: LoopbackStream) { self.stream = stream }

    func read(upTo limit: Int, within timeout: Duration) throws(StreamError) -> [UInt8] {
        try stream.read(upTo: limit, within: timeout)
    }

    func write(_ bytes: Span<UInt8>, within timeout: Duration) throws(StreamError) {
        guard isStuck else { return try stream.write(bytes, within: timeout) }
        try stream.write(bytes.extracting(0..<1), within: timeout)
        throw .timedOut(.write)
    }

    func close() { stream.close() }
}

/// A stream with an event before one of the writes: 1 is the hello, 2 the login, 3 the wanted idle time-out.
private final class InterruptedStream: ByteStream, @unchecked Sendable {
    private let stream: LoopbackStream
    private var writes: Int
    private let event: () -> Void

    init(_ stream: LoopbackStream, write: Int, _ event: @escaping () -> Void) {
        self.stream = stream
        writes = write
        self.event = event
    }

    func read(upTo limit: Int, within timeout: Duration) throws(StreamError) -> [UInt8] {
        try stream.read(upTo: limit, within: timeout)
    }

    func write(_ bytes: Span<UInt8>, within timeout: Duration) throws(StreamError) {
        writes -= 1
        if writes == 0 { event() }
        try stream.write(bytes, within: timeout)
    }

    func close() { stream.close() }
}

/// A server that answers a log-in and nothing else, or sends bytes of another one.
private final class Mute: StreamHandler {
    private let handler: ChatServer
    private var pieces = 0
    var forged: [UInt8] = []
    /// Pieces of the client: hello, login, and the wanted idle time-out.
    var answered = 3

    init(_ handler: ChatServer) { self.handler = handler }

    func opened(_ connection: Int, at now: Duration) -> [StreamAction] { handler.opened(connection, at: now) }

    func received(_ bytes: Span<UInt8>, from connection: Int, at now: Duration) -> [StreamAction] {
        pieces += 1
        guard pieces <= answered else { return forged.isEmpty ? [] : [.send(forged, to: connection)] }
        return handler.received(bytes, from: connection, at: now)
    }

    func drained(_ connection: Int, at now: Duration) -> [StreamAction] { handler.drained(connection, at: now) }
    func closed(_ connection: Int, at now: Duration) -> [StreamAction] { handler.closed(connection, at: now) }
    var deadline: Duration? { nil }
    func due(at now: Duration) -> [StreamAction] { [] }
}
