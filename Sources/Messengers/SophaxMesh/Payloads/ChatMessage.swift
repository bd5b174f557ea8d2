internal import Encodings
public import SophaxChat

// The payload of a message of kind `message`, JSON:
//
//   {"messageID": 1 to 64 bytes, "ratchetMessage": {"ciphertext": …, "encryptedHeader": …}}

/// A message between two with its name.
public struct ChatMessage: Equatable, Sendable {
    /// Longest name in bytes.
    public static let maxID = 64
    /// Names the message; 1 to 64 bytes. Its sender has chosen it.
    public let id: String
    /// What `PairSession` seals and opens.
    public let message: PairMessage

    /// - Returns: nil for a name that is empty or longer than 64 bytes.
    public init?(id: String, message: PairMessage) {
        guard (1...Self.maxID).contains(id.utf8.count) else { return nil }
        self.id = id
        self.message = message
    }

    /// Reads a payload. Nothing is opened.
    /// - Returns: nil if it is malformed.
    public init?(parsing bytes: [UInt8]) {
        guard bytes.count <= 2 * PairMessage.maxBody, let fields = try? Fields(bytes),
            let inner = fields.value["ratchetMessage"], let message = try? PairMessage(Fields(inner)),
            let id = try? fields.text("messageID", 1...Self.maxID)
        else { return nil }
        self.init(id: id, message: message)
    }

    /// The payload to send: JSON, UTF-8.
    public var encoded: [UInt8] { Fields.object([("messageID", .string(id)), ("ratchetMessage", message.json)]) }
}

/// The names of the last 1000 messages of a peer. A sender that has got no `ack` seals a message again: under another
/// key and signature, so that neither session nor `WireGate` see that it is the same one.
public struct ReceivedIDs: Equatable, Sendable {
    /// How many names of a peer are remembered. Older ones are forgotten.
    public static let remembered = 1000
    private var seen = RecentSet<String>(limit: remembered)

    /// Begins without names.
    public init() {}

    /// Takes what was stored, from old to new. Of more than 1000 names the last ones are remembered.
    public init(_ ids: [String]) {
        for id in ids where id.utf8.count <= ChatMessage.maxID { _ = seen.insert(id) }
    }

    /// The names, from old to new: store them with the peer.
    public var ids: [String] { seen.order }

    /// Remembers a message that was opened.
    /// - Returns: false if it is there already: store the session, acknowledge the message, and show nothing.
    public mutating func insert(_ message: ChatMessage) -> Bool { seen.insert(message.id) }
}
