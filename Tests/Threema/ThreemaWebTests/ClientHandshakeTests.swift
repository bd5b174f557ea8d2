import SecureMemory
import Testing
import Threema
import ThreemaMessages

@testable import ThreemaWeb

/// What each client refuses of a peer that has the right keys.
@Suite struct ClientHandshakeTests {
    /// A responder that says what the test wants.
    private final class Responder {
        let client: Client
        let server = TestConnection()
        var link: SignalingLink
        let session = SessionKey(secure(bytes(0x55)))
        var sessionBox = EnclosedKey.random()
        let permanentBox = SharedKeys.shared(Scene.responderKey.bytes, Scene.initiatorKey.publicKey)

        init(_ initiator: consuming InitiatorClient) throws {
            client = Client(initiator)
            link = SignalingLink(
                own: 2, other: 1, SendingNonces(cookie: SignalingCookie(bytes(0x44, 16)), sequence: 9),
                ReceivingNonces())
            try server.take(client.receive(server.hello()).toSend)
            _ = client.receive(try server.auth(address: 1, peers: [2]))
        }

        func token(_ members: [String: MessagePackValue]? = nil, type: String = "token") throws -> SignalingProgress {
            let members = members ?? ["key": .bytes(Scene.responderKey.publicKey.bytes)]
            return client.receive(try link.seal(map(type, members), key: Scene.token.bytes))
        }

        @discardableResult
        func key(_ members: [String: MessagePackValue]? = nil, type: String = "key") throws -> SignalingProgress {
            let members = members ?? ["key": .bytes(session.publicKey.bytes)]
            let progress = client.receive(try link.seal(map(type, members), key: permanentBox.bytes))
            if let answer = progress.toSend.first, answer[17] == 2 {
                let plain = try link.open(answer.span, SignalingNonce(answer.span), key: permanentBox.bytes, .key)
                let theirs = try SignalingFields(plain.span, limits: .handshake).publicKey(.key)
                sessionBox = SharedKeys.shared(session.bytes, theirs)
            }
            return progress
        }

        func auth(_ changes: [String: MessagePackValue?] = [:], type: String = "auth") throws -> SignalingProgress {
            let name = SignalingTask.relayedData.name
            var members: [String: MessagePackValue] = [
                "your_cookie": .bytes(link.otherCookie!.bytes), "tasks": .array([.text(name)]),
                "data": .map([.init(name, .null)]),
            ]
            for (name, value) in changes { members[name] = value }
            return client.receive(try link.seal(map(type, members), key: sessionBox.bytes))
        }
    }

    private func isDropped(_ progress: SignalingProgress, _ error: SignalingError) -> Bool {
        progress.events == [.dropped(2, .protocolError, error)] && progress.failure == nil && progress.close == nil
            && progress.toSend.count == 1
    }

    @Test func `the responder of these tests pairs`() throws {
        let responder = try Responder(Scene.initiator())
        #expect(try responder.token() == SignalingProgress())
        #expect(try responder.key().toSend.count == 1)
        let peer = PairedPeer(address: 2, publicKey: Scene.responderKey.publicKey, task: .relayedData, taskData: .null)
        #expect(try responder.auth().events == [.paired(peer)])
    }

    @Test func `tokens`() throws {
        let weak = MessagePackValue.bytes([UInt8](repeating: 0, count: 32))
        for (members, type, error) in [
            ([:], "token", .field(.key)), (["key": .bytes(bytes(1, 31))], "token", .field(.key)),
            (["key": weak], "token", .weakKey), (nil, "key", .otherType(.key)), (nil, "tok", .unknownType),
        ] as [([String: MessagePackValue]?, String, SignalingContentError)] {
            let responder = try Responder(Scene.initiator())
            #expect(isDropped(try responder.token(members, type: type), .message(.token, error)))
        }
    }

    @Test func `session keys`() throws {
        for (members, type, error) in [
            ([:], "key", .message(.key, .field(.key))), (nil, "token", .message(.key, .otherType(.token))),
            (["key": .bytes(Scene.responderKey.publicKey.bytes)], "key", .sessionKeyIsPermanent),
            (["key": .bytes(Scene.initiatorKey.publicKey.bytes)], "key", .sessionKeyIsPermanent),
        ] as [([String: MessagePackValue]?, String, SignalingError)] {
            let responder = try Responder(Scene.initiator(.peer(Scene.responderKey.publicKey)))
            #expect(isDropped(try responder.key(members, type: type), error))
        }
    }

