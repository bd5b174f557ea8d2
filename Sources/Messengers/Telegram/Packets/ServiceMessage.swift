internal import SecureMemory

// Messages that the protocol itself needs. Numbers are little-endian.
//
//     acknowledgement       62d6b459 ‖ 1cb5c415 ‖ count (4) ‖ count × message ID (8)
//     bad_server_salt       edab447b ‖ message ID (8) ‖ sequence number (4) ‖ code (4) ‖ new salt (8)
//     bad_msg_notification  a7eff811 ‖ message ID (8) ‖ sequence number (4) ‖ code (4)
//     new_session_created   9ec20908 ‖ first message ID (8) ‖ unique ID (8) ‖ salt (8)

/// A message about messages. All others are `nil` to `init(decoding:)`.
public enum ServiceMessage: Equatable, Sendable {
    /// These messages have arrived.
    case acknowledgement([MessageID])
    /// The server refuses a message because of its salt, and names the right one.
    case badSalt(id: MessageID, sequence: UInt32, code: UInt32, salt: UInt64)
    /// The server refuses a message. Codes 16 and 17: the client's clock is wrong.
    case badMessage(id: MessageID, sequence: UInt32, code: UInt32)
    /// The server has begun to store the state of a session.
    case newSession(firstID: MessageID, uniqueID: UInt64, salt: UInt64)

    private static let acknowledgementConstructor: UInt32 = 0x62d6_b459
    private static let listConstructor: UInt32 = 0x1cb5_c415
    private static let badSaltConstructor: UInt32 = 0xedab_447b
    private static let badMessageConstructor: UInt32 = 0xa7ef_f811
    private static let newSessionConstructor: UInt32 = 0x9ec2_0908
    private static let clockCodes: ClosedRange<UInt32> = 16...17

    /// Reads the data of a message.
    /// - Returns: nil for a message of another kind.
    /// - Throws: `.malformed`.
    public init?(decoding data: [UInt8]) throws(PacketError) {
        let bytes = data.span
        guard bytes.count >= 4 else { return nil }
        switch bytes.number32(at: 0) {
        case Self.acknowledgementConstructor:
            guard bytes.count >= 12, bytes.number32(at: 4) == Self.listConstructor,
                UInt64(bytes.number32(at: 8)) * 8 == UInt64(bytes.count - 12)
            else { throw .malformed }
            self = .acknowledgement(
                stride(from: 12, to: bytes.count, by: 8).map { MessageID(data.span.number64(at: $0)) })
        case Self.badSaltConstructor:
            guard bytes.count == 28 else { throw .malformed }
            self = .badSalt(
                id: MessageID(bytes.number64(at: 4)), sequence: bytes.number32(at: 12), code: bytes.number32(at: 16),
                salt: bytes.number64(at: 20))
        case Self.badMessageConstructor:
            guard bytes.count == 20 else { throw .malformed }
            self = .badMessage(
                id: MessageID(bytes.number64(at: 4)), sequence: bytes.number32(at: 12), code: bytes.number32(at: 16))
        case Self.newSessionConstructor:
            guard bytes.count == 28 else { throw .malformed }
            self = .newSession(
                firstID: MessageID(bytes.number64(at: 4)), uniqueID: bytes.number64(at: 12),
                salt: bytes.number64(at: 20))
        default: return nil
        }
    }

    /// The data of a message.
    public var encoded: [UInt8] {
        var data: [UInt8] = []
        switch self {
        case .acknowledgement(let ids):
            data.append(number: Self.acknowledgementConstructor)
            data.append(number: Self.listConstructor)
            data.append(number: UInt32(ids.count))
            for id in ids { data.append(number: id.number) }
        case .badSalt(let id, let sequence, let code, let salt):
            data.append(number: Self.badSaltConstructor)
            data.append(number: id.number)
            data.append(number: sequence)
            data.append(number: code)
            data.append(number: salt)
        case .badMessage(let id, let sequence, let code):
            data.append(number: Self.badMessageConstructor)
            data.append(number: id.number)
            data.append(number: sequence)
            data.append(number: code)
        case .newSession(let firstID, let uniqueID, let salt):
            data.append(number: Self.newSessionConstructor)
            data.append(number: firstID.number)
            data.append(number: uniqueID)
            data.append(number: salt)
        }
        return data
    }

    /// Whether it repairs a client's salt or clock. A client reads such a message also if its time seems wrong.
    public var isRepair: Bool {
        switch self {
        case .badSalt: true
        case .badMessage(_, _, let code): Self.clockCodes.contains(code)
        case .acknowledgement, .newSession: false
        }
    }
}
