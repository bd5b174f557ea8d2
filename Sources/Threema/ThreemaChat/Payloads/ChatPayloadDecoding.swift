internal import SecureMemory
internal import Threema
internal import ThreemaMessages

extension ChatPayload {
    /// Bytes before the data: the type and three reserved ones.
    public static let headerCount = 4

    /// Reads the plaintext of a frame. The reserved bytes may have any value.
    /// - Parameter plaintext: 4 bytes or more.
    public init(decoding plaintext: Span<UInt8>) throws(ChatPayloadError) {
        guard plaintext.count >= Self.headerCount else {
            throw .tooShort(minimum: Self.headerCount, actual: plaintext.count)
        }
        let data = plaintext.extracting(Self.headerCount..<plaintext.count)
        func bytes() -> [UInt8] { plaintext.publicBytes(Self.headerCount..<plaintext.count) }
        func check(_ expected: Int) throws(ChatPayloadError) {
            let actual = plaintext.count - Self.headerCount
            guard actual == expected else { throw .wrongLength(expected: expected, actual: actual) }
        }
        switch plaintext[0] {
        case 0x00: self = .echoRequest(bytes())
        case 0x80: self = .echoResponse(bytes())
        case 0x01: self = .outgoingMessage(bytes())
        case 0x02: self = .incomingMessage(bytes())
        case 0x81: self = .serverAcknowledgement(try ChatAcknowledgement(decoding: data))
        case 0x82: self = .clientAcknowledgement(try ChatAcknowledgement(decoding: data))
        case 0x20: self = .pushToken(EnclosedBytes(copying: data))
        case 0x24: self = .voipPushToken(EnclosedBytes(copying: data))
        case 0x25: self = .deletePushTokens(try Self.deviceIDs(data))
        case 0x30:
            try check(2)
            let seconds = UInt16(data.littleEndian(at: 0, width: 2))
            guard Self.idleTimeoutSeconds.contains(seconds) else { throw .outOfRange }
            self = .idleTimeout(seconds: seconds)
        case 0xe0:
            guard data.count >= 1 else { throw .tooShort(minimum: 1, actual: data.count) }
            self = .closeError(mayReconnect: data[0] != 0, text: data.extracting(1..<data.count).revealText())
        case 0xe1: self = .alert(data.revealText())
        default:
            guard let signal = Self.signal(plaintext[0]) else {
                self = .unknown(type: plaintext[0], bytes())
                return
            }
            try check(0)
            self = signal
        }
    }

    /// The payloads without data.
    private static func signal(_ type: UInt8) -> ChatPayload? {
        switch type {
        case 0x03: .unblockIncoming
        case 0xd0: .queueSendComplete
        case 0xd2: .deviceCookieChanged
        case 0xd3: .clearDeviceCookieChange
        default: nil
        }
    }

    private static func deviceIDs(_ data: Span<UInt8>) throws(ChatPayloadError) -> [UInt64] {
        let width = 8
        guard data.count % width == 0 else {
            throw .wrongLength(expected: data.count - data.count % width, actual: data.count)
        }
        return stride(from: 0, to: data.count, by: width).map { data.littleEndian(at: $0, width: width) }
    }
}

extension ChatAcknowledgement {
    /// - Parameter bytes: 16 bytes.
    init(decoding bytes: Span<UInt8>) throws(ChatPayloadError) {
        guard bytes.count == Self.count else { throw .wrongLength(expected: Self.count, actual: bytes.count) }
        guard let identity = try? ThreemaID(bytes: bytes.extracting(0..<ThreemaID.count)) else { throw .invalidID }
        self.init(identity, MessageID(bytes: bytes.extracting(ThreemaID.count..<Self.count)))
    }
}
