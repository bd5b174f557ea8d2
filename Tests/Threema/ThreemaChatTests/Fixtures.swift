import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaChat

/// A copy in guarded memory.
func secure(_ bytes: [UInt8]) -> SecureBytes { SecureBytes(copying: bytes.span) }

/// Who logs in where, always with the same keys and cookies.
struct Scene {
    static let alice = try! ThreemaID("000ALICE")
    static let bob = try! ThreemaID("00000BOB")
    static let clientCookie = ChatCookie([UInt8](repeating: 0xc1, count: 16))
    static let serverCookie = ChatCookie([UInt8](repeating: 0x5e, count: 16))

    let serverKey = ServerKey(secure([UInt8](repeating: 3, count: 32)))
    var extensions = try! LoginExtensions([
        .features([.metadataBox, .echoRequests]), .clientInfo("1.0;L;en/CH;test"), .deviceID(7),
        .deviceCookie([UInt8](repeating: 0xdc, count: 16)),
    ])

    var identity: Identity { Identity(id: Self.alice, clientKey: ClientKey(secure([UInt8](repeating: 1, count: 32)))) }

    func publicKey(of id: ThreemaID) -> PublicKey? { id == Self.alice ? identity.clientKey.publicKey : nil }

    func client(serverKeys: [PublicKey]? = nil, cookie: ChatCookie = Self.clientCookie) -> ChatClient {
        ChatClient(
            identity: identity, serverKeys: serverKeys ?? [serverKey.publicKey], extensions: extensions,
            temporaryKey: TemporaryKey(secure([UInt8](repeating: 2, count: 32))), cookie: cookie)
    }

    func server(cookie: ChatCookie = Self.serverCookie) -> ChatServerConnection {
        ChatServerConnection(
            serverKey: serverKey, temporaryKey: TemporaryKey(secure([UInt8](repeating: 4, count: 32))), cookie: cookie)
    }
}

/// The two halves with a finished handshake.
final class Connected {
    var client: ChatClient
    var server: ChatServerConnection
    let scene: Scene
    /// What passed between them, by direction.
    let toServer: [UInt8]
    let toClient: [UInt8]

    init(_ scene: Scene = Scene(), acknowledgement: LoginAcknowledgement = .silent) throws {
        self.scene = scene
        client = scene.client()
        server = scene.server()
        let hello = client.hello
        let serverHello = server.receive(hello.span, publicKey: scene.publicKey)
        let login = client.receive(serverHello.toSend.span)
        #expect(login.failure == nil)
        let loggedIn = server.receive(login.toSend.span, publicKey: scene.publicKey)
        #expect(loggedIn == ChatProgress(events: [.login(Scene.alice, scene.extensions)], toSend: []))
        let accepted = server.accept(acknowledgement)
        let opened = client.receive(accepted.toSend.span)
        #expect(opened == ChatProgress(events: [.loggedIn(acknowledgement)], toSend: []))
        toServer = hello + login.toSend
        toClient = serverHello.toSend + accepted.toSend
    }

    func serverReceives(_ bytes: [UInt8]) -> ChatProgress<ChatServerConnection.Event> {
        server.receive(bytes.span, publicKey: scene.publicKey)
    }
}

/// A message whose boxes nobody opens here.
func message(
    _ id: UInt64, from sender: ThreemaID = Scene.alice, to receiver: ThreemaID = Scene.bob, flags: MessageFlags = []
) -> MessagePayload {
    MessagePayload(
        sender: sender, receiver: receiver, id: MessageID(id), createdAt: 1_700_000_000, flags: flags,
        legacyNickname: [UInt8](repeating: 0, count: 32), metadataBox: [],
        nonce: MessageNonce([UInt8](repeating: 9, count: 24)), messageBox: [UInt8](repeating: 8, count: 60))
}
