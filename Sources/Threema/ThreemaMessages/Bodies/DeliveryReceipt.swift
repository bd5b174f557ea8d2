internal import SecureMemory

// Delivery receipt (0x80, 0x81):
//
//   offset  length  meaning
//        0       1  status
//        1     8·n  IDs of the messages, at least one

/// What happened to messages that were received.
public struct DeliveryReceipt: Equatable, Sendable {
    /// What the receiver tells about messages.
    public enum Status: UInt8, CaseIterable, Sendable {
        case received = 0x01
        case read = 0x02
        case acknowledged = 0x03
        case declined = 0x04
    }

    /// What the receiver tells about all of `messageIDs`.
    public let status: Status
    /// The messages; at least one.
    public let messageIDs: [MessageID]

    /// - Parameter messageIDs: at least one.
    public init(_ status: Status, of messageIDs: [MessageID]) {
        precondition(!messageIDs.isEmpty)
        self.status = status
        self.messageIDs = messageIDs
    }

    /// Whether the nonce of this receipt has to be remembered: not that of a plain notice.
    var needsReplayProtection: Bool { status == .acknowledged || status == .declined }

    init(decoding bytes: Span<UInt8>) throws(MessageBodyError) {
        guard bytes.count >= 1 + MessageID.count else {
            throw .tooShort(minimum: 1 + MessageID.count, actual: bytes.count)
        }
        let rest = (bytes.count - 1) % MessageID.count
        guard rest == 0 else { throw .wrongLength(expected: bytes.count - rest, actual: bytes.count) }
        guard let status = Status(rawValue: bytes[0]) else { throw .invalidValue }
        self.status = status
        messageIDs = stride(from: 1, to: bytes.count, by: MessageID.count).map {
            MessageID(bytes.littleEndian(at: $0, width: MessageID.count))
        }
    }

    func encode(into body: inout BodyWriter) throws(MessageBodyError) {
        try body.append(status.rawValue)
        for id in messageIDs { try body.append(id.bytes) }
    }
}
