internal import Encodings
internal import HTTP
internal import Ratchet
internal import SecureMemory

/// How the code that confirms a number gets to its owner.
public enum CodeTransport: String, CaseIterable, Sendable {
    case sms
    case voice
}

/// The push service of a platform.
public enum PushService: String, CaseIterable, Sendable {
    /// Apple.
    case apn
    /// Google.
    case gcm
}

extension ServerRequest where Answer == Void {
    /// Asks for a code. It is sent without a login.
    public static func code(for number: AccountNumber, by transport: CodeTransport) -> ServerRequest {
        ServerRequest(
            .get, "/v1/accounts/\(transport.rawValue)/code/\(number)", isAuthorized: false,
            meanings: [400: .badNumber, 415: .badTransport]
        ) { _ in }
    }

    /// Confirms the number with the code. The account has to be stored before this.
    /// - Parameters:
    ///   - code: decimal digits, also `123-456`, as it is sent.
    ///   - registrationID: nil for a server of version 1 that does not know it.
    /// - Throws: `.badParameter`.
    public static func confirm(
        code: String, signalingKey: SignalingKey, supportsSMS: Bool = false, registrationID: UInt16? = nil
    ) throws(ServerError) -> ServerRequest {
        let digits = code.utf8.filter { $0 != UInt8(ascii: "-") }
        guard (1...12).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .badParameter
        }
        var members: [JSONValue.Member] = [.init("supportsSms", .bool(supportsSMS))]
        if let registrationID { members.append(.init("registrationId", .number(registrationID))) }
        // The key never becomes a part of a JSONValue: its text is inserted between the quotes.
        let (bytes, offsets) = JSONValue.object(members).encoded(splitting: [["signalingKey"]])
        var body = SecureBuffer(capacity: bytes.count + Base64.encodedCount(SignalingKey.count))
        body.append(bytes.span.extracting(0..<offsets[0]))
        signalingKey.held.bytes.withBytes { Base64.encode($0, appendingTo: &body) }
        body.append(bytes.span.extracting(offsets[0]..<bytes.count))
        let path = "/v1/accounts/code/" + String(decoding: digits, as: UTF8.self)
        return ServerRequest(
            .put, path, contentType: Self.json, body: body.finish(), meanings: [403: .wrongCode]
        ) { _ in }
    }

    /// Tells the server where to push.
    /// - Parameter id: the device's id at the push service, 1 to 4096 bytes.
    /// - Throws: `.badParameter`.
    public static func register(_ id: String, at service: PushService) throws(ServerError) -> ServerRequest {
        guard (1...4096).contains(id.utf8.count) else { throw .badParameter }
        let body = JSONValue.object([.init(service.rawValue + "RegistrationId", .string(id))])
        return ServerRequest(.put, "/v1/accounts/\(service.rawValue)/", json: body) { _ in }
    }
}

extension ServerRequest {
    static var json: String { "application/json" }

    init(
        _ method: HTTPRequest.Method, _ path: String, json body: JSONValue, maxAnswerCount: Int = 64 * 1024,
        meanings: [Int: ServerError] = [:], read: @escaping @Sendable (HTTPResponse) throws(ServerError) -> Answer
    ) {
        self.init(
            method, path, contentType: Self.json, body: SecureBytes(copying: body.sorted.encoded.span),
            maxAnswerCount: maxAnswerCount, meanings: meanings, read: read)
    }
}
