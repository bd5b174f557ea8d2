public import Encodings
public import HTTP

/// Why a directory's response is not an answer, or a request cannot be made.
public enum DirectoryError: ServiceError {
    /// The number of identities or hashes; nothing was sent.
    case wrongCount(Int, allowed: ClosedRange<Int>)
    /// Status 404, in response to a request about an identity. A revoked identity is an entry with the state `invalid`.
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

        fileprivate init(_ response: HTTPResponse) {
            guard response.body.count <= 4096,
                let value = try? JSONScanner.parse(response.body.span, limits: .init(depth: 8, values: 100)),
                let code = value["code"]?.string
            else {
                self = .unknown
                return
            }
            self = .init(rawValue: code) ?? .unknown
        }
    }

    /// `.unauthorized` for status 401; `.rateLimited` for 429, with the seconds of `Retry-After`, or 10: a date in it means
    /// nothing without a clock, so `DirectoryClient` makes seconds of it first; `.unexpectedStatus` for any other except
    /// 200 and 204.
    public static func meaning(of response: HTTPResponse) -> DirectoryError? {
        switch response.status {
        case 200, 204: nil
        case 401: .unauthorized(UnauthorizedReason(response))
        case 429: .rateLimited(seconds: min(max(10, response.headers["retry-after"].flatMap { Int($0) } ?? 10), 86_400))
        default: .unexpectedStatus(response.status)
        }
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
