internal import Encodings
internal import SecureMemory

/// One request to a directory.
public struct DirectoryRequest: Equatable, Sendable {
    /// The methods that a directory knows; the raw value is HTTP's name.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    /// What has to be sent along with each request.
    public static let headers = ["Content-Type: application/json", "Accept: application/json"]

    /// Most identities that one request may name.
    public static let maxIdentities = 1000

    /// The method to send the request with.
    public let method: Method
    /// Goes behind the directory's URL, which ends with a slash; begins with none.
    public let path: String
    /// JSON; nil for a GET. Ordinary memory, also if it holds a token or a revocation key.
    public let body: [UInt8]?
    /// Longest answer that has to be read, in bytes.
    public let maxAnswerBytes: Int
    /// Whether to send it again after a temporary failure is safe: it changes nothing at the directory. A proof is good
    /// for one request only.
    public let isRepeatable: Bool

    init(
        _ method: Method, _ path: String, _ fields: [JSONValue.Member] = [], maxAnswerBytes: Int, isRepeatable: Bool
    ) {
        self.method = method
        self.path = path
        body = method == .get ? nil : JSONValue.object(fields).encoded
        self.maxAnswerBytes = maxAnswerBytes
        self.isRepeatable = isRepeatable
    }

    /// A POST with a field whose text never becomes a `String`.
    /// - Parameter secret: its bytes are UTF-8.
    init(
        _ path: String, _ fields: [JSONValue.Member], _ secretName: String, _ secret: borrowing SecureBytes,
        maxAnswerBytes: Int, isRepeatable: Bool
    ) {
        method = .post
        self.path = path
        var (text, offsets) = JSONValue.object(fields).encoded(splitting: [[secretName]])
        secret.withBytes { text.insert(contentsOf: JSONValue.escaped($0), at: offsets[0]) }
        body = text
        self.maxAnswerBytes = maxAnswerBytes
        self.isRepeatable = isRepeatable
    }
}

/// A request that is not made because it has too many parts, or none.
public enum DirectoryRequestError: Error, Equatable, Sendable {
    /// The number of identities or hashes.
    case wrongCount(Int, allowed: ClosedRange<Int>)
}

/// What a directory answered to one request.
public struct DirectoryReply: Sendable {
    /// HTTP's status code.
    public let status: Int
    /// At most as many bytes as the request permits, or one more.
    public let body: [UInt8]
    /// For how long the directory wants not to be asked again (`Retry-After`); nil if it does not say.
    public let secondsToWait: Int?

    /// What a client has received. Redirects are not followed.
    public init(status: Int, body: [UInt8], secondsToWait: Int? = nil) {
        self.status = status
        self.body = body
        self.secondsToWait = secondsToWait
    }
}
