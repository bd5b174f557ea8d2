internal import Encodings
public import HTTP
public import ThreemaMessages

// Bodies, as Protocol Buffers:
//
//     peek   1  bytes   call ID
//     join   1  bytes   call ID          2  uint32  protocol version
//            3  bytes   SHA-256 of the own DTLS certificate
//
//     answer to peek   1  uint64  begun, milliseconds since 1970     2  uint32  most participants
//                      3  bytes   encrypted call state; missing if nobody has stored one
//     answer to join   1  uint64  begun      2  uint32  most participants      3  uint32  own number
//                      4  addresses: 1 protocol, 0 for UDP; 2 uint32 port; 3 string IP
//                      5  string  ICE user name fragment      6  string  ICE password
//                      7  bytes   SHA-256 of the server's DTLS certificate

/// What a server says of a call that is under way.
public struct CallPeek: Equatable, Sendable {
    /// Milliseconds since 1970, by the server's clock.
    public let startedAt: UInt64
    /// How many can take part.
    public let maxParticipants: UInt32
    /// For `CallState.open`; nil if nobody has stored one.
    public let encryptedState: [UInt8]?
}

/// What somebody needs to connect to a call: the parameters of ICE and DTLS.
public struct CallJoin: Equatable, Sendable {
    /// Where the server takes media, by UDP.
    public struct Address: Equatable, Sendable {
        /// As the server wrote it.
        public let ip: String
        /// 1...65535.
        public let port: UInt16
    }

    /// Milliseconds since 1970, by the server's clock.
    public let startedAt: UInt64
    /// How many can take part.
    public let maxParticipants: UInt32
    /// The number of this participant in the call.
    public let participant: UInt32
    /// At least one. Those of other protocols than UDP are left out.
    public let addresses: [Address]
    /// The server's user name of ICE, for this connection only.
    public let userFragment: String
    /// Of ICE, for this connection only.
    public let password: String
    /// What the server's certificate has to have. The answer came by HTTPS, so it can be trusted as much as the server.
    public let fingerprint: CertificateFingerprint
}

extension ServiceRequest where Answer == CallPeek, Failure == CallError {
    /// Asks if a call is under way. It takes 5 seconds at most, because calls are peeked while the user looks at them.
    /// - Throws: `.badToken`.
    public static func peek(
        _ call: GroupCallID, at server: CallServer, token: EnclosedBytes
    ) throws(CallError) -> Self {
        var body: [UInt8] = []
        ProtobufWire.append(call.bytes.span, number: 1, to: &body)
        return try Self("peek", call, at: server, token: token, body: body, timeout: .seconds(5)) {
            (message) throws(CallMessageError) in
            let fields = try CallFields(message, 3)
            return CallPeek(
                startedAt: fields.numbers[1], maxParticipants: try fields.number32(2), encryptedState: fields.bytes[3])
        }
    }
}

extension ServiceRequest where Answer == CallJoin, Failure == CallError {
    /// Begins a call, or joins it. It takes 10 seconds at most, as the specification says; Android waits 20.
    /// - Parameters:
    ///   - version: of the start message.
    ///   - fingerprint: of the own DTLS certificate, which the server expects.
    /// - Throws: `.badToken`.
    public static func join(
        _ call: GroupCallID, at server: CallServer, token: EnclosedBytes, version: UInt32 = 1,
        fingerprint: CertificateFingerprint
    ) throws(CallError) -> Self {
        var body: [UInt8] = []
        ProtobufWire.append(call.bytes.span, number: 1, to: &body)
        // What has its default value is left out.
        if version != 0 { ProtobufWire.append(UInt64(version), number: 2, to: &body) }
        ProtobufWire.append(fingerprint.bytes.span, number: 3, to: &body)
        return try Self("join", call, at: server, token: token, body: body, timeout: .seconds(10)) {
            (message) throws(CallMessageError) in try CallJoin(message)
        }
    }
}

extension CallJoin {
    /// Most addresses that are read.
    static let maxAddresses = 64

    fileprivate init(_ message: Span<UInt8>) throws(CallMessageError) {
        let fields = try CallFields(message, 7)
        startedAt = fields.numbers[1]
        maxParticipants = try fields.number32(2)
        participant = try fields.number32(3)
        userFragment = try fields.text(5)
        password = try fields.text(6)
        guard let digest = fields.bytes[7], digest.count == CertificateFingerprint.count else { throw .field(7) }
        fingerprint = CertificateFingerprint(digest)
        var addresses: [Address] = []
        var (position, count) = (0, 0)
        while let field = try CallFields.next(message, at: &position) {
            guard case .bytes(number: 4, let range) = field else { continue }
            count += 1
            guard count <= Self.maxAddresses else { throw .field(4) }
            let address = try CallFields(message.extracting(range), 3)
            guard address.numbers[1] == 0 else { continue }
            guard let port = UInt16(exactly: address.numbers[2]), port > 0 else { throw .field(4) }
            addresses.append(Address(ip: try address.text(3), port: port))
        }
        guard !addresses.isEmpty else { throw .field(4) }
        self.addresses = addresses
    }
}

extension CallFields {
    fileprivate func number32(_ number: Int) throws(CallMessageError) -> UInt32 {
        guard let value = UInt32(exactly: numbers[number]) else { throw .field(number) }
        return value
    }

    /// Text of a field that has to be there.
    fileprivate func text(_ number: Int) throws(CallMessageError) -> String {
        guard let bytes = bytes[number], !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else {
            throw .field(number)
        }
        return text
    }
}
