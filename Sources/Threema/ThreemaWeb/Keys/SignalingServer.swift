internal import Encodings
internal import HTTP
internal import SecureMemory
public import Threema
internal import ThreemaMessages

// Where both sides of a pairing meet, as the QR code has it and a stored pairing, too:
//
//   offset  length  meaning
//        0      32  permanent public key of the server; zeros if it has none
//       32       2  port, big-endian
//       34       …  host, UTF-8

/// A SaltyRTC server: the messenger's, or one that the user runs. Web client and app open a WebSocket there.
public struct SignalingServer: Equatable, Sendable {
    /// Length without the host, in bytes.
    static let headerCount = PublicKey.count + 2
    /// Longest host, in bytes.
    public static let maxHostBytes = 253

    /// A name or an address.
    public let host: String
    /// Not 0.
    public let port: UInt16
    /// Permanent public key of the server; nil if it has none.
    public let key: PublicKey?

    /// - Throws: `.noPort` for port 0, `.badHost`.
    public init(host: String, port: UInt16, key: PublicKey?) throws(PairingError) {
        guard port != 0 else { throw .noPort }
        guard Self.isHost(host) else { throw .badHost }
        self.host = host
        self.port = port
        self.key = key
    }

    /// - Throws: `.tooShort`, `.tooLong`, `.weakServerKey`, `.noPort`, `.badHost`.
    init(decoding bytes: Span<UInt8>) throws(PairingError) {
        let (minimum, limit) = (Self.headerCount + 1, Self.headerCount + Self.maxHostBytes)
        guard bytes.count >= minimum else { throw .tooShort(minimum: minimum, actual: bytes.count) }
        guard bytes.count <= limit else { throw .tooLong(limit: limit, actual: bytes.count) }
        let keyBytes = bytes.publicBytes(0..<PublicKey.count)
        let key = PublicKey(keyBytes)
        guard key != nil || keyBytes.allSatisfy({ $0 == 0 }) else { throw .weakServerKey }
        guard let host = bytes.extracting(Self.headerCount..<bytes.count).text() else { throw .badHost }
        try self.init(host: host, port: UInt16(bytes[32]) << 8 | UInt16(bytes[33]), key: key)
    }

    var encoded: [UInt8] {
        var bytes = key?.bytes ?? [UInt8](repeating: 0, count: PublicKey.count)
        bytes.append(bigEndian: UInt64(port), width: 2)
        return bytes + host.utf8
    }

    /// Where both sides open their WebSocket, with the subprotocol `InitiatorClient.subprotocol`.
    /// - Parameter initiator: the permanent key of the web client.
    public func url(for initiator: PublicKey) -> String {
        "wss://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(initiator.hex)"
    }

    /// Whether a URL can have this host: no port, login or path is in it.
    private static func isHost(_ host: String) -> Bool {
        guard (1...maxHostBytes).contains(host.utf8.count) else { return false }
        // An IPv6 address stands in brackets in a URL only.
        if host.utf8.contains(UInt8(ascii: ":")) { return host.utf8.allSatisfy { $0 == 0x3a || Hex.value($0) != nil } }
        return HTTPOrigin(authority: host) != nil && !host.utf8.contains { "[]{}%".utf8.contains($0) }
    }
}
