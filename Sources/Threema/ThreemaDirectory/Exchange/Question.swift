internal import Encodings
internal import SecureMemory
public import Threema

/// A request that needs no proof, and how its reply is read.
public struct Question<Answer: ~Copyable>: Sendable {
    /// The request to send. Give its reply to `answer(_:)`.
    public let request: DirectoryRequest
    private let reading: ReplyFields.Reading
    private let read: @Sendable (ReplyFields) throws(DirectoryError) -> Answer

    /// - Parameter isRead: whether the request changes nothing at the directory; a GET never does.
    init(
        _ method: DirectoryRequest.Method = .post, _ path: String, _ fields: [JSONValue.Member] = [],
        _ reading: ReplyFields.Reading = .init(), isRead: Bool = false,
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer
    ) {
        request = DirectoryRequest(
            method, path, fields, maxAnswerBytes: reading.maxBytes, isRepeatable: method == .get || isRead)
        self.reading = reading
        self.read = read
    }

    /// A question with a field whose text never becomes a `String`.
    init(
        _ path: String, _ fields: [JSONValue.Member], _ secretName: String, _ secret: borrowing SecureBytes,
        _ reading: ReplyFields.Reading = .init(), isRead: Bool = false,
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer
    ) {
        request = DirectoryRequest(
            path, fields, secretName, secret, maxAnswerBytes: reading.maxBytes, isRepeatable: isRead)
        self.reading = reading
        self.read = read
    }

    /// Reads the reply to `request`.
    public func answer(_ reply: DirectoryReply) throws(DirectoryError) -> Answer {
        try read(ReplyFields(reply, reading))
    }
}

/// A request that an identity has to prove to be its own, in two phases: `request` is sent first; the reply is a
/// challenge, and `next` tells what to send then.
public struct SignedQuestion<Answer: ~Copyable>: Sendable {
    private let path: String
    private let fields: [JSONValue.Member]
    private let secondFields: [JSONValue.Member]
    private let reading: ReplyFields.Reading
    private let early: @Sendable (ReplyFields) throws(DirectoryError) -> Answer?
    private let read: @Sendable (ReplyFields) throws(DirectoryError) -> Answer

    /// - Parameters:
    ///   - secondFields: those of the second request alone.
    ///   - early: the answer that stands in the first reply already; nil if that is a challenge.
    ///   - read: reads the second reply.
    init(
        _ path: String, _ fields: [JSONValue.Member], secondFields: [JSONValue.Member] = [],
        _ reading: ReplyFields.Reading = .init(),
        early: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer? = { _ in nil },
        read: @escaping @Sendable (ReplyFields) throws(DirectoryError) -> Answer
    ) {
        self.path = path
        self.fields = fields
        self.secondFields = secondFields
        self.reading = reading
        self.early = early
        self.read = read
    }

    /// The request to send first. Its reply either answers, or asks for a proof.
    public var request: DirectoryRequest {
        DirectoryRequest(.post, path, fields, maxAnswerBytes: reading.maxBytes, isRepeatable: true)
    }

    /// What comes after the first reply.
    public enum Step: ~Copyable {
        /// Nothing: this is the answer already.
        case answer(Answer)
        /// The second request; `answer` reads its reply.
        case request(DirectoryRequest)
    }

    /// Reads the reply to `request`.
    /// - Parameter key: of the identity that asks.
    public func next(_ reply: DirectoryReply, key: borrowing ClientKey) throws(DirectoryError) -> Step {
        // In the first reply, `token` is the challenge.
        var first = reading
        first.secrets.removeAll { $0 == "token" }
        let fields = try ReplyFields(reply, first)
        if let answer = try early(fields) { return .answer(answer) }
        guard fields.has("token") else { throw try fields.refusalInstead(of: "token") }
        let challenge = try Challenge(fields)
        let response = try challenge.response(of: key)
        let proof: [JSONValue.Member] = [
            .init("token", .string(Base64.encode(challenge.token.span))),
            .init("response", .string(Base64.encode(response.span))),
        ]
        return .request(
            DirectoryRequest(
                .post, path, self.fields + secondFields + proof, maxAnswerBytes: reading.maxBytes, isRepeatable: false))
    }

    /// Reads the reply to the second request.
    public func answer(_ reply: DirectoryReply) throws(DirectoryError) -> Answer {
        try read(ReplyFields(reply, reading))
    }
}
