import ByteStreams
import Primitives
import SecureMemory
import StreamKit
import Testing
import Threema
import ThreemaMessages

@testable import ThreemaChat

/// A chat server with its clients, in one thread and on one clock.
final class Chat {
    let serverKey = ServerKey.random()
    let server: ChatServer
    let network: LoopbackNetwork
    let pushed = Pushed()

    final class Pushed {
        var all: [(token: PushToken, payload: [UInt8])] = []
    }

    init(_ change: (inout ChatServer.Settings) -> Void = { _ in }) {
        var settings = ChatServer.Settings()
        change(&settings)
        server = ChatServer(
            key: serverKey, settings: settings,
            publicKey: { id in Self.seeds[id].map { Self.identity(id, seed: $0).clientKey.publicKey } },
            push: { [pushed] in pushed.all.append(($0, $1)) })
        network = LoopbackNetwork(server)
    }

    /// The identities that the server knows.
    static let seeds: [ThreemaID: UInt8] = [Scene.alice: 1, Scene.bob: 7]

    static func identity(_ id: ThreemaID, seed: UInt8) -> Identity {
        Identity(id: id, clientKey: ClientKey(secure([UInt8](repeating: seed, count: 32))))
    }

    /// - Parameter seed: of another key than the identity has.
    func client(_ id: ThreemaID, _ extensions: [LoginExtension] = [], seed: UInt8? = nil) throws -> ChatClient {
        ChatClient(
            identity: Self.identity(id, seed: seed ?? Self.seeds[id]!), serverKeys: [serverKey.publicKey],
            extensions: try LoginExtensions(extensions))
    }

    func logIn(_ id: ThreemaID, _ extensions: LoginExtension...) throws -> ChatSession {
        try ChatSession(client(id, extensions), on: LoopbackStream(network)) { [network] in network.now }
    }

    /// Logs in, and takes what a client without messages is told.
    func logInQuietly(_ id: ThreemaID) throws -> ChatSession {
        let session = try logIn(id)
        #expect(try session.receive(within: .zero) == .queueSendComplete)
        return session
    }
}

extension ChatSession {
    func all() throws -> [ChatPayload] {
        var payloads: [ChatPayload] = []
        while let payload = try receive(within: .zero) { payloads.append(payload) }
        return payloads
    }
}

private func acknowledgement(_ id: UInt64, by receiver: ThreemaID = Scene.bob) -> ChatPayload {
    .serverAcknowledgement(ChatAcknowledgement(receiver, MessageID(id)))
}

private func have(_ id: UInt64, of sender: ThreemaID = Scene.alice) -> ChatPayload {
    .clientAcknowledgement(ChatAcknowledgement(sender, MessageID(id)))
}

@Suite struct ChatServerTests {
    @Test func `messages go both ways and are acknowledged`() throws {
        let chat = Chat()
        let alice = try chat.logInQuietly(Scene.alice)
        let bob = try chat.logInQuietly(Scene.bob)
        try alice.send(.outgoingMessage(message(1).encoded))
        #expect(try alice.all() == [acknowledgement(1)])
        #expect(try bob.all() == [.incomingMessage(message(1).encoded)])
        try bob.send(have(1))
        let answer = message(2, from: Scene.bob, to: Scene.alice)
        try bob.send(.outgoingMessage(answer.encoded))
        #expect(try bob.all() == [acknowledgement(2, by: Scene.alice)])
        #expect(try alice.all() == [.incomingMessage(answer.encoded)])
        #expect(chat.server.queuedCount(for: Scene.bob) == 0)
        #expect(chat.server.queuedCount(for: Scene.alice) == 1)
    }

    @Test func `an unacknowledged message is delivered again after a reconnect`() throws {
        let chat = Chat { $0.startMilliseconds = 1_700_000_000_000 }
        chat.network.wait(until: .seconds(3))
        let alice = try chat.logInQuietly(Scene.alice)
        for number in 1...3 as ClosedRange<UInt64> { try alice.send(.outgoingMessage(message(number).encoded)) }
        let delivered = (1...3).map { ChatPayload.incomingMessage(message($0).encoded) }
        let bob = try chat.logIn(Scene.bob)
        #expect(bob.acknowledgement == LoginAcknowledgement(milliseconds: 1_700_000_003_000, queuedCount: 3))
        #expect(try bob.all() == delivered + [.queueSendComplete])
        try bob.send(have(2))
        bob.close()
        let again = try chat.logIn(Scene.bob)
        #expect(again.acknowledgement.queuedCount == 2)
        #expect(try again.all() == [delivered[0], delivered[2], .queueSendComplete])
    }

    @Test func `the same message is delivered once and acknowledged each time`() throws {
        let chat = Chat()
        let alice = try chat.logInQuietly(Scene.alice)
        let bob = try chat.logInQuietly(Scene.bob)
        for _ in 0..<2 {
            try alice.send(.outgoingMessage(message(1).encoded))
            #expect(try alice.all() == [acknowledgement(1)])
        }
        #expect(try bob.all() == [.incomingMessage(message(1).encoded)])
    }

