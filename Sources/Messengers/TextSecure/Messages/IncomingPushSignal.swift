internal import Encodings
public import Ratchet
public import SecureMemory

//   field  type             meaning
//       1  uint32           type
//       2  string           source: the sender's number
//       3  string           relay
//       4  repeated string  destinations
//       5  uint64           timestamp, ms since 1970
//       6  bytes            message
//       7  uint32           sourceDevice

/// IncomingPushMessageSignal: an envelope of the server, which a push payload contains.
public struct IncomingPushSignal: Sendable {
    /// What the message of an envelope is.
    public enum Kind: Equatable, Sendable {
        /// Type 0, also if no type is written, and type 4: a PushMessageContent that nobody encrypted.
        case plainText
        /// Type 1: a WhisperMessage.
        case whisper
        /// Type 2: no longer used.
        case keyExchange
        /// Type 3: a PreKeyWhisperMessage.
        case prekeyWhisper
        /// Any other type.
        case unknown(UInt32)

        init(type: UInt32) {
            self =
                switch type {
                case 0, 4: .plainText
                case 1: .whisper
                case 2: .keyExchange
                case 3: .prekeyWhisper
                default: .unknown(type)
                }
        }

        /// Whether the sender encrypted the message for its receiver. The push payload around it protects only the way
        /// from the server to the device.
        public var isEncrypted: Bool {
            switch self {
            case .whisper, .prekeyWhisper: true
            case .plainText, .keyExchange, .unknown: false
            }
        }
    }

    /// The number of the type; nil if it is not written, which means 0.
    public var type: UInt32?
    /// The sender's number as the server writes it, unchecked; nil if it is not written.
    public var source: String?
    /// The sender's server in a federation.
    public var relay: String?
    /// The receivers' numbers as they are written, unchecked; may be empty.
    public var destinations: [String]
    /// When it was sent, by the sender's clock; nil if it is not written.
    public var timestamp: MessageTime?
    /// The message. Plain text can hold keys of attachments, so it is in guarded memory.
    public var message: HeldKey?
    /// The number of the sender's device; nil if it is not written.
    public var sourceDevice: UInt32?

    /// An envelope of given fields; nil for those that are not written.
    public init(
        type: UInt32? = nil, source: String? = nil, relay: String? = nil, destinations: [String] = [],
        timestamp: MessageTime? = nil, message: HeldKey? = nil, sourceDevice: UInt32? = nil
    ) {
        self.type = type
        self.source = source
        self.relay = relay
        self.destinations = destinations
        self.timestamp = timestamp
        self.message = message
        self.sourceDevice = sourceDevice
    }

    /// The meaning of `type`.
    public var kind: Kind { Kind(type: type ?? 0) }

    /// Reads an envelope.
    /// - Parameter message: at most `ContentLimits.count` bytes.
    /// - Throws: `ContentError`.
    public init(parsing message: Span<UInt8>) throws(ContentError) {
        self.init()
        var milliseconds: UInt64?
        var signal = self
        try ProtobufWire.readContent(message) { field throws(ContentError) in
            switch field.number {
            case 1: try field.set(&signal.type)
            case 2: try field.set(&signal.source, in: message)
            case 3: try field.set(&signal.relay, in: message)
            case 4: try field.add(to: &signal.destinations, in: message)
            case 5: try field.set(&milliseconds)
            case 6: try field.set(&signal.message, in: message)
            case 7: try field.set(&signal.sourceDevice)
            default: break
            }
        }
        signal.timestamp = milliseconds.map(MessageTime.init)
        self = signal
    }

    /// The envelope as bytes, fields in the order of their numbers.
    public func encoded() -> SecureBytes {
        var writer = ContentWriter()
        writer.append(type.map(UInt64.init), 1)
        writer.append(source, 2)
        writer.append(relay, 3)
        for destination in destinations { writer.append(destination, 4) }
        writer.append(timestamp?.value, 5)
        writer.append(message, 6)
        writer.append(sourceDevice.map(UInt64.init), 7)
        return writer.finish()
    }
}
