internal import Encodings
internal import HTTP
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
    /// Longest host, in bytes.
    public static let maxHostBytes = 253

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
    /// Permanent public key of the server; nil if it has none.
    public let serverKey: PublicKey?
    /// Port of the server, not 0.
    public let port: UInt16
    /// Host of the server: a name or an address.
    public let host: String

    /// - Throws: `.noPort` for port 0, `.badHost`.
    public init(
        version: UInt16, options: Options, initiatorKey: PublicKey, token: AuthToken, serverKey: PublicKey?,
        host: String, port: UInt16
    ) throws(PairingError) {
        guard port != 0 else { throw .noPort }
        guard Self.isHost(host) else { throw .badHost }
        self.version = version
        self.options = options
        self.initiatorKey = initiatorKey
        self.token = token
        self.serverKey = serverKey
        self.host = host
        self.port = port
    }

    /// Reads the bytes of a code.
    /// - Throws: `.tooShort`, `.tooLong`, `.weakInitiatorKey`, `.weakServerKey`, `.noPort`, `.badHost`.
    public init(decoding bytes: Span<UInt8>) throws(PairingError) {
        let limit = Self.headerCount + Self.maxHostBytes
        guard bytes.count > Self.headerCount else {
            throw .tooShort(minimum: Self.headerCount + 1, actual: bytes.count)
        }
        guard bytes.count <= limit else { throw .tooLong(limit: limit, actual: bytes.count) }
        guard let initiatorKey = PublicKey(bytes.publicBytes(3..<35)) else { throw .weakInitiatorKey }
        let serverBytes = bytes.publicBytes(67..<99)
        let serverKey = PublicKey(serverBytes)
        guard serverKey != nil || serverBytes.allSatisfy({ $0 == 0 }) else { throw .weakServerKey }
        guard let host = bytes.extracting(Self.headerCount..<bytes.count).text() else { throw .badHost }
        try self.init(
            version: UInt16(bytes[0]) << 8 | UInt16(bytes[1]), options: Options(rawValue: bytes[2]),
            initiatorKey: initiatorKey, token: AuthToken(SecureBytes(copying: bytes.extracting(35..<67))),
            serverKey: serverKey, host: host, port: UInt16(bytes[99]) << 8 | UInt16(bytes[100]))
    }

    /// Reads the text of a QR code: Base64.
    /// - Throws: `.notBase64`, and as the other one.
    public init(code: Span<UInt8>) throws(PairingError) {
        let limit = Base64.encodedCount(Self.headerCount + Self.maxHostBytes)
        guard code.count <= limit else { throw .tooLong(limit: limit, actual: code.count) }
        guard let bytes = Base64.decode(code) else { throw .notBase64 }
        self = try bytes.withBytes { (bytes) throws(PairingError) in try PairingPayload(decoding: bytes) }
    }

    /// The bytes of the code. They contain the token.
    public var encoded: SecureBytes {
        var buffer = SecureBuffer(capacity: Self.headerCount + host.utf8.count)
        var header: [UInt8] = []
        header.append(bigEndian: UInt64(version), width: 2)
        header.append(options.rawValue)
        header += initiatorKey.bytes
        buffer.append(header.span)
        buffer.append(token.bytes)
        var server = serverKey?.bytes ?? [UInt8](repeating: 0, count: PublicKey.count)
        server.append(bigEndian: UInt64(port), width: 2)
        server += host.utf8
        buffer.append(server.span)
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
    public var url: String { "wss://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(initiatorKey.hex)" }

    /// Whether a URL can have this host: no port, login or path is in it.
    private static func isHost(_ host: String) -> Bool {
        guard (1...maxHostBytes).contains(host.utf8.count) else { return false }
        // An IPv6 address stands in brackets in a URL only.
        if host.utf8.contains(UInt8(ascii: ":")) { return host.utf8.allSatisfy { $0 == 0x3a || Hex.value($0) != nil } }
        return HTTPOrigin(authority: host) != nil && !host.utf8.contains { "[]{}%".utf8.contains($0) }
    }
}

/// Why bytes are not the payload of a pairing.
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
