import ByteStreams
import Encodings
import Foundation
import SecureMemory
import TCPTransport
import Threema
import ThreemaChat
import ThreemaMessages

/// A client that is told what to do.
///
///     identity ID SECRET      server-key PUBLIC      cookie BYTES      speed FACTOR
///     connect PORT            logs in
///     text TO PUBLIC ID TEXT  seals a text message and sends it
///     send BYTES              sends a message that is sealed already
///     receive SECONDS         the next payload
///     open PUBLIC             the text of the message that was received last
///     ack FROM ID             echo BYTES      clear-cookie      close
final class ChatClientRun {
    private var id = try! ThreemaID("ECHOECHO")
    private var secret = ""
    private var serverKeys: [PublicKey] = []
    private var extensions: [LoginExtension] = [.features([.metadataBox, .echoRequests]), .clientInfo("1;L;en/CH;")]
    private var speed = 1
    private var session: ChatSession?
    private var last: [UInt8] = []

    func run() {
        while let words = ChatRun.nextWords() {
            do {
                ChatRun.say(try answer(words[0], Array(words.dropFirst())))
            } catch {
                ChatRun.say("failed \(error)")
            }
        }
    }

    private func answer(_ verb: String, _ words: [String]) throws -> String {
        switch verb {
        case "identity":
            id = try ThreemaID(words[0])
            secret = words[1]
        case "server-key": serverKeys.append(ChatRun.publicKey(words[0]))
        case "cookie": extensions.append(.deviceCookie(ChatRun.bytes(words[0])))
        case "speed": speed = Int(words[0])!
        case "connect": return try connect(UInt16(words[0])!)
        case "text": try sendText(words)
        case "send": try session?.send(.outgoingMessage(ChatRun.bytes(words[0])))
        case "receive":
            // The clock is faster, so that waits of the protocol fit into a test.
            let payload = try session?.receive(within: .milliseconds(Int(Double(words[0])! * 1000)))
            return payload.map(describe) ?? "nothing"
        case "open":
            let keys = try ContactKeys(own: identity.clientKey, contact: ChatRun.publicKey(words[0]))
            let received = last
            let payload = try MessagePayload(decoding: received.span)
            guard case .chat(.text(let text)) = try payload.open(keys: keys).body else {
                return "another message"
            }
            return "text \(text)"
        case "ack":
            try session?.send(
                .clientAcknowledgement(ChatAcknowledgement(ThreemaID(words[0]), MessageID(hex: words[1])!)))
        case "echo": try session?.send(.echoRequest(ChatRun.bytes(words.first ?? "")))
        case "clear-cookie": try session?.send(.clearDeviceCookieChange)
        case "close": session?.close()
        default: return "unknown"
        }
        return "ok"
    }

    private var identity: Identity { Identity(id: id, clientKey: ClientKey(ChatRun.secret(secret))) }

    private func connect(_ port: UInt16) throws -> String {
        let stream = try TCPStream(host: "127.0.0.1", port: port, within: .seconds(20))
        let client = ChatClient(identity: identity, serverKeys: serverKeys, extensions: try LoginExtensions(extensions))
        let start = ContinuousClock.now
        let session = try ChatSession(client, on: FastStream(stream, speed)) { [speed] in
            start.duration(to: .now) * speed
        }
        self.session = session
        return "logged-in \(session.acknowledgement.milliseconds) \(session.acknowledgement.queuedCount)"
    }

    private func sendText(_ words: [String]) throws {
        let message = Message(
            from: id, to: try ThreemaID(words[0]), id: MessageID(hex: words[2])!,
            createdAt: Timestamp(milliseconds: 1_700_000_000_000), nickname: .set("Al"),
            body: .chat(.text(words[3...].joined(separator: " "))))
        let keys = try ContactKeys(own: identity.clientKey, contact: ChatRun.publicKey(words[1]))
        let sealed = try message.seal(keys: keys, notIn: NoNonces())
        try session?.send(.outgoingMessage(sealed.payload.encoded))
    }

    private func describe(_ payload: ChatPayload) -> String {
        switch payload {
        case .incomingMessage(let bytes):
            last = bytes
            return "message \(Hex.encode(bytes))"
        case .serverAcknowledgement(let named): return "server-ack \(named.identity) \(named.id)"
        case .alert(let text): return "alert \(text)"
        case .closeError(let mayReconnect, let text): return "close-error \(mayReconnect) \(text)"
        case .deviceCookieChanged: return "cookie-changed"
        case .queueSendComplete: return "queue-complete"
        case .echoResponse(let bytes): return "echo \(Hex.encode(bytes))"
        default: return "\(payload)"
        }
    }
}

/// No message of these tests is stored.
private struct NoNonces: UsedNonces {
    func contains(_ digest: NonceDigest) throws(Never) -> Bool { false }
}

/// A stream whose waits are shorter by a factor, as the clock is faster.
private final class FastStream: ByteStream {
    private let stream: TCPStream
    private let speed: Int

    init(_ stream: TCPStream, _ speed: Int) {
        self.stream = stream
        self.speed = speed
    }

    func read(upTo limit: Int, within timeout: Duration) throws(StreamError) -> [UInt8] {
        try stream.read(upTo: limit, within: timeout / speed)
    }

    func write(_ bytes: Span<UInt8>, within timeout: Duration) throws(StreamError) {
        try stream.write(bytes, within: timeout)
    }

    func close() { stream.close() }
}
