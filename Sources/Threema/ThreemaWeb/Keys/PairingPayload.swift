internal import Encodings
public import SecureMemory
public import Threema
public import ThreemaMessages

// What the web client shows as a QR code, which has it in Base64:
//
//   offset  length  meaning
//        0       2  version of the protocol above the signalling, big-endian
//        2       1  options: 1 the server is self-hosted, 2 the app may store the session
//        3      32  permanent public key of the initiator, which is the web client
//       35      32  authentication token
//       67      32  permanent public key of the server; zeros for none
//       99       2  port of the server, big-endian
//      101       …  host of the server, UTF-8

/// What an app needs to pair with a web client.
public struct PairingPayload: Equatable, Sendable {
    /// Length of what stands before the host, in bytes.
    public static let headerCount = 101

    /// What the web client tells the app about the server and the user's wish.
    public struct Options: OptionSet, Sendable {
        /// The byte of the payload.
        public let rawValue: UInt8

        /// Every byte is valid; unknown bits are kept.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Web client and server are not the messenger's.
        public static let selfHosted = Options(rawValue: 1)
        /// The user wants to connect again without a QR code.
        public static let permanent = Options(rawValue: 2)
    }

    /// Version of the protocol above the signalling.
    public let version: UInt16
    /// Also options that are not known.
    public let options: Options
    /// Permanent public key of the web client.
    public let initiatorKey: PublicKey
    /// Seals the first message of the app.
    public let token: AuthToken
    /// Where both sides meet.
    public let server: SignalingServer

    /// Puts the parts together.
    public init(
        version: UInt16, options: Options, initiatorKey: PublicKey, token: AuthToken, server: SignalingServer
    ) {
        self.version = version
        self.options = options
        self.initiatorKey = initiatorKey
        self.token = token
        self.server = server
    }

    /// Reads the bytes of a code.
    /// - Throws: `.tooShort`, `.tooLong`, `.weakInitiatorKey`, `.weakServerKey`, `.noPort`, `.badHost`.
    public init(decoding bytes: Span<UInt8>) throws(PairingError) {
        let limit = Self.headerCount + SignalingServer.maxHostBytes
        guard bytes.count > Self.headerCount else {
            throw .tooShort(minimum: Self.headerCount + 1, actual: bytes.count)
        }
        guard bytes.count <= limit else { throw .tooLong(limit: limit, actual: bytes.count) }
        guard let initiatorKey = PublicKey(bytes.publicBytes(3..<35)) else { throw .weakInitiatorKey }
        self.init(
            version: UInt16(bytes[0]) << 8 | UInt16(bytes[1]), options: Options(rawValue: bytes[2]),
            initiatorKey: initiatorKey, token: AuthToken(SecureBytes(copying: bytes.extracting(35..<67))),
            server: try SignalingServer(decoding: bytes.extracting(67..<bytes.count)))
    }

    /// Reads the text of a QR code: Base64.
    /// - Throws: `.notBase64`, and as the other one.
    public init(code: Span<UInt8>) throws(PairingError) {
        let limit = Base64.encodedCount(Self.headerCount + SignalingServer.maxHostBytes)
        guard code.count <= limit else { throw .tooLong(limit: limit, actual: code.count) }
        guard let bytes = Base64.decode(code) else { throw .notBase64 }
        self = try bytes.withBytes { (bytes) throws(PairingError) in try PairingPayload(decoding: bytes) }
    }

    /// The bytes of the code. They contain the token.
    public var encoded: SecureBytes {
        var buffer = SecureBuffer(capacity: Self.headerCount + server.host.utf8.count)
        var header: [UInt8] = []
        header.append(bigEndian: UInt64(version), width: 2)
        header.append(options.rawValue)
        header += initiatorKey.bytes
        buffer.append(header.span)
        buffer.append(token.bytes)
        buffer.append(server.encoded.span)
        return buffer.finish()
    }

    /// The text of the QR code. It contains the token.
    public var code: SecureBytes {
        let bytes = encoded
        var text = SecureBuffer(capacity: Base64.encodedCount(bytes.count))
        bytes.withBytes { Base64.encode($0, appendingTo: &text) }
        return text.finish()
    }

    /// Where both sides open their WebSocket, with the subprotocol `InitiatorClient.subprotocol`.
    public var url: String { server.url(for: initiatorKey) }
}

/// Why bytes are not the payload of a pairing, or not a server of one.
public enum PairingError: Error, Equatable, Sendable {
    /// Lengths are bytes.
    case tooShort(minimum: Int, actual: Int)
    /// Lengths are bytes, or characters of the code.
    case tooLong(limit: Int, actual: Int)
    /// The text of the code is not canonical Base64.
    case notBase64
    /// The initiator's key is a point of low order.
    case weakInitiatorKey
    /// The server's key is a point of low order, and not zeros.
    case weakServerKey
    /// The port is 0.
    case noPort
    /// The host is empty, not UTF-8, or has characters that a host cannot have.
    case badHost
}
