import Primitives
import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaChat

@Suite struct VectorTests {
    private func key(_ inputs: Fields, _ name: String) throws -> SecureBytes { secure(try inputs.bytes(name)) }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "csp-handshake"))
    func `a vouch is that of its vector, from either side`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let server = ServerKey(try key(inputs, "serverPermanentSecret"))
        let (tck, tsk) = (TemporaryKey(try key(inputs, "tckSecret")), TemporaryKey(try key(inputs, "tskSecret")))
        let client = ClientKey(try key(inputs, "clientKey"))
        #expect(try server.publicKey.bytes == inputs.bytes("serverPermanentPublic"))
        let session = try ChatSecrets.shared(tsk.bytes, tck.publicKey)
        #expect(try session.copied == expected.bytes("sessionKey"))
        let ss1 = try ChatSecrets.shared(client.bytes, server.publicKey)
        let ss2 = try ChatSecrets.shared(client.bytes, tsk.publicKey)
        #expect(try ss1.copied == expected.bytes("ss1"))
        #expect(try ss2.copied == expected.bytes("ss2"))
        #expect(try ChatSecrets.shared(server.bytes, client.publicKey).copied == expected.bytes("ss1"))
        #expect(try ChatSecrets.shared(tsk.bytes, client.publicKey).copied == expected.bytes("ss2"))
        let vouchKey = ChatSecrets.vouchKey(permanent: ss1, temporary: ss2)
        #expect(try vouchKey.copied == expected.bytes("vouchKey"))
        let cookie = ChatCookie(try inputs.bytes("sck"))
        let vouch = ChatSecrets.vouch(key: vouchKey, serverCookie: cookie, temporaryClientKey: tck.publicKey)
        #expect(try vouch == expected.bytes("vouch"))
        let extensions = try inputs.bytes("extensions")
        let data = LoginData(
            identity: try ThreemaID(inputs.string("identity")), extensionsBoxCount: UInt16(16 + extensions.count),
            serverCookie: cookie, vouch: vouch)
        #expect(try data.encoded == expected.bytes("loginDataPlain"))
        let read = try LoginExtensions(decoding: extensions.span)
        #expect(read.encoded == extensions)
        #expect(try read.clientInfo == inputs.string("clientInfo"))
        #expect(try read.deviceID == UInt64(inputs.integer("cspDeviceId")))
        #expect(try read.deviceCookie == inputs.bytes("deviceCookie"))
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "csp-handshake"), [false, true])
    func `both halves make the bytes of their vector`(_ vector: Vector, _ isSilent: Bool) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        var keys: [String: [UInt8]] = [:]
        for name in ["clientKey", "serverPermanentSecret", "tckSecret", "tskSecret", "cck", "sck"] {
            keys[name] = try inputs.bytes(name)
        }
        let extensionBytes = try inputs.bytes("extensions")
        let extensions = try LoginExtensions(decoding: extensionBytes.span)
        let halves = Halves(try ThreemaID(inputs.string("identity")), keys, extensions)
        #expect(try halves.hello == expected.bytes("clientHello"))
        let hello = halves.serverReceives(halves.hello)
        #expect(try hello.toSend == expected.bytes("serverHello"))
        let login = halves.clientReceives(hello.toSend)
        #expect(try login.toSend == expected.bytes("login"))
        #expect(halves.serverReceives(login.toSend).events.count == 1)
        let told =
            isSilent
            ? LoginAcknowledgement.silent
            : LoginAcknowledgement(
                milliseconds: UInt64(try inputs.integer("milliseconds")),
                queuedCount: UInt32(try inputs.integer("queued")))
        let accepted = halves.accept(told)
        #expect(try accepted.toSend == expected.bytes(isSilent ? "loginAck" : "loginAckLibthreema"))
        #expect(halves.clientReceives(accepted.toSend).events == [.loggedIn(told)])

        let request = try halves.clientSeals(.echoRequest(inputs.bytes("echo")))
        #expect(try request == expected.bytes("echoRequestFrame"))
        let response = halves.serverReceives(request).toSend
        #expect(try response == expected.bytes("echoResponseFrame"))
        #expect(halves.clientReceives(response).events == [.received(.echoResponse(try inputs.bytes("echo")))])
        let messageID = try inputs.bytes("messageId")
        let named = ChatAcknowledgement(
            try ThreemaID(inputs.string("sender")), MessageID(bytes: messageID.span))
        let frame = try halves.clientSeals(.clientAcknowledgement(named))
        #expect(try frame == expected.bytes("incomingMessageAckFrame"))
        #expect(halves.serverReceives(frame).events == [.received(.clientAcknowledgement(named))])
    }
}

/// Both halves, where the compiler need not follow them through functions that throw.
private final class Halves {
    private var client: ChatClient
    private var server: ChatServerConnection

    let publicKey: PublicKey

    init(_ id: ThreemaID, _ keys: [String: [UInt8]], _ extensions: LoginExtensions) {
        let identity = Identity(id: id, clientKey: ClientKey(secure(keys["clientKey"]!)))
        let serverKey = ServerKey(secure(keys["serverPermanentSecret"]!))
        publicKey = identity.clientKey.publicKey
        client = ChatClient(
            identity: identity, serverKeys: [serverKey.publicKey], extensions: extensions,
            temporaryKey: TemporaryKey(secure(keys["tckSecret"]!)), cookie: ChatCookie(keys["cck"]!))
        server = ChatServerConnection(
            serverKey: serverKey, temporaryKey: TemporaryKey(secure(keys["tskSecret"]!)),
            cookie: ChatCookie(keys["sck"]!))
    }

    var hello: [UInt8] { client.hello }

    func serverReceives(_ bytes: [UInt8]) -> ChatProgress<ChatServerConnection.Event> {
        server.receive(bytes.span) { _ in publicKey }
    }

    func clientReceives(_ bytes: [UInt8]) -> ChatProgress<ChatClient.Event> { client.receive(bytes.span) }

    func accept(_ told: LoginAcknowledgement) -> ChatProgress<ChatServerConnection.Event> { server.accept(told) }

    func clientSeals(_ payload: ChatPayload) throws -> [UInt8] { try client.seal(payload) }
}
