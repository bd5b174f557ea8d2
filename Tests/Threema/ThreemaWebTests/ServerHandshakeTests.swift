import Primitives
import SecureMemory
import Testing
import Threema

@testable import ThreemaWeb

/// What a client says to a server, and what it refuses of one that has the right session key.
@Suite struct ServerHandshakeTests {
    private func client(_ address: SignalingAddress, _ serverKey: PublicKey? = Scene.serverKey.publicKey) -> Client {
        address == 1
            ? Client(Scene.initiator(serverKey: serverKey)) : Client(Scene.responder(serverKey: serverKey))
    }

    /// A client that has answered the server's hello.
    private func greeted(
        _ address: SignalingAddress, _ serverKey: PublicKey? = Scene.serverKey.publicKey
    ) throws -> (Client, TestConnection) {
        let (client, server) = (client(address, serverKey), TestConnection())
        try server.take(client.receive(server.hello()).toSend)
        return (client, server)
    }

    @Test(arguments: [1, 2] as [SignalingAddress], [true, false])
    func `what a client says of itself`(_ address: SignalingAddress, _ knowsServer: Bool) throws {
        let (client, server) = (
            client(address, knowsServer ? Scene.serverKey.publicKey : nil), TestConnection()
        )
        let answers = client.receive(try server.hello()).toSend
        #expect(answers.count == (address == 1 ? 1 : 2))
        #expect(answers.allSatisfy { $0[16] == 0 && $0[17] == 0 && $0[18] == 0 && $0[19] == 0 })
        try server.take(answers)
        #expect(server.clientKey == (address == 1 ? Scene.initiatorKey : Scene.responderKey).publicKey)
        var members: [String: MessagePackValue] = [
            "type": .text("client-auth"), "your_cookie": .bytes(server.link.cookie.bytes),
            "subprotocols": .array([.text("v1.saltyrtc.org")]), "ping_interval": .unsigned(0),
        ]
        if knowsServer { members["your_key"] = .bytes(Scene.serverKey.publicKey.bytes) }
        #expect(server.clientAuth?.members == members)
        let connected = client.receive(try server.auth(address: address, signed: knowsServer ? nil : []))
        #expect(connected.events == [.connected(address: address, peers: [])] && connected.failure == nil)
    }

    @Test func `a session key that is a permanent one, or weak`() throws {
        for key in [Scene.serverKey, Scene.initiatorKey] {
            let refused = client(1).receive(try TestConnection().hello(key: key.publicKey.bytes))
            #expect(refused.failure == .sessionKeyIsPermanent)
        }
        let weak = client(1).receive(try TestConnection().hello(key: [UInt8](repeating: 0, count: 32)))
        #expect(weak.failure == .message(.serverHello, .weakKey))
    }

    @Test(arguments: [1, 2] as [SignalingAddress])
    func `a server without the expected key`(_ address: SignalingAddress) throws {
        for signed in [[], bytes(1, 64), TestConnection().session.publicKey.bytes + bytes(9)] {
            let (client, server) = try greeted(address)
            #expect(client.receive(try server.auth(address: address, signed: signed)).failure == .serverKeyNotProved)
        }
        // Another server signs the right keys.
        let (client, server) = (client(address), TestConnection(permanent: Scene.otherKey))
        try server.take(client.receive(server.hello()).toSend)
        #expect(client.receive(try server.auth(address: address)).failure == .serverKeyNotProved)
        // A client that expects none ignores the signature.
        let (any, other) = try greeted(address, nil)
        #expect(any.receive(try other.auth(address: address, signed: bytes(1, 64))).failure == nil)
    }

