@testable import ByteStreams
@testable import Encodings
@testable import Primitives
@testable import SecureMemory
@testable import Threema
@testable import ThreemaChat
@testable import ThreemaMessages

/// The chat server protocol, both sides.
enum Chat {
    static let id = try! ThreemaID("ECHOECHO")
    private static let cookie = ChatCookie([UInt8](repeating: 1, count: 16))
    private static let otherCookie = ChatCookie([UInt8](repeating: 2, count: 16))
    private static let serverKey = ServerKey(secret(3))

    static func secret(_ byte: UInt8) -> SecureBytes { SecureBytes(copying: [UInt8](repeating: byte, count: 32).span) }

    static var identity: Identity { Identity(id: id, clientKey: ClientKey(secret(9))) }

    private static func publicKey(_ asked: ThreemaID) -> PublicKey? { asked == id ? identity.clientKey.publicKey : nil }

    /// What a server gets from a stranger, in two pieces.
    static func server(_ bytes: [UInt8]) {
        let server = ChatServer(key: serverKey, publicKey: publicKey)
        _ = server.opened(1, at: .zero)
        let middle = Int(bytes.first ?? 0) % (bytes.count + 1)
        for piece in [bytes[..<middle], bytes[middle...]] {
            let actions = server.received(Array(piece).span, from: 1, at: .seconds(1))
            for case .send(let sent, _) in actions { expect(sent.count <= 256, "a stranger gets no more than a hello") }
        }
        _ = server.due(at: .seconds(3600))
        expect(server.deadline == nil, "a connection ends")
    }

    /// What a client gets from a server that does not know its keys.
    static func client(_ bytes: [UInt8]) {
        var client = ChatClient(
            identity: identity, serverKeys: [serverKey.publicKey], extensions: try! LoginExtensions([]),
            temporaryKey: TemporaryKey(secret(5)), cookie: cookie)
        let progress = client.receive(bytes.span)
        expect(!client.isOpen, "nobody else can log it in")
        expect(progress.events.isEmpty, "nothing was received")
    }

    /// A login behind a right hello: what stands in the two boxes is the input's. With the first bit, the identity, the
    /// cookie, the vouch and the length are right.
    static func login(_ bytes: [UInt8]) throws {
        let (first, rest) = split(bytes)
        var connection = ChatServerConnection(
            serverKey: serverKey, temporaryKey: TemporaryKey(secret(6)), cookie: otherCookie)
        let temporary = TemporaryKey(secret(5))
        let hello = connection.receive(Hello.client(temporary.publicKey, cookie).span, publicKey: publicKey)
        let opened = try Hello.open(
            hello.toSend.span, temporaryKey: temporary, clientCookie: cookie, serverKeys: [serverKey.publicKey])
        var cipher = ChatCipher(
            key: try ChatSecrets.shared(temporary.bytes, opened.temporaryKey), own: (cookie, 1), other: (otherCookie, 2)
        )
        var data = padded(rest, LoginData.count)
        let extensions = Array(rest.dropFirst(LoginData.count).prefix(4000))
        if first & 1 != 0 {
            let permanent = try ChatSecrets.shared(identity.clientKey.bytes, serverKey.publicKey)
            let session = try ChatSecrets.shared(identity.clientKey.bytes, opened.temporaryKey)
            let vouch = ChatSecrets.vouch(
                key: ChatSecrets.vouchKey(permanent: permanent, temporary: session), serverCookie: otherCookie,
                temporaryClientKey: temporary.publicKey)
            let count = UInt16(extensions.count + Box.tagCount)
            data = LoginData(identity: id, extensionsBoxCount: count, serverCookie: otherCookie, vouch: vouch).encoded
        }
        _ = connection.receive(cipher.seal(data.span).span, publicKey: publicKey)
        let progress = connection.receive(cipher.seal(extensions.span).span, publicKey: publicKey)
        expect(progress.events.isEmpty || first & 1 != 0, "nobody logs in without a vouch")
        guard !progress.events.isEmpty else { return }
        _ = connection.accept(.silent)
        // Frames behind the login.
        _ = connection.receive(frames(rest, &cipher).span, publicKey: publicKey)
    }

    /// Cuts the input into payloads, each behind a byte with its length, and seals them.
    private static func frames(_ bytes: [UInt8], _ cipher: inout ChatCipher) -> [UInt8] {
        var frames: [UInt8] = []
        var rest = bytes[...]
        while let count = rest.first {
            let payload = Array(rest.dropFirst().prefix(Int(count)))
            let box = cipher.seal(payload.span)
            frames += [UInt8(truncatingIfNeeded: box.count), UInt8(truncatingIfNeeded: box.count >> 8)] + box
            rest = rest.dropFirst(1 + Int(count))
        }
        return frames
    }

    /// What a server sends behind a right login: its acknowledgement is right, the payloads are the input's.
    static func serverFrames(_ bytes: [UInt8]) throws {
        var client = ChatClient(
            identity: identity, serverKeys: [serverKey.publicKey], extensions: try! LoginExtensions([]),
            temporaryKey: TemporaryKey(secret(5)), cookie: cookie)
        let temporary = TemporaryKey(secret(6))
        let known = try Hello.decodeClient(client.hello.span)
        let hello = try Hello.server(temporary.publicKey, otherCookie, key: serverKey, client: known)
        _ = client.receive(hello.span)
        var cipher = ChatCipher(
            key: try ChatSecrets.shared(temporary.bytes, known.0), own: (otherCookie, 2), other: (cookie, 1))
        _ = client.receive(cipher.seal(LoginAcknowledgement.silent.encoded.span).span)
        expect(client.isOpen, "the login is right")
        let progress = client.receive(frames(bytes, &cipher).span)
        expect(progress.events.count <= bytes.count, "an event has a frame")
    }

    static func payload(_ bytes: [UInt8]) throws {
        let payload = try ChatPayload(decoding: bytes.span)
        var receiver = cipher(cookie, otherCookie)
        var sender = cipher(otherCookie, cookie)
        guard let frame = try? ChatFrame.seal(payload, with: &sender) else { return }
        let again = try! ChatFrame.open(frame.span.extracting(ChatFrame.prefixCount..<frame.count), with: &receiver)
        expect(again == payload, "the same payload")
    }

    private static func cipher(_ own: ChatCookie, _ other: ChatCookie) -> ChatCipher {
        ChatCipher(key: secret(4), own: (own, 1), other: (other, 1))
    }

    static func opened(_ bytes: [UInt8]) throws {
        var receiver = cipher(cookie, otherCookie)
        var sender = cipher(otherCookie, cookie)
        let box = sender.seal(bytes.span)
        _ = try? ChatFrame.open(box.span, with: &receiver)
        _ = try receiver.open(bytes.span)
        fatalError("a box that nobody sealed opens")
    }

    static func loginParts(_ bytes: [UInt8]) throws {
        let acknowledgement = LoginAcknowledgement(decoding: padded(bytes, LoginAcknowledgement.count).span)
        expect(LoginAcknowledgement(decoding: acknowledgement.encoded.span) == acknowledgement, "the same")
        _ = try? Hello.decodeClient(padded(bytes, Hello.clientCount).span)
        if let data = try? LoginData(decoding: bytes.span) {
            expect((try? LoginData(decoding: data.encoded.span)) == data, "the same login")
        }
        let extensions = try LoginExtensions(decoding: bytes.span)
        expect((try? LoginExtensions(decoding: extensions.encoded.span)) == extensions, "the same extensions")
    }
}
