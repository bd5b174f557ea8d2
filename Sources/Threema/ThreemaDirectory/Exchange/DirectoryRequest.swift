internal import Encodings
public import HTTP
internal import SecureMemory
public import Threema

/// A request to a directory that needs no proof.
public typealias DirectoryRequest<Answer: ~Copyable> = ServiceRequest<Answer, DirectoryError>

extension ServiceRequest where Answer: ~Copyable, Failure == DirectoryError {
    /// - Parameter isRead: whether the request changes nothing at the directory; a GET never does.
    init(
        _ method: HTTPRequest.Method = .post, _ path: String, _ fields: [JSONValue.Member] = [],
        _ reading: ReplyFields.Reading = .init(), isRead: Bool = false,
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer
    ) {
        self.init(.directory(method, path, .object(fields), reading, isRead: isRead), reading, read)
    }

    /// A request with a field whose text never becomes a `String`.
    /// - Parameter secret: its bytes are UTF-8.
    init(
        _ path: String, _ fields: [JSONValue.Member], _ secretName: String, _ secret: borrowing SecureBytes,
        _ reading: ReplyFields.Reading = .init(), isRead: Bool = false,
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer
    ) {
        var (body, offsets) = JSONValue.object(fields).encoded(splitting: [[secretName]])
        secret.withBytes { body.insert(contentsOf: JSONValue.escaped($0), at: offsets[0]) }
        var http = HTTPRequest.directory(.post, path, .null, reading, isRead: isRead)
        http.body = body
        self.init(http, reading, read)
    }

    private init(
        _ http: HTTPRequest, _ reading: ReplyFields.Reading,
        _ read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer
    ) {
        self.init(http, meanings: reading.isOfIdentity ? [404: .unknownIdentity] : [:]) {
            (response) throws(DirectoryError) in try read(ReplyFields(response, reading))
        }
    }
}

extension HTTPRequest {
    /// - Parameter body: left out of a GET. Ordinary memory, also if it holds a token or a revocation key.
    fileprivate static func directory(
        _ method: Method, _ path: String, _ body: JSONValue, _ reading: ReplyFields.Reading, isRead: Bool
    ) -> HTTPRequest {
        HTTPRequest(
            method, path, headers: ["Content-Type: application/json", "Accept: application/json"],
            body: method == .get ? nil : body.encoded, limit: reading.maxBytes, isRepeatable: method == .get || isRead)
    }

    /// A POST that changes something, with its body in guarded memory.
    fileprivate static func directory(
        _ path: String, _ body: JSONValue, _ secret: SecretField, _ reading: ReplyFields.Reading
    ) -> HTTPRequest {
        HTTPRequest(
            .post, path, headers: ["Content-Type: application/json", "Accept: application/json"],
            limit: reading.maxBytes, isRepeatable: false, upload: secret.upload(in: body))
    }
}

/// A request that an identity has to prove to be its own, in two phases: `http` is sent first; the response is a
/// challenge, and `next` tells what to send then.
public struct SignedRequest<Answer: ~Copyable>: Sendable {
    private let path: String
    private let fields: [JSONValue.Member]
    private let secondFields: [JSONValue.Member]
    private let secret: SecretField?
    private let reading: ReplyFields.Reading
    private let early: @Sendable (ReplyFields) throws(DirectoryError) -> Answer?
    private let read: @Sendable (ReplyFields) throws(DirectoryError) -> Answer

    /// - Parameters:
    ///   - secondFields: those of the second request alone.
    ///   - secret: one more of them.
    ///   - early: the answer that stands in the first response already; nil if that is a challenge.
    ///   - read: reads the second response.
    init(
        _ path: String, _ fields: [JSONValue.Member], secondFields: [JSONValue.Member] = [],
        secret: SecretField? = nil, _ reading: ReplyFields.Reading = .init(),
        early: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer? = { _ in nil },
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer
    ) {
        self.path = path
        self.fields = fields
        self.secondFields = secondFields
        self.secret = secret
        self.reading = reading
        self.early = early
        self.read = read
    }

    /// The request to send first. Its response either answers, or asks for a proof.
    public var http: HTTPRequest { .directory(.post, path, .object(fields), reading, isRead: true) }

    /// What comes after the first response.
    public enum Step: ~Copyable {
        /// Nothing: this is the answer already.
        case answer(Answer)
        /// The second request; `answer` reads its response.
        case request(HTTPRequest)
    }

    /// Reads the response to `http`.
    /// - Parameter key: of the identity that asks.
    public func next(_ response: HTTPResponse, key: borrowing ClientKey) throws(DirectoryError) -> Step {
        // In the first response, `token` is the challenge.
        var first = reading
        first.secrets.removeAll { $0 == "token" }
        let fields = try fields(response, first)
        if let answer = try early(fields) { return .answer(answer) }
        guard fields.has("token") else { throw try fields.refusalInstead(of: "token") }
        let challenge = try Challenge(fields)
        let proven = try challenge.response(of: key)
        let proof: [JSONValue.Member] = [
            .init("token", .string(Base64.encode(challenge.token.span))),
            .init("response", .string(Base64.encode(proven.span))),
        ]
        let body = JSONValue.object(self.fields + secondFields + proof)
        guard let secret else { return .request(.directory(.post, path, body, reading, isRead: false)) }
        return .request(.directory(path, body, secret, reading))
    }

    /// Reads the response to the second request.
    public func answer(_ response: HTTPResponse) throws(DirectoryError) -> Answer {
        try read(fields(response, reading))
    }

    private func fields(_ response: HTTPResponse, _ reading: ReplyFields.Reading) throws(DirectoryError) -> ReplyFields
    {
        try DirectoryError.check(response, [:], limit: reading.maxBytes)
        return try ReplyFields(response, reading)
    }
}
