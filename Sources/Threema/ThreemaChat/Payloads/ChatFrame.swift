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
        try check(payload)
        var frame: [UInt8] = []
        append(payload, to: &frame, with: &boxes)
        return frame
    }

    /// - Throws: `.tooLong` for a payload that does not fit into a frame.
    static func check(_ payload: ChatPayload) throws(ChatSendingError) {
        let limit = maxBoxCount - minBoxCount
        let count = payload.dataCount
        guard count <= limit else { throw .tooLong(limit: limit, actual: count) }
    }

    /// Length of a payload's frame in bytes.
    static func count(of payload: ChatPayload) -> Int { prefixCount + minBoxCount + payload.dataCount }

    /// Builds a frame behind other ones and seals it there.
    /// - Parameter payload: one that fits.
    static func append(_ payload: ChatPayload, to frames: inout [UInt8], with boxes: inout ChatBoxes) {
        switch payload {
        case .pushToken(let token), .voipPushToken(let token):
            var plaintext = SecureBuffer(capacity: ChatPayload.headerCount + token.bytes.count)
            plaintext.append([payload.type, 0, 0, 0].span)
            plaintext.append(token.bytes)
            let box = plaintext.finish().withBytes { boxes.seal($0) }
            frames.append(littleEndian: UInt64(box.count), width: prefixCount)
            frames += box
        case .echoRequest, .echoResponse, .outgoingMessage, .incomingMessage, .serverAcknowledgement,
            .clientAcknowledgement, .unblockIncoming, .deletePushTokens, .idleTimeout, .queueSendComplete,
            .deviceCookieChanged, .clearDeviceCookieChange, .closeError, .alert, .unknown:
            append(payload.type, payload.dataCount, to: &frames, with: &boxes) { payload.appendData(to: &$0) }
        }
    }

    /// Builds the frame of a message that is delivered, without a copy of it: this is most of what a server does.
    /// - Parameter message: one that came in a frame.
    static func append(delivering message: MessagePayload, to frames: inout [UInt8], with boxes: inout ChatBoxes) {
        let type = ChatPayload.incomingMessage([]).type
        append(type, message.encodedCount, to: &frames, with: &boxes) { message.append(to: &$0) }
    }

    /// - Parameter data: appends so many bytes.
    private static func append(
        _ type: UInt8, _ count: Int, to frames: inout [UInt8], with boxes: inout ChatBoxes,
        data: (inout [UInt8]) -> Void
    ) {
        frames.append(littleEndian: UInt64(minBoxCount + count), width: prefixCount)
        let start = frames.count
        frames.append(contentsOf: repeatElement(0, count: Box.tagCount))
        frames.append(type)
        frames.append(contentsOf: repeatElement(0, count: ChatPayload.headerCount - 1))
        data(&frames)
        boxes.seal(&frames, from: start)
    }

    /// Opens the box of the next frame of the other side.
    /// - Throws: `.frameNotAuthentic`, `.payload`.
    public static func open(_ box: Span<UInt8>, with cipher: inout ChatCipher) throws(ChatError) -> ChatPayload {
        var bytes = box.revealBytes()
        return try open(&bytes, at: 0..<bytes.count, with: &cipher.boxes)
    }

    /// Opens the box of the next frame where it stands. A push token is wiped there: the payload has a copy in guarded
    /// memory.
    static func open(
        _ bytes: inout [UInt8], at box: Range<Int>, with boxes: inout ChatBoxes
    ) throws(ChatError) -> ChatPayload {
        do throws(AuthenticationError) {
            try boxes.open(&bytes, at: box)
        } catch {
            throw .frameNotAuthentic
        }
        let place = box.lowerBound + Box.tagCount..<box.upperBound
        let payload = try decode(bytes.span.extracting(place))
        switch payload {
        case .pushToken, .voipPushToken:
            var bytes = bytes.mutableSpan
            bytes.withPart(place) { $0.wipe() }
        case .echoRequest, .echoResponse, .outgoingMessage, .incomingMessage, .serverAcknowledgement,
            .clientAcknowledgement, .unblockIncoming, .deletePushTokens, .idleTimeout, .queueSendComplete,
            .deviceCookieChanged, .clearDeviceCookieChange, .closeError, .alert, .unknown:
            break
        }
        return payload
    }

    private static func decode(_ plaintext: Span<UInt8>) throws(ChatError) -> ChatPayload {
        do throws(ChatPayloadError) {
            return try ChatPayload(decoding: plaintext)
        } catch {
            throw .payload(type: plaintext.isEmpty ? 0 : plaintext[0], error)
        }
    }
}

extension ChatPayload {
    /// Length of the data in bytes.
    fileprivate var dataCount: Int {
        switch self {
        case .echoRequest(let bytes), .echoResponse(let bytes), .outgoingMessage(let bytes),
            .incomingMessage(let bytes), .unknown(_, let bytes):
            bytes.count
        case .serverAcknowledgement, .clientAcknowledgement: ChatAcknowledgement.count
        case .pushToken(let token), .voipPushToken(let token): token.bytes.count
        case .deletePushTokens(let devices): 8 * devices.count
        case .idleTimeout: 2
        case .closeError(_, let text): 1 + text.utf8.count
        case .alert(let text): text.utf8.count
        case .unblockIncoming, .queueSendComplete, .deviceCookieChanged, .clearDeviceCookieChange: 0
        }
    }

    /// Appends the data of any payload but a push token, which is secret.
    fileprivate func appendData(to frame: inout [UInt8]) {
        switch self {
        case .echoRequest(let bytes), .echoResponse(let bytes), .outgoingMessage(let bytes),
            .incomingMessage(let bytes), .unknown(_, let bytes):
            frame += bytes
        case .serverAcknowledgement(let named), .clientAcknowledgement(let named):
            frame += named.identity.text.utf8
            frame.append(littleEndian: named.id.value, width: MessageID.count)
        case .deletePushTokens(let devices):
            for device in devices { frame.append(littleEndian: device, width: 8) }
        case .idleTimeout(let seconds): frame.append(littleEndian: UInt64(seconds), width: 2)
        case .closeError(let mayReconnect, let text):
            frame.append(mayReconnect ? 1 : 0)
            frame += text.utf8
        case .alert(let text): frame += text.utf8
        case .pushToken, .voipPushToken, .unblockIncoming, .queueSendComplete, .deviceCookieChanged,
            .clearDeviceCookieChange:
            break
        }
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