    /// Flags, whether the sender is told, whether the message is there after 59 seconds, and after 60.
    static let kept: [(MessageFlags, Bool, Bool, Bool)] = [
        (.push, true, true, true), (.noServerQueue, true, false, false), (.noServerAcknowledgement, false, true, true),
        (.shortLived, true, true, false), ([.noServerQueue, .noServerAcknowledgement], false, false, false),
    ]

    @Test(arguments: kept)
    func `a server keeps what the flags say`(
        _ flags: MessageFlags, _ isTold: Bool, _ isThere: Bool, _ isThereLater: Bool
    ) throws {
        for (wait, isThere) in [(Duration.seconds(59), isThere), (.seconds(60), isThereLater)] {
            let chat = Chat()
            let alice = try chat.logInQuietly(Scene.alice)
            try alice.send(.outgoingMessage(message(1, flags: flags).encoded))
            #expect(try alice.all() == (isTold ? [acknowledgement(1)] : []))
            chat.network.wait(until: wait)
            let bob = try chat.logIn(Scene.bob)
            let delivered = ChatPayload.incomingMessage(message(1, flags: flags).encoded)
            #expect(try bob.all() == (isThere ? [delivered] : []) + [.queueSendComplete])
        }
        // A connected receiver gets all of them.
        let chat = Chat()
        let bob = try chat.logInQuietly(Scene.bob)
        let alice = try chat.logInQuietly(Scene.alice)
        try alice.send(.outgoingMessage(message(1, flags: flags).encoded))
        #expect(try bob.all() == [.incomingMessage(message(1, flags: flags).encoded)])
    }

    @Test func `a client that is away is notified of what its sender marks`() throws {
        let chat = Chat()
        let key = PushKey.random()
        let apns = PushToken.apns(token: [1], bundleID: "a", isProduction: true)
        let alice = try chat.logInQuietly(Scene.alice)
        var number: UInt64 = 0
        func write(_ flags: MessageFlags) throws {
            number += 1
            try alice.send(.outgoingMessage(message(number, flags: flags).encoded))
        }
        for token in [apns, .fcm(token: "a"), .none] {
            let bob = try chat.logIn(Scene.bob)
            try bob.send(.pushToken(EnclosedBytes(token.encoded(key: key))), .pushToken(EnclosedBytes(secure([1]))))
            try write(.push)
            bob.close()
            for flags in [MessageFlags.push, [], [.push, .noServerQueue]] { try write(flags) }
            // It is in the queue already.
            try alice.send(.outgoingMessage(message(number - 2, flags: .push).encoded))
        }
        #expect(chat.pushed.all.map(\.token) == [apns, .fcm(token: "a")])
        let payload = try #require(chat.pushed.all.first).payload
        let notification = try PushNotification(payload.span, key: key)
        #expect(notification.sender == Scene.alice && notification.messageID == MessageID(2))
        #expect(chat.pushed.all[1].payload == [])
    }

    @Test func `a message to nobody is acknowledged and dropped`() throws {
        let chat = Chat()
        let nobody = try ThreemaID("NOBODY00")
        let alice = try chat.logInQuietly(Scene.alice)
        try alice.send(.outgoingMessage(message(1, to: nobody).encoded))
        #expect(try alice.all() == [acknowledgement(1, by: nobody)])
        #expect(chat.server.queuedCount(for: nobody) == 0)
    }

