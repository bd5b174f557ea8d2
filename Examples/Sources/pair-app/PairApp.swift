import SecureMemory
import Threema
import ThreemaWeb

/// The app's side of a pairing, up to its first answers: reads the text of a QR code, and answers the hello of a server.
/// Then the web client's side of a later day: it reads what it has stored, and has a relay wake the app.
///
///     (echo CODE; echo PASSWORD) | pair-app URL AUTHORITY
@main
struct PairApp {
    static func main() throws {
        let code = Array((readLine() ?? "").utf8)
        let pairing = try PairingPayload(code: code.span)
        var app = ResponderClient(
            key: .random(), initiatorKey: pairing.initiatorKey, token: pairing.token, serverKey: pairing.server.key,
            tasks: [OfferedTask(.relayedData)])
        print("opens \(pairing.url) with \(ResponderClient.subprotocol)")

        // What the WebSocket would bring: the server's hello, and once more, which is refused.
        var toServer: [[UInt8]] = []
        for message in [hello, hello] {
            let progress = app.receive(message.span)
            for event in progress.events { print(words(event)) }
            toServer += progress.toSend
            if let close = progress.close { print("closes with \(close.rawValue): \(words(progress.failure))") }
        }
        print("messages to the server: \(toServer.count)")
        try StoredPairing.comeBack(to: pairing.server, relayAt: CommandLine.arguments[1], CommandLine.arguments[2])
    }

    /// A server's first message, with a session key of its own.
    private static let hello: [UInt8] = {
        let nonce = SignalingNonce(cookie: .random(), source: 0, destination: 0, sequence: 7)
        let key = SessionKey.random().publicKey
        return nonce.bytes
            + MessagePackValue.map([.init("type", .text("server-hello")), .init("key", .bytes(key.bytes))]).encoded
    }()

    private static func words(_ event: SignalingEvent) -> String {
        switch event {
        case .paired(let peer): "paired for \(peer.task.name)"
        case .received(let message): "the web client says \(message)"
        default: "\(event)"
        }
    }

    private static func words(_ failure: SignalingError?) -> String {
        switch failure {
        case .wrongDestination: "a message for another address"
        case .notAuthentic: "a message that does not open"
        case let failure?: "\(failure)"
        case nil: "no failure"
        }
    }
}
