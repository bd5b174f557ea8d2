public import HTTP
internal import Encodings
internal import Primitives
internal import SecureMemory
public import Threema

/// Which session an app has to resume: SHA-256 of the web client's permanent public key.
public struct PushSession: Hashable, Sendable {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// The session of a web client.
    public init(initiatorKey: PublicKey) { bytes = SHA256.hash(initiatorKey.bytes.span) }

    /// The session that a notification names.
    /// - Parameter hex: 64 hexadecimal digits.
    /// - Returns: nil for anything else.
    public init?(hex: String) {
        guard let bytes = Hex.decode(hex), bytes.count == SHA256.count else { return nil }
        self.bytes = bytes
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { Hex.encode(bytes) }
    /// By which push services replace an earlier notification: the first six digits.
    public var collapseKey: String { String(hex.prefix(6)) }
}

// A POST to the relay. Its body is a form:
//
//   type          apns, fcm, hms or threema-gateway
//   token         of the push service; for threema-gateway the app's ID
//   session       64 hexadecimal digits
//   version       of the protocol above the signalling
//   affiliation   groups the attempts of one connection; may be missing
//   ttl           seconds for which the push service tries; 0 for now or never
//   collapse_key  six hexadecimal digits
//   endpoint      APNs only
//   bundleid      APNs only
//   appid         HMS only

/// A request to a relay, which has an app of a session wake. Its body is a form, which contains the push token.
public typealias PushRelayRequest = ServiceRequest<Void, PushRelayError>

/// Why an app was not woken.
public typealias PushRelayFailure = ServiceFailure<PushRelayError>

extension ServiceRequest<Void, PushRelayError> {
    /// - Parameters:
    ///   - version: of the protocol above the signalling.
    ///   - affiliation: groups the attempts of one connection; nil for none.
    ///   - timeToLive: seconds for which the push service tries; 0 for now or never.
    /// - Throws: `.badToken`.
    public init(
        _ token: WebPushToken, session: PushSession, version: UInt16, affiliation: String? = nil, timeToLive: UInt32
    ) throws(PushRelayError) {
        guard let fields = token.fields else { throw .badToken }
        self.init(fields, session, version, affiliation, timeToLive)
    }

    /// Asks for a message of the type `webSessionResume`, which reaches an app without a push service.
    /// - Parameters:
    ///   - id: of the app.
    ///   - version: of the protocol above the signalling.
    ///   - affiliation: groups the attempts of one connection; nil for none.
    ///   - timeToLive: seconds for which the message waits on the server; 0 for now or never.
    public init(
        messageTo id: ThreemaID, session: PushSession, version: UInt16, affiliation: String? = nil, timeToLive: UInt32
    ) {
        self.init([("type", "threema-gateway"), ("token", id.text)], session, version, affiliation, timeToLive)
    }

    private init(
        _ receiver: [(name: String, value: String)], _ session: PushSession, _ version: UInt16, _ affiliation: String?,
        _ timeToLive: UInt32
    ) {
        var fields = receiver
        fields += [("session", session.hex), ("version", "\(version)")]
        if let affiliation { fields.append(("affiliation", affiliation)) }
        fields += [("ttl", "\(timeToLive)"), ("collapse_key", session.collapseKey)]
        let body = fields.map { "\($0.name)=\(Self.escaped($0.value))" }.joined(separator: "&")
        let http = HTTPRequest(
            .post, headers: ["Content-Type: application/x-www-form-urlencoded"], body: Array(body.utf8), limit: 4096)
        self.init(http) { _ in }
    }

    /// Letters, digits and `-._~` are written as they are.
    private static func escaped(_ text: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        var escaped = ""
        for byte in text.utf8 {
            if plain.contains(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += "%" + Hex.encode([byte].span).uppercased()
            }
        }
        return escaped
    }
}

/// Why a relay did not pass a request on, or a request cannot be made.
public enum PushRelayError: ServiceError {
    /// The address is not that of a relay.
    case badURL
    /// The token of APNs or HMS has not the parts that the relay wants; nothing was sent.
    case badToken
    /// Status 400: the relay does not understand the request.
    case badRequest
    /// Status 500: the relay failed.
    case relayFailed
    /// Status 502: the push service refused the token, or failed.
    case pushServiceFailed
    /// Any other status except 204.
    case unexpectedStatus(Int)
    /// The body, which is not read, is longer than the limit, in bytes.
    case tooLong(limit: Int)

    /// Each case's status.
    public static func meaning(of response: HTTPResponse) -> PushRelayError? {
        switch response.status {
        case 204: nil
        case 400: .badRequest
        case 500: .relayFailed
        case 502: .pushServiceFailed
        default: .unexpectedStatus(response.status)
        }
    }
}

/// A relay of push notifications. The messenger runs one, and so may a company whose app has push services of its own.
public struct PushRelay: Equatable, Sendable {
    /// Longest URL, in bytes.
    public static let maxURLBytes = 1024

    /// `https://HOST[:PORT]/PATH`; requests are posted to it as it is.
    public let url: String
    /// Certificates in PEM to trust instead of the system's; nil for the system's.
    public let authority: [UInt8]?

    /// - Throws: `.badURL` for another scheme than `https`, a login, a query, a fragment, or characters that a URL cannot
    ///   have.
    public init(url: String, authority: [UInt8]? = nil) throws(PushRelayError) {
        guard url.utf8.count <= Self.maxURLBytes, HTTPOrigin(plain: url) != nil else { throw .badURL }
        self.url = url
        self.authority = authority
    }
}

/// Sends requests to a relay over HTTPS, each once. The library `ThreemaTransport` makes a client over libcurl.
public struct PushRelayClient: Sendable {
    private let http: any HTTPClient
    private let relay: PushRelay
    private let userAgent: String

    /// - Parameters:
    ///   - relay: that of the requests.
    ///   - userAgent: one line.
    package init(_ http: any HTTPClient, _ relay: PushRelay, userAgent: String) {
        self.http = http
        self.relay = relay
        self.userAgent = "User-Agent: " + userAgent
    }

    /// Asks the relay to wake the app.
    public func send(_ request: PushRelayRequest) throws(PushRelayFailure) {
        let url = SecureBytes(copying: Array(relay.url.utf8).span)
        try http.ask(request, at: HTTPEndpoint(url: url, authority: relay.authority), headers: [userAgent])
    }
}