    @Test func `another login of the same identity ends the first one`() throws {
        let chat = Chat()
        let first = try chat.logInQuietly(Scene.bob)
        let second = try chat.logInQuietly(Scene.bob)
        #expect(
            try first.receive(within: .zero)
                == .closeError(mayReconnect: false, text: "This ID has logged in elsewhere."))
        #expect(throws: ChatSessionError.closedByServer(mayReconnect: false)) { try first.receive(within: .zero) }
        #expect(first.connectionEnd == .closedByServer(mayReconnect: false) && second.connectionEnd == nil)
        // The end of the first one does not end the second one.
        let alice = try chat.logInQuietly(Scene.alice)
        try alice.send(.outgoingMessage(message(1).encoded))
        #expect(try second.all() == [.incomingMessage(message(1).encoded)])
    }

    @Test func `another device cookie is told until the user knows`() throws {
        let chat = Chat()
        let own = LoginExtension.deviceCookie([UInt8](repeating: 1, count: 16))
        let other = LoginExtension.deviceCookie([UInt8](repeating: 2, count: 16))
        #expect(try chat.logIn(Scene.alice, own).all() == [.queueSendComplete])
        #expect(try chat.logIn(Scene.alice, own).all() == [.queueSendComplete])
        #expect(try chat.logIn(Scene.alice).all() == [.queueSendComplete])
        for _ in 0..<2 {
            #expect(try chat.logIn(Scene.alice, other).all() == [.deviceCookieChanged, .queueSendComplete])
        }
        let session = try chat.logIn(Scene.alice, other)
        try session.send(.clearDeviceCookieChange)
        #expect(try session.all() == [.deviceCookieChanged, .queueSendComplete])
        #expect(try chat.logIn(Scene.alice, other).all() == [.queueSendComplete])
    }

    @Test func `one of several devices gets messages when it asks for them`() throws {
        let chat = Chat { $0.alert = "Maintenance at noon" }
        let alice = try chat.logIn(Scene.alice)
        #expect(try alice.all() == [.alert("Maintenance at noon"), .queueSendComplete])
        try alice.send(.outgoingMessage(message(1).encoded))
        let bob = try chat.logIn(Scene.bob, .deviceID(3))
        #expect(try bob.all() == [.alert("Maintenance at noon")])
        try alice.send(.outgoingMessage(message(2).encoded))
        #expect(try bob.all() == [])
        try bob.send(.unblockIncoming)
        let delivered = (1...2).map { ChatPayload.incomingMessage(message($0).encoded) }
        #expect(try bob.all() == delivered + [.queueSendComplete])
    }

    @Test func `a long queue waits until the system has taken its beginning`() throws {
        let server = Chat()
        let alice = try server.logInQuietly(Scene.alice)
        for number in 1...2_000 as ClosedRange<UInt64> { try alice.send(.outgoingMessage(message(number).encoded)) }
        var client = try server.client(Scene.bob)
        let handler = server.server
        _ = handler.opened(99, at: .zero)
        let hello = bytes(handler.received(client.hello.span, from: 99, at: .zero), to: 99)
        let login = client.receive(hello.span).toSend
        var pieces = [bytes(handler.received(login.span, from: 99, at: .zero), to: 99)]
        while pieces.last?.isEmpty == false { pieces.append(bytes(handler.drained(99, at: .zero), to: 99)) }
        let sizes = pieces.map(\.count)
        #expect(sizes.count > 2)
        #expect(sizes.allSatisfy { $0 < ChatServer.windowBytes + ChatFrame.maxBoxCount })
        var events = 0
        for piece in pieces { events += client.receive(piece.span).events.count }
        // The acknowledgement of the login, the messages, and the end of the queue.
        #expect(events == 2_002)
    }

    @Test(arguments: [false, true])
    func `a bad frame in the piece that asks for messages loses none`(_ isBlocked: Bool) throws {
        let chat = Chat()
        let alice = try chat.logInQuietly(Scene.alice)
        for number in 1...3 as ClosedRange<UInt64> {
            try alice.send(.outgoingMessage(message(number, flags: .noServerAcknowledgement).encoded))
        }
        var client = try chat.client(Scene.bob, isBlocked ? [.deviceID(3)] : [])
        let handler = chat.server
        _ = handler.opened(99, at: .zero)
        let hello = bytes(handler.received(client.hello.span, from: 99, at: .zero), to: 99)
        var asking = client.receive(hello.span).toSend
        if isBlocked {
            let accepted = bytes(handler.received(asking.span, from: 99, at: .zero), to: 99)
            #expect(client.receive(accepted.span).failure == nil)
            asking = try client.seal(.unblockIncoming)
        }
        asking += [20, 0] + [UInt8](repeating: 0, count: 20)
        #expect(handler.received(asking.span, from: 99, at: .zero).contains(.close(99)))
        let delivered = (1...3).map {
            ChatPayload.incomingMessage(message($0, flags: .noServerAcknowledgement).encoded)
        }
        #expect(try chat.logIn(Scene.bob).all() == delivered + [.queueSendComplete])
    }

    private func bytes(_ actions: [StreamAction], to connection: Int) -> [UInt8] {
        var all: [UInt8] = []
        for case .send(let bytes, connection) in actions { all += bytes }
        return all
    }

    @Test func `a wrong key, an unknown identity and bytes of another protocol end the connection`() throws {
        let chat = Chat()
        for id in [Scene.alice, try ThreemaID("NOBODY00")] {
            #expect(throws: ChatSessionError.loginRefused) {
                _ = try ChatSession(chat.client(id, seed: 9), on: LoopbackStream(chat.network)) { .zero }
            }
        }
        let stream = LoopbackStream(chat.network)
        try stream.write([UInt8](repeating: 0, count: 48).span, within: .zero)
        #expect(try stream.read(upTo: 9, within: .zero) == [])
    }

    @Test func `a client that does not log in is closed`() throws {
        let chat = Chat()
        let stream = LoopbackStream(chat.network)
        chat.network.wait(until: .seconds(19))
        #expect(throws: StreamError.timedOut(.read)) { try stream.read(upTo: 9, within: .zero) }
        #expect(try stream.read(upTo: 9, within: .seconds(60)) == [])
        #expect(chat.network.now == .seconds(20))
    }
}