    @Test func `auths`() throws {
        let name = SignalingTask.relayedData.name
        let cases: [([String: MessagePackValue?], String, SignalingError)] = [
            (["your_cookie": .bytes(bytes(1, 16))], "auth", .cookieNotRepeated),
            (["your_cookie": .null], "auth", .message(.auth, .field(.yourCookie))),
            (["tasks": nil], "auth", .message(.auth, .field(.tasks))),
            (["tasks": .array([.unsigned(1)])], "auth", .message(.auth, .field(.tasks))),
            (["tasks": .array([])], "auth", .tasks),
            (["tasks": .array([.text(name), .text(name)])], "auth", .tasks),
            (["tasks": .array([.text(name), .text("else")])], "auth", .tasks),
            (["tasks": .array((0..<17).map { .text("\($0)") })], "auth", .tasks),
            (["data": .null], "auth", .message(.auth, .field(.data))),
            (["data": .map([])], "auth", .tasks),
            (["data": .map([.init(name, .unsigned(1))])], "auth", .tasks),
            ([:], "key", .message(.auth, .otherType(.key))),
        ]
        for (changes, type, error) in cases {
            let responder = try Responder(Scene.initiator(.peer(Scene.responderKey.publicKey)))
            try responder.key()
            #expect(isDropped(try responder.auth(changes, type: type), error), "\(changes)")
        }
    }

    @Test func `after the handshake`() throws {
        for (type, members, error) in [
            ("data", [:], .field(.data)), ("application", [:], .field(.data)), ("close", [:], .field(.reason)),
            ("close", ["reason": .unsigned(70_000)], .field(.reason)), ("auth", [:], .otherType(.auth)),
            ("offer", [:], .unknownType),
        ] as [(String, [String: MessagePackValue], SignalingContentError)] {
            let responder = try Responder(Scene.initiator(.peer(Scene.responderKey.publicKey)))
            try responder.key()
            _ = try responder.auth()
            let message = try responder.link.seal(map(type, members), key: responder.sessionBox.bytes)
            let progress = responder.client.receive(message)
            #expect(progress.failure == .message(.task, error) && progress.close == .protocolError)
        }
        let responder = try Responder(Scene.initiator(.peer(Scene.responderKey.publicKey)))
        try responder.key()
        _ = try responder.auth()
        let close = try responder.link.seal(
            map("close", ["reason": .unsigned(4000)]), key: responder.sessionBox.bytes)
        #expect(responder.client.receive(close).events == [.peerCloses(nil)])
    }

    @Test func `an initiator that chooses what a responder does not have`() throws {
        let name = SignalingTask.relayedData.name
        for (members, wanted) in [
            (["task": .text("else"), "data": .map([.init("else", .null)])], .unknownTask),
            (["task": .text(name), "data": .map([])], .tasks),
            (["task": .text(name), "data": .map([.init(name, .null), .init("else", .null)])], .tasks),
            (["task": .unsigned(1), "data": .map([])], .message(.auth, .field(.task))),
            (["task": .text(name)], .message(.auth, .field(.data))),
        ] as [([String: MessagePackValue], SignalingError)] {
            let (client, server) = (Client(Scene.responder(nil)), TestConnection())
            try server.take(client.receive(server.hello()).toSend)
            let key = client.receive(try server.auth(address: 2, peers: [1])).toSend[0]
            var link = SignalingLink(
                own: 1, other: 2, SendingNonces(cookie: SignalingCookie(bytes(0x33, 16)), sequence: 1),
                ReceivingNonces())
            let permanent = SharedKeys.shared(Scene.initiatorKey.bytes, Scene.responderKey.publicKey)
            let plain = try link.open(key.span, SignalingNonce(key.span), key: permanent.bytes, .key)
            let theirs = try SignalingFields(plain.span, limits: .handshake).publicKey(.key)
            let own = SessionKey(secure(bytes(0x22)))
            let session = SharedKeys.shared(own.bytes, theirs)
            let answer = map("key", ["key": .bytes(own.publicKey.bytes)])
            let auth = client.receive(try link.seal(answer, key: permanent.bytes)).toSend[0]
            let opened = try link.open(auth.span, SignalingNonce(auth.span), key: session.bytes, .auth)
            #expect(try SignalingFields(opened.span, limits: .handshake).type == "auth")
            let all = members.merging(["your_cookie": .bytes(link.otherCookie!.bytes)]) { old, _ in old }
            let refused = client.receive(try link.seal(map("auth", all), key: session.bytes))
            #expect(refused.failure == wanted)
        }
    }
}
