import Console
import TextSecure

/// Why a file with a message or numbers was not used, beside the errors of its form.
enum TextSecureMessageError: Error, Equatable {
    /// It is text, but neither Base64 nor JSON with it.
    case notBase64
    /// The envelope has no message that could be written.
    case noMessage
    /// A line, counted from 1, is not a phone number.
    case malformedNumber(line: Int)
    /// It is not the JSON with which a server answers about tokens.
    case malformedAnswer
    /// More numbers than one request takes.
    case tooManyNumbers(limit: Int)
}

extension TextSecureMessageError: Explained {
    var failure: Failure {
        switch self {
        case .notBase64:
            Failure(.badData, "the payload is neither Base64, nor JSON with Base64 in m, nor the bytes of one")
        case .noMessage: Failure(.badData, "the payload contains no message")
        case .malformedNumber(let line):
            Failure(
                .badData, "line \(line) is not a phone number with a plus sign and the country code",
                hints: "write it as +12025550123, without blanks: a token is made of exactly these characters")
        case .malformedAnswer: Failure(.badData, "this is not a server's answer about tokens")
        case .tooManyNumbers(let limit):
            Failure(
                .usage, "a request has at most \(limit) numbers",
                hints: "keytool-lab textsecure hash-numbers --bodies writes a body for each \(limit)")
        }
    }
}

extension PushPayloadError: Explained {
    var failure: Failure {
        switch self {
        case .tooShort(let count):
            Failure(
                .badData, "a payload has at least \(ByteCount.text(PushPayload.minCount)); this has \(count)")
        case .tooLong(let limit): Failure(.badData, "the payload is longer than \(ByteCount.text(limit))")
        case .unknownVersion(let version): Failure(.badData, "the payload has version \(version), not 1")
        case .wrongLength(let count):
            Failure(.badData, "a payload of \(ByteCount.text(count)) has no whole blocks: a part is missing")
        case .notAuthentic:
            Failure(
                .badData, "the payload was changed, or made with another signaling key",
                hints: "each registration of the account has a key of its own"
            ).because(of: "not_authentic")
        }
    }
}

extension ContentError: Explained {
    var failure: Failure {
        switch self {
        case .tooLong(let limit): Failure(.badData, "the message is longer than \(ByteCount.text(limit))")
        case .tooMany(let limit): Failure(.badData, "a list of the message has more than \(limit) elements")
        case .malformed: Failure(.badData, "the content is not a message of TextSecure")
        case .notUnicode: Failure(.badData, "a text of the message is not UTF-8")
        case .numberTooLarge: Failure(.badData, "a number of the message is too large for its field")
        case .wrongKeyLength(let count):
            Failure(
                .badData, "the key of an attachment has \(ByteCount.text(count)), not \(AttachmentKey.count)")
        }
    }
}

extension ServerError: Explained {
    var failure: Failure {
        switch self {
        case .badParameter: Failure(.usage, "a value of the request is empty, too long, or has wrong characters")
        case .tooLong(let limit): Failure(.badData, "the answer is longer than \(ByteCount.text(limit))")
        case .tooMany(let limit): Failure(.usage, "one request has at most \(limit) elements")
        case .malformed(let field): Failure(.badData, "the answer has no \(field), or in another form")
        case .badNumber, .badToken, .unauthorized, .wrongCode, .notFound, .wrongDevices, .staleDevices,
            .tooManyRequests, .badTransport, .badJSON, .unexpectedStatus:
            Failure(.badData, "the answer is not that of a successful request")
        }
    }
}
