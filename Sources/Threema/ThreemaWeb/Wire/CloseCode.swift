/// Why a connection is closed, or a responder dropped: the status of a WebSocket.
public enum CloseCode: UInt16, CaseIterable, Sendable {
    /// A side ends in good order.
    case goingAway = 1001
    /// The server does not have the subprotocol.
    case subprotocolError = 1002
    /// The path has no free address.
    case pathFull = 3000
    /// A message was refused.
    case protocolError = 3001
    /// A side has failed.
    case internalError = 3002
    /// Both sides go on over a WebRTC data channel.
    case handover = 3003
    /// The initiator has paired with another responder.
    case droppedByInitiator = 3004
    /// The initiator cannot open the first message of the responder: token or permanent key is another one.
    case initiatorCouldNotDecrypt = 3005
    /// The two sides have no task in common.
    case noSharedTask = 3006
    /// The server does not have the permanent key that the client expects.
    case invalidKey = 3007
    /// The server had no answer to a ping.
    case timeout = 3008

    /// Whether an initiator can tell the server this as the reason to drop a responder.
    public var isDropReason: Bool {
        switch self {
        case .protocolError, .internalError, .droppedByInitiator, .initiatorCouldNotDecrypt: true
        default: false
        }
    }
}
