import Console
import TextSecure

/// Why a file with a message, a key or numbers was not used, beside the errors of its form.
enum TextSecureMessageError: Error, Equatable {
    /// It is text, but neither Base64 nor JSON with it.
    case notBase64
    /// The envelope has no message that could be written.
    case noMessage
    /// It is not 64 bytes in Base64.
    case malformedAttachmentKey
    /// A line, counted from 1, is not a phone number.
    case malformedNumber(line: Int)
    /// It is not the JSON with which a server answers about tokens.
    case malformedAnswer
    /// It is none of the forms in which clients have wrapped their master secret.
    case notClientStorage
    /// It is none of the files that `verify` opens.
    case notVerifiable
    /// More numbers than one request takes.
    case tooManyNumbers(limit: Int)
}

extension TextSecureMessageError: Explained {
    var failure: Failure {
        switch self {
        case .notBase64:
            Failure(.badData, "the payload is neither Base64, nor JSON with Base64 in m, nor the bytes of one")
        case .noMessage: Failure(.badData, "the payload contains no message")
        case .malformedAttachmentKey:
            Failure(.badData, "the key of an attachment is \(AttachmentKey.count) bytes in Base64, 88 characters")
        case .malformedNumber(let line):
            Failure(
                .badData, "line \(line) is not a phone number with a plus sign and the country code",
                hints: "write it as +12025550123, without blanks: a token is made of exactly these characters")
        case .malformedAnswer: Failure(.badData, "this is not a server's answer about tokens")
        case .notClientStorage:
            Failure(
                .badData, "this is not a client's master secret under a password",
                hints: "import-client reads the iOS client's (RNCryptor 3) and the Android client's (preferences, XML)")
        case .notVerifiable:
            Failure(
                .badData, "this is neither an age file nor a client's master secret under a password",
                hints: "for an attachment, give its key: --attachment-key-file FILE",
                "for a push payload: keytool textsecure open-push")
        case .tooManyNumbers(let limit):
            Failure(
                .usage, "a request has at most \(limit) numbers",
                hints: "keytool textsecure hash-numbers --bodies writes a body for each \(limit)")
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

extension AttachmentError: Explained {
    var failure: Failure {
        switch self {
        case .tooShort:
            Failure(.badData, "an attachment has at least \(ByteCount.text(AttachmentBlob.minCount))")
        case .tooLong(let limit):
            Failure(.badData, "the file of an attachment has at most \(ByteCount.text(Int(limit)))")
        case .wrongLength: Failure(.badData, "the attachment has no whole blocks: a part is missing, or was added")
        case .notAuthentic:
            Failure(.badData, "the attachment was changed, or made with another key").because(of: "not_authentic")
        }
    }
}

extension ClientStorageError: Explained {
    var failure: Failure {
        switch self {
        case .wrongLength(let count):
            Failure(.badData, "a value of the client's storage has a wrong length: \(ByteCount.text(count))")
        case .unknownFormat: Failure(.badData, "this is not a file of RNCryptor 3 with a password")
        case .wrongPasswordOrDamaged:
            Failure(.wrongPassword, "the password of the client is wrong, or the file is damaged")
        case .wrongKeyOrDamaged: Failure(.badData, "the value has another master secret, or is damaged")
        case .malformed: Failure(.badData, "the file of preferences is damaged")
        case .tooLong(let limit): Failure(.badData, "the file is longer than \(ByteCount.text(limit))")
        case .missing(let name): Failure(.badData, "the file of preferences has no value \(name)")
        }
    }
}
