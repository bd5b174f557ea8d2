import Encodings
import HTTP
import Primitives
import SecureMemory
import Synchronization
import Threema
import ThreemaDirectory

/// A directory in this process. It verifies proofs by itself, from the challenge's secret key.
final class TestDirectory: HTTPClient {
    struct Record {
        var publicKey: [UInt8]
        var state = 0
        var mask = 0
        var email: String?
        var mobile: String?
        var revocationKey: String?
    }

    struct Pending {
        let path: String
        let fields: JSONValue
        let secret: [UInt8]
    }

    struct State {
        var identities: [String: Record] = [:]
        var pending: [String: Pending] = [:]
        var matchTokens: [String] = []
        /// Verification id, and what it links.
        var codes: [String: (id: String, mobile: String, code: String)] = [:]
        /// Of addresses to which an e-mail was sent, and the identities.
        var mails: [(address: String, id: String)] = []
        var junk: [String] = []
        var requests: [String] = []
        /// Answered instead of the request of that number.
        var faults: [Int: HTTPResponse] = [:]
    }

    let state = Mutex(State())

    /// Answers the next request, or a later one, with this.
    func answer(_ status: Int, _ body: String = "", skipping: Int = 0, headers: [String: String] = [:]) {
        state.withLock {
            $0.faults[$0.requests.count + skipping] = HTTPResponse(
                status: status, body: Array(body.utf8), headers: headers)
        }
    }

    var requests: [String] { state.withLock { $0.requests } }

    func record(_ id: ThreemaID) -> Record? { state.withLock { $0.identities[id.text] } }

    // MARK: The port

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        let url = endpoint.url(of: request.path)?.copied ?? []
        let text = String(decoding: url.dropLast(), as: UTF8.self)
        guard text.hasPrefix("https://directory.example/"), endpoint.pins.count == 1,
            request.headers.contains("Content-Type: application/json"),
            request.headers.contains("User-Agent: test/1")
        else { throw .badURL }
        let path = String(text.dropFirst("https://directory.example/".count))
        let fields = request.body.flatMap { try? JSONScanner.parse($0.span) } ?? [:]
        return state.withLock { state in
            state.requests.append(path)
            if let fault = state.faults.removeValue(forKey: state.requests.count - 1) { return fault }
            let (status, reply) = Self.reply(path, request.method, fields, &state)
            return HTTPResponse(status: status, body: reply.encoded)
        }
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }

    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { [] }

    // MARK: Routes

    private typealias Reply = (status: Int, fields: JSONValue)

    private static let open: Set = [
        "identity/fetch_bulk", "identity/match", "identity/check", "identity/check_featuremask",
        "identity/link_mobileno_call", "identity/ws/revoke", "check_license", "auth_token",
    ]

    private static func reply(
        _ path: String, _ method: HTTPRequest.Method, _ fields: JSONValue, _ state: inout State
    ) -> (Int, JSONValue) {
        if method == .get, path != "auth_token" {
            return entry(String(path.dropFirst("identity/".count)), state).map { (200, $0) } ?? (404, [:])
        }
        let isOpen = open.contains(path) || fields["verificationId"] != nil
        if isOpen { return DirectoryRoutes.open(path, fields, &state) }
        if path == "identity/link_email", let early = DirectoryRoutes.linkStatus(fields, state) { return (200, early) }
        let key: [UInt8]?
        if path == "identity/create" {
            key = fields["publicKey"]?.string.flatMap(bytes)
        } else {
            let record = state.identities[fields["identity"]?.string ?? ""]
            key = record?.state == 2 ? nil : record?.publicKey
        }
        guard let key else { return (200, ["success": false, "error": "Identity not found"]) }
        guard let token = fields["token"]?.string else { return (200, challenge(path, fields, &state)) }
        // A token is good for one try, for what it was asked for.
        guard let pending = state.pending.removeValue(forKey: token), pending.path == path,
            (pending.fields.members ?? []).allSatisfy({ fields[$0.name].map { $0.encoded } == $0.value.encoded })
        else { return (401, ["code": "challenge-expired"]) }
        guard fields["response"]?.string.flatMap(bytes) == response(pending.secret, key, bytes(token)!) else {
            return (401, ["code": "invalid-challenge-response"])
        }
        return (200, DirectoryRoutes.proven(path, fields, &state))
    }

    /// What is told of an identity to everybody; nil if it does not exist or was revoked.
    static func entry(_ id: String, _ state: State) -> JSONValue? {
        guard let record = state.identities[id], record.state != 2 else { return nil }
        return [
            "identity": .string(id), "publicKey": .string(Base64.encode(record.publicKey.span)), "featureLevel": 3,
            "featureMask": .number(record.mask), "state": .number(record.state), "type": 0,
        ]
    }

    static func bytes(_ base64: String) -> [UInt8]? {
        Base64.decode(Array(base64.utf8).span)?.copied
    }

    // MARK: Proofs

    private static func challenge(_ path: String, _ fields: JSONValue, _ state: inout State) -> JSONValue {
        let secret = Random.bytes(32)
        let token = Base64.encode(Random.bytes(48).span)
        state.pending[token] = Pending(path: path, fields: fields, secret: secret)
        return [
            "token": .string(token),
            "tokenRespKeyPub": .string(Base64.encode(X25519.publicKey(of: secret.span).span)),
        ]
    }

    private static func response(_ secret: [UInt8], _ publicKey: [UInt8], _ token: [UInt8]) -> [UInt8]? {
        guard let shared = try? Box.sharedKey(privateKey: secret.span, publicKey: publicKey.span) else { return nil }
        let key = BLAKE2b.deriveKey(from: shared, salt: "dir", personal: "3ma-csp")
        return BLAKE2b.authenticate(token.span, key: key)
    }
}
