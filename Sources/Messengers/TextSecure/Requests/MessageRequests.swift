public import Encodings
internal import HTTP

extension ServerRequest where Answer == [DirectoryEntry] {
    /// Asks which numbers have accounts. Anyone who sees the tokens finds the numbers.
    /// - Parameter tokens: one batch of `ContactDiscovery`.
    /// - Throws: `.tooMany`.
    public static func contacts(_ tokens: [DirectoryToken]) throws(ServerError) -> ServerRequest {
        let limit = ContactDiscovery.maxTokens
        guard tokens.count <= limit else { throw .tooMany(limit: limit) }
        let body: JSONValue = ["contacts": .array(tokens.map { .string($0.text) })]
        return ServerRequest(
            .put, "/v1/directory/tokens", json: body, maxAnswerCount: 1024 * 1024, meanings: [400: .badToken]
        ) { (reply) throws(ServerError) in
            var entries: [DirectoryEntry] = []
            for value in try AnswerFields(reply).list("contacts", limit: limit) {
                let fields = try AnswerFields(value, of: "contacts")
                guard let token = DirectoryToken(text: try fields.text("token")) else {
                    throw .malformed(field: "token")
                }
                entries.append(
                    DirectoryEntry(
                        token: token, relay: try fields.optionalText("relay"),
                        supportsSMS: try fields.truth("supportsSms")))
            }
            return entries
        }
    }
}

/// An encrypted message with its receiver, as the server takes it.
public struct AddressedMessage: Equatable, Sendable {
    /// Longest body in bytes.
    public static let maxBodyCount = 256 * 1024

    /// The number of the account that gets the message.
    public let destination: AccountNumber
    /// The receiver's server in a federation; nil for the own one.
    public let relay: String?
    /// As in `IncomingPushSignal`: 1 WhisperMessage, 3 PreKeyWhisperMessage.
    public let type: UInt32
    /// When it was sent, in milliseconds since 1970.
    public let timestamp: Timestamp
    /// The message as a session has sealed it, at most `maxBodyCount` bytes.
    public let body: [UInt8]

    /// A message to one receiver.
    public init(
        to destination: AccountNumber, relay: String? = nil, type: UInt32, timestamp: Timestamp, body: [UInt8]
    ) {
        self.destination = destination
        self.relay = relay
        self.type = type
        self.timestamp = timestamp
        self.body = body
    }
}

/// Which receivers of a message the server has accepted.
public struct SendingResult: Equatable, Sendable {
    /// Numbers to which the server sends it.
    public let success: [String]
    /// Numbers to which it does not.
    public let failure: [String]
}

extension ServerRequest where Answer == SendingResult {
    /// Sends messages.
    /// - Throws: `.tooMany` for more than 1000; `.badParameter` for a body that is too long.
    public static func send(_ messages: [AddressedMessage]) throws(ServerError) -> ServerRequest {
        let limit = ContentLimits.elements
        guard messages.count <= limit else { throw .tooMany(limit: limit) }
        guard messages.allSatisfy({ $0.body.count <= AddressedMessage.maxBodyCount }) else { throw .badParameter }
        let body: JSONValue = [
            "messages": .array(
                messages.map { message in
                    let value: JSONValue = [
                        "body": .string(Base64.encodeUnpadded(message.body.span)),
                        "destination": .string(message.destination.text),
                        "timestamp": .number(message.timestamp.milliseconds), "type": .number(message.type),
                    ]
                    return value.setting("relay", to: message.relay.map { .string($0) })
                })
        ]
        return ServerRequest(.post, "/v1/messages/", json: body) { (reply) throws(ServerError) in
            let fields = try AnswerFields(reply)
            return SendingResult(
                success: try fields.texts("success", limit: limit), failure: try fields.texts("failure", limit: limit))
        }
    }
}
