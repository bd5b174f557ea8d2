internal import Primitives
internal import ThreemaMessages

// Messages between the clients after their handshake:
//
//   type         member  meaning
//   data         p       what the task relayed-data carries
//   application  data    what the programs say beside their task
//   close        reason  why the sender closes
//   any other            a message of the task, for example offer, answer and candidates of WebRTC

/// A message of one client to the other.
public enum PeerMessage: Equatable, Sendable {
    /// Data of the task relayed-data.
    case data(MessagePackValue)
    /// A message of the program, with any task.
    case application(MessagePackValue)
    /// A message of another task: its type, and all members behind `type`.
    case task(type: String, [MessagePackValue.Member])

    static let dataType = "data"

    var map: MessagePackValue {
        switch self {
        case .data(let value): .map([.init("type", .text(Self.dataType)), .init("p", value)])
        case .application(let value):
            .map([.init("type", .text(SignalingMessageType.application.rawValue)), .init("data", value)])
        case .task(let type, let members): .map([.init("type", .text(type))] + members)
        }
    }

    /// Whether this task has the message.
    func belongs(to task: SignalingTask) -> Bool {
        switch self {
        case .application: true
        case .data: task == .relayedData
        case .task(let type, let members):
            task != .relayedData && SignalingMessageType(rawValue: type) == nil
                && !members.contains { $0.name == .text("type") }
        }
    }
}

/// What the boxes after a handshake contain.
enum PeerContent {
    case message(PeerMessage)
    case close(CloseCode?)

    /// - Throws: `.message`.
    init(_ plaintext: Span<UInt8>, task: SignalingTask) throws(SignalingError) {
        do throws(SignalingContentError) {
            self = try Self.read(SignalingFields(plaintext, limits: .task), plaintext, task)
        } catch {
            throw .message(.task, error)
        }
    }

    private static func read(
        _ fields: SignalingFields, _ plaintext: Span<UInt8>, _ task: SignalingTask
    ) throws(SignalingContentError) -> PeerContent {
        switch SignalingMessageType(rawValue: fields.type) {
        case .close?:
            guard case .unsigned(let reason)? = fields.members["reason"], let code = UInt16(exactly: reason) else {
                throw .field(.reason)
            }
            return .close(CloseCode(rawValue: code))
        case .application?:
            guard let data = fields.members["data"] else { throw .field(.data) }
            return .message(.application(data))
        case let type?: throw .otherType(type)
        case nil where task == .relayedData:
            guard fields.type == PeerMessage.dataType else { throw .unknownType }
            guard let payload = fields.members["p"] else { throw .field(.data) }
            return .message(.data(payload))
        case nil:
            let members = fields.members.filter { $0.key != "type" }.sorted { $0.key < $1.key }
            return .message(.task(type: fields.type, members.map { .init($0.key, $0.value) }))
        }
    }
}

/// The connection to a peer whose handshake is finished.
struct PairedLink: Sendable {
    let peer: PairedPeer
    var link: SignalingLink
    let key: EnclosedKey

    mutating func seal(_ message: PeerMessage) throws(SignalingSendingError) -> [UInt8] {
        guard message.belongs(to: peer.task) else { throw .otherTask }
        let plaintext = message.map.encoded
        guard plaintext.count <= MessagePackLimits.task.bytes else {
            throw .tooLong(limit: MessagePackLimits.task.bytes, actual: plaintext.count)
        }
        do throws(SignalingError) {
            return try link.seal(plaintext, key: key.bytes)
        } catch {
            throw .sequenceExhausted
        }
    }

    mutating func seal(close code: CloseCode) throws(SignalingError) -> [UInt8] {
        try link.seal(Self.close(code), key: key.bytes)
    }

    mutating func open(_ message: Span<UInt8>, _ nonce: SignalingNonce) throws(SignalingError) -> PeerContent {
        let plaintext = try link.open(message, nonce, key: key.bytes, .task)
        return try PeerContent(plaintext.span, task: peer.task)
    }

    static func close(_ code: CloseCode) -> [UInt8] {
        MessagePackValue.map([
            .init("type", .text(SignalingMessageType.close.rawValue)),
            .init("reason", .unsigned(UInt64(code.rawValue))),
        ]).encoded
    }
}
