import Primitives
import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaChat

@Suite struct HandshakeTests {
    @Test(arguments: [
        LoginAcknowledgement.silent, LoginAcknowledgement(milliseconds: 1_700_000_000_123, queuedCount: 7),
    ])
    func `both halves finish, with either form of the acknowledgement`(_ told: LoginAcknowledgement) throws {
        let connected = try Connected(acknowledgement: told)
        let isOpen = connected.client.isOpen
        #expect(isOpen)
        #expect(connected.toServer.count == 48 + 144 + 16 + connected.scene.extensions.encoded.count)
        #expect(connected.toClient.count == 80 + 32)
    }

    @Test func `the reserved bytes of an acknowledgement are ignored`() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0]
        #expect(LoginAcknowledgement(decoding: bytes.span) == LoginAcknowledgement(milliseconds: 5, queuedCount: 6))
    }

    @Test func `a server may have an alternative key`() {
        let scene = Scene()
        var client = scene.client(serverKeys: [ServerKey.random().publicKey, scene.serverKey.publicKey])
        var server = scene.server()
        let hello = server.receive(client.hello.span, publicKey: scene.publicKey)
        let login = client.receive(hello.toSend.span)
        #expect(login.failure == nil)
        // The vouch is made with the key that opened the hello.
        #expect(server.receive(login.toSend.span, publicKey: scene.publicKey).failure == nil)
    }

    @Test func `a client refuses a server with none of the keys`() {
        let scene = Scene()
        var server = scene.server()
        for keys in [[], [ServerKey.random().publicKey]] {
            var client = scene.client(serverKeys: keys)
            let hello = server.receive(client.hello.span, publicKey: scene.publicKey)
            let refused = client.receive(hello.toSend.span)
            #expect(refused == ChatProgress(events: [], toSend: [], failure: .serverHelloNotAuthentic))
            // The failure stays, and nothing is sent.
            #expect(client.receive(hello.toSend.span) == refused)
            #expect(throws: ChatSendingError.notOpen) { try client.seal(.echoRequest([])) }
            server = scene.server()
        }
    }

    @Test func `a client refuses a hello that was made for another connection`() {
        let scene = Scene()
        var server = scene.server()
        // The same temporary key, but another cookie.
        let other = scene.client(cookie: ChatCookie([UInt8](repeating: 1, count: 16)))
        let hello = server.receive(other.hello.span, publicKey: scene.publicKey)
        var client = scene.client()
        #expect(client.receive(hello.toSend.span).failure == .clientCookieNotRepeated)
    }

    @Test func `neither half accepts its own cookie`() throws {
        let scene = Scene()
        var server = scene.server(cookie: Scene.clientCookie)
        var client = scene.client()
        #expect(server.receive(client.hello.span, publicKey: scene.publicKey).failure == .cookiesAreEqual)
        let hello = Scene.clientCookie.bytes + [UInt8](repeating: 0, count: 64)
        #expect(client.receive(hello.span).failure == .cookiesAreEqual)
    }

    @Test(arguments: [0, 1] as [UInt8])
    func `neither half accepts a temporary key of low order`(_ first: UInt8) throws {
        let scene = Scene()
        let weak = [first] + [UInt8](repeating: 0, count: 31)
        var server = scene.server()
        let hello = weak + Scene.clientCookie.bytes
        #expect(server.receive(hello.span, publicKey: scene.publicKey).failure == .weakTemporaryKey)

        var client = scene.client()
        let temporaryKey = TemporaryKey(secure([UInt8](repeating: 2, count: 32)))
        let shared = try ChatSecrets.shared(scene.serverKey.bytes, temporaryKey.publicKey)
        let nonce = ChatNonces(Scene.serverCookie).next
        let box = Box.seal((weak + Scene.clientCookie.bytes).span, nonce: nonce, sharedKey: shared)
        #expect(client.receive((Scene.serverCookie.bytes + box).span).failure == .weakTemporaryKey)
    }

    @Test func `a server refuses unknown identities and wrong keys`() throws {
        let scene = Scene()
        for (publicKey, refusal) in [
            (nil, ChatError.unknownIdentity), (ServerKey.random().publicKey, .wrongVouch),
        ] {
            var client = scene.client()
            var server = scene.server()
            let hello = server.receive(client.hello.span) { _ in publicKey }
            let login = client.receive(hello.toSend.span)
            let refused = server.receive(login.toSend.span) { _ in publicKey }
            #expect(refused == ChatProgress(events: [], toSend: [], failure: refusal))
        }
    }

    @Test func `a server takes frames that come before its acknowledgement`() throws {
        let scene = Scene()
        var client = scene.client()
        var server = scene.server()
        let hello = server.receive(client.hello.span, publicKey: scene.publicKey)
        let login = client.receive(hello.toSend.span)
        var cipher = try scene.clientCipher()
        let early = try ChatFrame.seal(.unblockIncoming, with: &cipher)
        let loggedIn = server.receive((login.toSend + early).span, publicKey: scene.publicKey)
        #expect(loggedIn.events == [.login(Scene.alice, scene.extensions)])
        #expect(throws: ChatSendingError.notOpen) { try server.seal(.queueSendComplete) }
        let accepted = server.accept(.silent)
        #expect(accepted.events == [.received(.unblockIncoming)])
        #expect(accepted.toSend.count == 32)
    }
}

extension Scene {
    /// What the client's half has, for frames that it would not seal itself.
    func clientCipher() throws -> ChatCipher {
        let temporaryKey = TemporaryKey(secure([UInt8](repeating: 2, count: 32)))
        let server = TemporaryKey(secure([UInt8](repeating: 4, count: 32)))
        let key = try ChatSecrets.shared(temporaryKey.bytes, server.publicKey)
        return ChatCipher(key: key, own: (Scene.clientCookie, 3), other: (Scene.serverCookie, 3))
    }

    /// What the server's half has.
    func serverCipher() throws -> ChatCipher {
        let temporaryKey = TemporaryKey(secure([UInt8](repeating: 2, count: 32)))
        let server = TemporaryKey(secure([UInt8](repeating: 4, count: 32)))
        let key = try ChatSecrets.shared(temporaryKey.bytes, server.publicKey)
        return ChatCipher(key: key, own: (Scene.serverCookie, 3), other: (Scene.clientCookie, 3))
    }
}