    @Test func `members of server-auth`() throws {
        let cases: [(SignalingAddress, [String: MessagePackValue?], SignalingError)] = [
            (1, ["your_cookie": .bytes(bytes(8, 16))], .cookieNotRepeated),
            (1, ["your_cookie": .bytes(bytes(8, 15))], .message(.serverAuth, .field(.yourCookie))),
            (1, ["your_cookie": nil], .message(.serverAuth, .field(.yourCookie))),
            (1, ["responders": nil], .message(.serverAuth, .field(.responders))),
            (1, ["responders": .array([.unsigned(1)])], .message(.serverAuth, .field(.responders))),
            (1, ["responders": .array([.unsigned(256)])], .message(.serverAuth, .field(.responders))),
            (1, ["responders": .array([.unsigned(2), .unsigned(2)])], .message(.serverAuth, .field(.responders))),
            (1, ["responders": .array([.text("2")])], .message(.serverAuth, .field(.responders))),
            (1, ["signed_keys": .bytes(bytes(1, 79))], .message(.serverAuth, .field(.signedKeys))),
            (1, ["signed_keys": .null], .serverKeyNotProved),
            (2, ["initiator_connected": .unsigned(1)], .message(.serverAuth, .field(.initiatorConnected))),
            (2, ["initiator_connected": nil], .message(.serverAuth, .field(.initiatorConnected))),
        ]
        for (address, changes, wanted) in cases {
            let (client, server) = try greeted(address)
            let refused = client.receive(try server.auth(address: address, changes: changes))
            #expect(refused.failure == wanted && refused.close == .protocolError && refused.events.isEmpty)
        }
    }

    @Test func `a full path`() throws {
        let (client, server) = try greeted(1)
        let all = Array(SignalingNonce.responders)
        let connected = client.receive(try server.auth(address: 1, peers: all))
        #expect(connected.events == [.connected(address: 1, peers: all)])
    }

    @Test func `messages of the server that do not belong there`() throws {
        let cases: [(SignalingAddress, String, [String: MessagePackValue], SignalingContentError)] = [
            (1, "new-initiator", [:], .otherType(.newInitiator)),
            (2, "new-responder", ["id": .unsigned(3)], .otherType(.newResponder)),
            (1, "new-responder", ["id": .unsigned(1)], .field(.id)),
            (1, "new-responder", [:], .field(.id)),
            (1, "disconnected", ["id": .unsigned(0)], .field(.id)),
            (2, "disconnected", ["id": .unsigned(2)], .field(.id)),
            (1, "send-error", ["id": .bytes([2, 2, 0, 0, 0, 0, 0, 0])], .field(.id)),
            (1, "send-error", ["id": .bytes([1, 1, 0, 0, 0, 0, 0, 0])], .field(.id)),
            (1, "send-error", ["id": .bytes([1, 2, 0, 0, 0, 0, 0])], .field(.id)),
            (1, "server-auth", [:], .otherType(.serverAuth)),
            (1, "token", [:], .otherType(.token)),
            (1, "else", [:], .unknownType),
        ]
        for (address, type, members, wanted) in cases {
            let (client, server) = try greeted(address)
            _ = client.receive(try server.auth(address: address))
            #expect(client.receive(try server.seal(type, members)).failure == .message(.server, wanted))
        }
        for (plaintext, wanted) in [
            (MessagePackValue.array([]).encoded, .notMap),
            (MessagePackValue.map([]).encoded, .noType),
            (MessagePackValue.map([.init("type", .unsigned(1))]).encoded, .noType),
            (MessagePackValue.map([.init("a", .null), .init("a", .null)]).encoded, .badNames),
            ([0xc1], .messagePack(.reservedType)),
        ] as [([UInt8], SignalingContentError)] {
            let (client, server) = try greeted(1)
            _ = client.receive(try server.auth(address: 1))
            let message = try server.link.seal(plaintext, key: server.box.bytes)
            #expect(client.receive(message).failure == .message(.server, wanted))
        }
    }

    @Test func `a client before its handshake takes nothing of peers`() throws {
        let path = TestPath()
        try path.connect(Client(Scene.initiator()), at: 1)
        try path.connect(Client(Scene.responder()), at: 2)
        for address in [1, 2] as [SignalingAddress] {
            let (client, server) = try greeted(address)
            let relayed = try #require(path.relayed.first { $0[17] == address })
            #expect(client.receive(relayed).failure == .wrongSource(3 - address))
            _ = server
        }
    }
}
