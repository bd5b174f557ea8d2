internal import Primitives
internal import SecureMemory
internal import Threema
internal import ThreemaMessages

/// Payloads as frames of a stream.
public enum ChatFrame {
    /// Bytes before the box, which say its length.
    public static let prefixCount = 2
    /// Most bytes of a box.
    public static let maxBoxCount = 8192
    /// Fewest bytes of a box.
    public static let minBoxCount = Box.tagCount + ChatPayload.headerCount

    /// Seals a payload as the next frame of its side.
    /// - Throws: `.tooLong`. No nonce is used then.
    public static func seal(
        _ payload: ChatPayload, with cipher: inout ChatCipher
    ) throws(ChatSendingError) -> [UInt8] {
        try seal(payload, with: &cipher.boxes)
    }

    static func seal(
        _ payload: ChatPayload, with boxes: inout ChatBoxes
    ) throws(ChatSendingError) -> [UInt8] {
        let limit = maxBoxCount - minBoxCount
        let count = payload.dataCount
        guard count <= limit else { throw .tooLong(limit: limit, actual: count) }
        return sealed(payload, with: &boxes)
    }

    /// - Parameter payload: one that fits.
    static func sealed(_ payload: ChatPayload, with boxes: inout ChatBoxes) -> [UInt8] {
        switch payload {
        case .pushToken(let token), .voipPushToken(let token):
            var plaintext = SecureBuffer(capacity: ChatPayload.headerCount + token.bytes.count)
            plaintext.append(payload.header.span)
            plaintext.append(token.bytes)
            return plaintext.finish().withBytes { boxes.seal($0, after: prefix(of: $0.count)) }
        default:
            let plaintext = payload.header + payload.publicData
            return boxes.seal(plaintext.span, after: prefix(of: plaintext.count))
        }
    }

    /// - Parameter count: length of the plaintext in bytes.
    private static func prefix(of count: Int) -> [UInt8] {
        var prefix: [UInt8] = []
        prefix.append(littleEndian: UInt64(Box.tagCount + count), width: prefixCount)
        return prefix
    }

    /// Opens the box of the next frame of the other side.
    /// - Throws: `.frameNotAuthentic`, `.payload`.
    public static func open(_ box: Span<UInt8>, with cipher: inout ChatCipher) throws(ChatError) -> ChatPayload {
        try open(box, with: &cipher.boxes)
    }

    static func open(_ box: Span<UInt8>, with boxes: inout ChatBoxes) throws(ChatError) -> ChatPayload {
        let plaintext: [UInt8]
        do throws(AuthenticationError) {
            plaintext = try boxes.open(box)
        } catch {
            throw .frameNotAuthentic
        }
        do throws(ChatPayloadError) {
            return try ChatPayload(decoding: plaintext.span)
        } catch {
            throw .payload(type: plaintext.first ?? 0, error)
        }
    }
}

extension ChatPayload {
    fileprivate var header: [UInt8] { [type, 0, 0, 0] }

    fileprivate var dataCount: Int {
        switch self {
        case .pushToken(let token), .voipPushToken(let token): token.bytes.count
        case .serverAcknowledgement, .clientAcknowledgement: ChatAcknowledgement.count
        default: publicData.count
        }
    }

    /// The data of all payloads but push tokens, which are secret.
    fileprivate var publicData: [UInt8] {
        var data: [UInt8] = []
        switch self {
        case .echoRequest(let bytes), .echoResponse(let bytes), .outgoingMessage(let bytes),
            .incomingMessage(let bytes), .unknown(_, let bytes):
            data = bytes
        case .serverAcknowledgement(let named), .clientAcknowledgement(let named):
            data = named.identity.bytes + named.id.bytes
        case .deletePushTokens(let devices):
            for device in devices { data.append(littleEndian: device, width: 8) }
        case .idleTimeout(let seconds): data.append(littleEndian: UInt64(seconds), width: 2)
        case .closeError(let mayReconnect, let text): data = [mayReconnect ? 1 : 0] + Array(text.utf8)
        case .alert(let text): data = Array(text.utf8)
        case .pushToken, .voipPushToken, .unblockIncoming, .queueSendComplete, .deviceCookieChanged,
            .clearDeviceCookieChange:
            break
        }
        return data
    }
}

/// Why a payload is not sent.
public enum ChatSendingError: Error, Equatable, Sendable {
    /// The handshake is not finished, or the connection is over.
    case notOpen
    /// It does not fit into a frame. Numbers are bytes of data.
    case tooLong(limit: Int, actual: Int)
    /// The other side sends this, or the type has no meaning here.
    case wrongDirection
    /// An idle time-out is not in its range.
    case outOfRange
}
