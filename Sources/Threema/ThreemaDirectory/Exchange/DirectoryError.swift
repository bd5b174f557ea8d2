public import Encodings

/// Why a reply is no answer.
public enum DirectoryError: Error, Equatable, Sendable {
    /// Status 404, in reply to a request about an identity. A revoked identity is an entry with the state `invalid`.
    case unknownIdentity
    /// Status 401.
    case unauthorized(UnauthorizedReason)
    /// Status 429: wait for so long before the next request, at least 10 seconds.
    case rateLimited(seconds: Int)
    /// `success: false`, with the directory's words for people.
    case refused(ServerWords)
    /// `success: false` without any words.
    case failed
    /// Any other status, or 404 where no identity was asked for.
    case unexpectedStatus(Int)
    /// The body is longer than the request's limit, in bytes.
    case tooLong(limit: Int)
    /// The body is not the JSON that is read here.
    case badJSON(JSONError)
    /// A field is missing, or has another type, length or number of elements.
    case malformed(field: String)

    /// What the directory says about a login that it does not accept.
    public enum UnauthorizedReason: String, Sendable {
        case invalidCredentials = "invalid-credentials"
        case challengeExpired = "challenge-expired"
        case invalidChallengeResponse = "invalid-challenge-response"
        /// It does not say, or says something else.
        case unknown
    }
}

/// Text that a directory wrote for people: at most 512 characters (Unicode scalars), without control characters. Nobody
/// knows what it says.
public struct ServerWords: Equatable, Sendable, CustomStringConvertible {
    /// Most Unicode scalars that are kept of a text.
    public static let maxCount = 512

    /// The text, cut and without control characters. The server chose it.
    public let text: String

    /// The same as `text`.
    public var description: String { text }

    /// Cuts a text, and replaces control and format characters by U+FFFD.
    public init(_ text: String) {
        var words = ""
        for scalar in text.unicodeScalars.prefix(Self.maxCount) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                words.unicodeScalars.append("\u{fffd}")
            default: words.unicodeScalars.append(scalar)
            }
        }
        self.text = words
    }
}
