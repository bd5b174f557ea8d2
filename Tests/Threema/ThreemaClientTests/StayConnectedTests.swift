import ByteStreams
import StreamKit
import Testing
import Threema
import ThreemaChat

@testable import ThreemaClient

/// A client that connects again, or does not.
@Suite struct StayConnectedTests {
    private let home: Household
    private let serverKey = ServerKey.random()
    private let network: LoopbackNetwork

    init() throws {
        home = try Household()
        let keys = [home.alice.id: home.alice.publicKey]
        network = LoopbackNetwork(ChatServer(key: serverKey) { keys[$0] })
    }

    private func logIn(
        _ side: Side, on stream: any ByteStream, key: PublicKey? = nil
    ) throws -> ChatSession {
        let client = ChatClient(
            identity: side.identity(), serverKeys: [key ?? serverKey.publicKey], extensions: try LoginExtensions([]))
        return try ChatSession(client, on: stream) { [network] in network.now }
    }

    /// Ends the loop: the test has seen enough.
    private struct Enough: Error {}

    @Test func `of two devices with one identity, the first does not come back`() throws {
        var (logins, waits) = (0, [Duration]())
        var second: MessageClient?
        let other = try Household()
        let end = try MessageClient.stayConnected(
            home.alice.mailbox,
            logIn: {
                logins += 1
                return try logIn(home.alice, on: LoopbackStream(network))
            },
            sleep: { waits.append($0) },
            use: { first in
                #expect(first.connectionEnd == nil)
                if second == nil {
                    second = try MessageClient(
                        other.alice.mailbox, on: logIn(home.alice, on: LoopbackStream(network)))
                }
                var said: [MessageClient.Event] = []
                defer {
                    #expect(
                        said.last == .said(.closeError(mayReconnect: false, text: "This ID has logged in elsewhere.")))
                    #expect(first.connectionEnd == .closedByServer(mayReconnect: false))
                }
                while let event = try first.receive(within: .zero) { said.append(event) }
            })
        #expect(end == .closedByServer(mayReconnect: false))
        #expect(logins == 1 && waits == [])
        // The second one is still connected.
        #expect(try second?.receive(within: .zero) == .said(.queueSendComplete))
        #expect(try second?.receive(within: .zero) == nil)
        #expect(second?.connectionEnd == nil)
    }

    @Test func `who has read enough is not connected again, also if the server has closed`() throws {
        let closing = LoopbackNetwork(ClosingServer(serverKey, home.alice.publicKey))
        var logins = 0
        let end = try MessageClient.stayConnected(
            home.alice.mailbox,
            logIn: {
                logins += 1
                return try logIn(home.alice, on: LoopbackStream(closing))
            },
            sleep: { _ in throw Enough() },
            use: { client in #expect(client.connectionEnd == .closedByServer(mayReconnect: true)) })
        #expect(end == .stopped && logins == 1)
    }

    @Test func `a server that permits it is asked again`() throws {
        let closing = LoopbackNetwork(ClosingServer(serverKey, home.alice.publicKey))
        var (logins, waits) = (0, [Duration]())
        #expect(throws: Enough.self) {
            try MessageClient.stayConnected(
                home.alice.mailbox,
                logIn: {
                    logins += 1
                    return try logIn(home.alice, on: LoopbackStream(closing))
                },
                sleep: {
                    waits.append($0)
                    if waits.count == 3 { throw Enough() }
                }, jitter: { 0 },
                use: { client in
                    let event = try client.receive(within: .zero)
                    #expect(event == .said(.closeError(mayReconnect: true, text: "Restart")))
                    while try client.receive(within: .zero) != nil {}
                })
        }
        // Each log-in begins with the shortest wait again.
        #expect(logins == 3 && waits == [2, 2, 2].map { .seconds($0) })
    }

    @Test func `a server that is not there is tried again, and a client that stops is not`() throws {
        var (logins, waits) = (0, [Duration]())
        let end = try MessageClient.stayConnected(
            home.alice.mailbox,
            logIn: {
                logins += 1
                if logins < 4 { throw StreamError.refused }
                return try logIn(home.alice, on: LoopbackStream(network))
            },
            sleep: { waits.append($0) }, jitter: { 0.5 },
            use: { client in
                let event = try client.receive(within: .zero)
                #expect(event == .said(.queueSendComplete))
            })
        #expect(end == .stopped && logins == 4)
        #expect(waits == [1.5, 3, 6].map { .seconds($0) })
    }

    @Test func `a refused log-in is tried again after the longest wait`() throws {
        var waits: [Duration] = []
        #expect(throws: Enough.self) {
            // The server does not know Bob.
            try MessageClient.stayConnected(
                home.bob.mailbox, logIn: { try logIn(home.bob, on: LoopbackStream(network)) },
                sleep: {
                    waits.append($0)
                    if waits.count == 2 { throw Enough() }
                }, jitter: { 0 }, use: { _ in Issue.record("logged in") })
        }
        #expect(waits == [.seconds(10), .seconds(10)])
    }

    @Test func `another server is not tried again`() throws {
        let key = ServerKey.random().publicKey
        let end = try MessageClient.stayConnected(
            home.alice.mailbox, logIn: { try logIn(home.alice, on: LoopbackStream(network), key: key) },
            sleep: { _ in Issue.record("waits") }, use: { _ in Issue.record("logged in") })
        #expect(end == .wrongServer)
    }

    @Test func `an error that is none of the connection is thrown`() throws {
        let stream = LoopbackStream(network)
        #expect(throws: Crash.self) {
            try MessageClient.stayConnected(
                home.alice.mailbox, logIn: { try logIn(home.alice, on: stream) },
                sleep: { _ in Issue.record("waits") }, use: { _ in throw Crash() })
        }
        // The connection is closed.
        #expect(throws: StreamError.closed) { try stream.write([1].span, within: .zero) }
        #expect(throws: Crash.self) {
            try MessageClient.stayConnected(
                home.alice.mailbox, logIn: { throw Crash() }, sleep: { _ in Issue.record("waits") }, use: { _ in })
        }
    }
}

/// A server that logs clients in and says that it restarts.
private final class ClosingServer: StreamHandler {
    private let key: ServerKey
    private let publicKey: PublicKey
    private var clients: [Int: Client] = [:]

    private final class Client {
        var half: ChatServerConnection
        init(_ key: ServerKey) { half = ChatServerConnection(serverKey: key) }
    }

    init(_ key: ServerKey, _ publicKey: PublicKey) {
        self.key = key
        self.publicKey = publicKey
    }

    func opened(_ connection: Int, at now: Duration) -> [StreamAction] {
        clients[connection] = Client(key)
        return []
    }

    func received(_ bytes: Span<UInt8>, from connection: Int, at now: Duration) -> [StreamAction] {
        guard let client = clients[connection] else { return [] }
        let progress = client.half.receive(bytes) { [publicKey] _ in publicKey }
        guard case .login = progress.events.first else { return [.send(progress.toSend, to: connection)] }
        let accepted = client.half.accept(.silent).toSend
        let frame = try! client.half.seal(.closeError(mayReconnect: true, text: "Restart"))
        return [.send(accepted + frame, to: connection), .close(connection)]
    }

    func drained(_ connection: Int, at now: Duration) -> [StreamAction] { [] }
    func closed(_ connection: Int, at now: Duration) -> [StreamAction] { [] }
    var deadline: Duration? { nil }
    func due(at now: Duration) -> [StreamAction] { [] }
}
