public import Threema
public import ThreemaMessages

// A frame, and the plaintext of its box:
//
//   offset  length  meaning                       offset  length  meaning
//        0       2  n, little-endian                   0       1  type
//        2       n  box: tag (16) ‖ ciphertext         1       3  reserved, zeros
//                                                      4    n-20  data
//
//   type  from    data
//     00  both    echo request: any bytes
//     80  both    echo response: those of the request
//     01  client  a message, see MessagePayload
//     02  server  a message, see MessagePayload
//     81  server  acknowledgement of 01: receiver (8) ‖ message ID (8)
//     82  client  acknowledgement of 02: sender (8) ‖ message ID (8)
//     03  client  deliver messages to this device from now on; nothing
//     20  client  push token, see PushToken
//     24  client  push token for calls, see PushToken
//     25  client  delete the push tokens of devices: their IDs, 8 bytes each, little-endian
//     30  client  idle time-out: seconds, 2 bytes, little-endian, 30...600
//     d0  server  the queue is sent; nothing
//     d2  server  the device cookie changed; nothing
//     d3  client  the change was noticed; nothing
//     e0  server  an error that closes the connection: 1 if the client may reconnect ‖ text
//     e1  server  an alert: text
//
// 21, 22, 23, 31 and d1 are obsolete. They, and types that are not known here, are ignored.

/// What one side of an open connection sends to the other.
public enum ChatPayload: Equatable, Sendable {
    /// Asks for an answer. Up to 8172 bytes of any kind.
    case echoRequest([UInt8])
    /// The bytes of the request.
    case echoResponse([UInt8])
    /// A message that the client sends: the bytes of a `MessagePayload`.
    case outgoingMessage([UInt8])
    /// A message that the server delivers. The bytes are for an `IncomingPipeline`, which says what becomes of malformed
    /// ones.
    case incomingMessage([UInt8])
    /// The server has the client's message. It names the receiver.
    case serverAcknowledgement(ChatAcknowledgement)
    /// The client has stored the server's message. It names the sender.
    case clientAcknowledgement(ChatAcknowledgement)
    /// Messages may be delivered to this one of several devices.
    case unblockIncoming
    /// Where push notifications go: what `PushToken` encodes, with the push key in it.
    case pushToken(EnclosedBytes)
    /// Where push notifications of calls go.
    case voipPushToken(EnclosedBytes)
    /// The devices of these IDs get no push notifications any more.
    case deletePushTokens([UInt64])
    /// After how many seconds of silence the server closes the connection: 30...600.
    case idleTimeout(seconds: UInt16)
    /// All queued messages are sent.
    case queueSendComplete
    /// A device with another cookie has logged in. The client asks its user if that was expected.
    case deviceCookieChanged
    /// The user knows of the change.
    case clearDeviceCookieChange
    /// The server closes the connection.
    case closeError(mayReconnect: Bool, text: String)
    /// A text of the server for the user.
    case alert(String)
    /// A type that is obsolete or not known here.
    case unknown(type: UInt8, [UInt8])

    /// The first byte of the plaintext.
    public var type: UInt8 {
        switch self {
        case .echoRequest: 0x00
        case .echoResponse: 0x80
        case .outgoingMessage: 0x01
        case .incomingMessage: 0x02
        case .serverAcknowledgement: 0x81
        case .clientAcknowledgement: 0x82
        case .unblockIncoming: 0x03
        case .pushToken: 0x20
        case .voipPushToken: 0x24
        case .deletePushTokens: 0x25
        case .idleTimeout: 0x30
        case .queueSendComplete: 0xd0
        case .deviceCookieChanged: 0xd2
        case .clearDeviceCookieChange: 0xd3
        case .closeError: 0xe0
        case .alert: 0xe1
        case .unknown(let type, _): type
        }
    }

    /// The range of an idle time-out in seconds.
    public static let idleTimeoutSeconds: ClosedRange<UInt16> = 30...600

    /// Whether a server sends this.
    public var isFromServer: Bool {
        switch self {
        case .echoRequest, .echoResponse, .incomingMessage, .serverAcknowledgement, .queueSendComplete,
            .deviceCookieChanged, .closeError, .alert:
            true
        case .outgoingMessage, .clientAcknowledgement, .unblockIncoming, .pushToken, .voipPushToken,
            .deletePushTokens, .idleTimeout, .clearDeviceCookieChange, .unknown:
            false
        }
    }

    /// Whether a client sends this.
    public var isFromClient: Bool {
        switch self {
        case .echoRequest, .echoResponse, .outgoingMessage, .clientAcknowledgement, .unblockIncoming, .pushToken,
            .voipPushToken, .deletePushTokens, .idleTimeout, .clearDeviceCookieChange:
            true
        case .incomingMessage, .serverAcknowledgement, .queueSendComplete, .deviceCookieChanged, .closeError, .alert,
            .unknown:
            false
        }
    }
}

/// Names a message to the side that sent it.
public struct ChatAcknowledgement: Hashable, Sendable {
    /// Length in bytes.
    public static let count = ThreemaID.count + MessageID.count

    /// Of the server's acknowledgements the receiver, of the client's the sender.
    public let identity: ThreemaID
    /// The ID of the message that is acknowledged.
    public let id: MessageID

    /// Names a message by one of its two identities and its ID.
    public init(_ identity: ThreemaID, _ id: MessageID) {
        self.identity = identity
        self.id = id
    }
}

extension ChatPayload {
    /// The acknowledgement of a message that was delivered: send it after everything is stored.
    /// - Returns: nil if the message wants none, or if its sender is no ID, so that no server delivers it.
    public init?(acknowledging result: IncomingResult) {
        guard case .due(let bytes) = result.acknowledgement,
            let named = try? ChatAcknowledgement(decoding: bytes.span)
        else { return nil }
        self = .clientAcknowledgement(named)
    }
}
