import Foundation
import SecureMemory
import Threema
import ThreemaWeb

/// One side of a pairing, for tests with a real server: another program carries its messages.
///
///     web-peer
///
/// The first line of stdin says who it is: `initiator` or `responder`, then words NAME=HEX: `key` (private), `server`
/// (public); of an initiator `token` or `peer`, of a responder `initiator` and perhaps `token`; and `tasks=NAME,…`. An
/// initiator with a `password` (UTF-8) prints `stored TEXT` once it is paired, and takes key and peer from `stored=TEXT`.
/// It prints `path HEX`. Then it reads lines:
///
///     message HEX    a message of the WebSocket
///     say TEXT       send text to the peer
///     drop ADDRESS   drop a responder
///     close          tell the peer, and end
///
/// and prints lines: `message HEX` is to be sent, `close CODE [FAILURE]` ends the WebSocket, all others are events.
@main
struct WebPeer {
    static func main() {
        guard let line = readLine(), let peer = Peer(line) else {
            FileHandle.standardError.write(Data("web-peer: the first line does not say who it is\n".utf8))
            exit(64)
        }
        write("path \(peer.path)")
        while let line = readLine() { peer.obey(line) }
    }
}

/// A client of either role.
private final class Peer {
    private var initiator: InitiatorClient?
    private var responder: ResponderClient?
    /// Its permanent key and a browser's password, to store the pairing.
    private var store: (key: PermanentKey, password: [UInt8])?
    let path: String

    /// - Returns: nil if a word is missing or malformed.
    init?(_ line: String) {
        var words: [String: String] = [:]
        for word in line.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            words[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
        let password = words["password"].flatMap(bytes)
        let stored = words["stored"].flatMap { Self.stored($0, password ?? []) }
        let given = words["key"].flatMap(bytes).flatMap { $0.count == PermanentKey.count ? $0 : nil }
        guard let permanent = stored?.key ?? given.map({ PermanentKey(SecureBytes(copying: $0.span)) }) else {
            return nil
        }
        store = password.map { (permanent, $0) }
        let token = words["token"].flatMap(bytes).map { AuthToken(SecureBytes(copying: $0.span)) }
        let server = words["server"].flatMap(bytes).flatMap(PublicKey.init)
        let names = words["tasks"] ?? SignalingTask.relayedData.name
        let tasks = names.split(separator: ",").map { OfferedTask(SignalingTask(String($0))) }
        if words["initiator"] == "" {
            let trusted = stored?.peer ?? words["peer"].flatMap(bytes).flatMap(PublicKey.init)
            guard let trust = token.map(InitiatorClient.Trust.token) ?? trusted.map({ .peer($0) }) else { return nil }
            initiator = InitiatorClient(key: permanent, trust: trust, serverKey: server, tasks: tasks, pingSeconds: 30)
            responder = nil
            path = permanent.publicKey.hex
        } else {
            guard let other = words["initiator"].flatMap(bytes).flatMap(PublicKey.init) else { return nil }
            initiator = nil
            responder = ResponderClient(
                key: permanent, initiatorKey: other, token: token, serverKey: server, tasks: tasks, pingSeconds: 30)
            path = other.hex
        }
    }

    private static func stored(_ text: String, _ password: [UInt8]) -> TrustedPairing? {
        try? BrowserStore.open(text, password: SecureBytes(copying: password.span))
    }

    func obey(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.count == 2 ? parts[1] : ""
        switch parts.first {
        case "message": tell(receive(bytes(rest) ?? []))
        case "say": say(rest)
        case "drop": if let message = UInt8(rest).flatMap({ initiator?.drop($0) }) { write("message \(hex(message))") }
        case "close": tell(initiator == nil ? responder!.close() : initiator!.close())
        default: write("unknown")
        }
    }

    private func receive(_ message: [UInt8]) -> SignalingProgress {
        initiator == nil ? responder!.receive(message.span) : initiator!.receive(message.span)
    }

    private func say(_ text: String) {
        do {
            let message = PeerMessage.data(.text(text))
            write("message \(hex(initiator == nil ? try responder!.send(message) : try initiator!.send(message)))")
        } catch {
            write("not said: \(error)")
        }
    }

    private func tell(_ progress: SignalingProgress) {
        for event in progress.events {
            write(words(event))
            if case .paired(let peer) = event, let store { write("stored \(stored(peer.publicKey, store))") }
        }
        for message in progress.toSend { write("message \(hex(message))") }
        if let close = progress.close { write("close \(close.rawValue)" + (progress.failure.map { " \($0)" } ?? "")) }
    }

    private func stored(_ peer: PublicKey, _ store: (key: PermanentKey, password: [UInt8])) -> String {
        let pairing = TrustedPairing(key: store.key, peer: peer, pushToken: nil, server: nil)
        return (try? BrowserStore.seal(pairing, password: SecureBytes(copying: store.password.span))) ?? "nothing"
    }

    private func words(_ event: SignalingEvent) -> String {
        switch event {
        case .connected(let address, let peers): "connected \(address) \(peers)"
        case .peerJoined(let address): "joined \(address)"
        case .peerLeft(let address): "left \(address)"
        case .dropped(let address, let code, let refusal):
            "dropped \(address) \(code.rawValue)" + (refusal.map { " \($0)" } ?? "")
        case .paired(let peer): "paired \(peer.address) \(peer.publicKey.hex) \(peer.task.name)"
        case .notDelivered(let address, _): "not delivered to \(address)"
        case .received(.data(.text(let text))): "received \(text)"
        case .received(let message): "received \(message)"
        case .peerCloses(let code): "peer closes \(code?.rawValue ?? 0)"
        case .discarded(let address): "discarded from \(address)"
        }
    }
}

private func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

private func bytes(_ hex: String) -> [UInt8]? {
    let digits = hex.map { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0]! << 4 | digits[$0 + 1]! }
}

/// Prints a line at once.
private func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
