internal import CCurl
public import SafeWire
internal import SecureMemory
internal import Synchronization

/// A Safe server over HTTPS, on libcurl.
///
/// A GET is sent again if that may help: after 408, 423, 425, 500, 502, 503, 504, a connection that broke off, and a
/// timeout. Other requests are sent once, and an answer that asks to wait is an error: the caller starts again by
/// `pause`. Nothing is sent to a server that is not trusted.
public final class CurlExchange: SafeExchange, Sendable {
    private let address: SafeServerAddress
    private let base: String
    private let login: SafeServer.Login?
    private let authority: [UInt8]?
    private let pins: [PublicKeyPin]
    private let patience: Duration
    private let retry: RetryPolicy
    private let watch: Watch?
    private let noticed = Mutex(ExchangeNotes())
    /// Whether a GET failed as often as it may.
    private let hasGivenUp = Mutex(false)

    /// How many bytes of a request or an answer have gone or come, and how many there are; 0 where nobody knows.
    public typealias Watch = @Sendable (_ done: Int, _ total: Int) -> Void

    private static let maxRedirects = 5
    /// Answers whose body does not matter are read no further.
    private static let maxIgnoredBytes = 64 * 1024
    /// The only name that every Safe server takes.
    private static let userAgent = "User-Agent: Threema"

    /// - Parameters:
    ///   - id: of the backup that is meant: its first byte may be part of the address.
    ///   - patience: for one request.
    ///   - watch: called often while a request is under way, on the caller's thread.
    /// - Returns: nil for an address that is not HTTPS.
    public init?(
        _ server: borrowing SafeServer, for id: BackupID, patience: Duration, retry: RetryPolicy, watch: Watch? = nil
    ) {
        guard case .https(let https) = server.address else { return nil }
        address = server.address
        base = https.base(for: id)
        switch server.login {
        case .some(let login): self.login = login.copy
        case .none: login = nil
        }
        authority = server.authority
        pins = server.pins
        self.patience = patience
        self.retry = retry
        self.watch = watch
    }

    // MARK: The port

    /// See `SafeExchange`.
    public var notes: ExchangeNotes { noticed.withLock { $0 } }

    /// See `SafeExchange`.
    public func config() throws(SafeExchangeError) -> [UInt8] {
        let answer = try get("config", accept: "application/json", limit: ServerLimits.maxConfigBytes)
        guard answer.status != 404, answer.status != 409 else { throw .notPrepared(address.text) }
        return try content(of: answer)
    }

    /// See `SafeExchange`.
    public func fetch(_ id: BackupID) throws(SafeExchangeError) -> StoredBackup? {
        let answer = try get("backups/" + id.hex, accept: "application/octet-stream", limit: maxFetchedBytes)
        if answer.status == 404 || answer.status == 410 { return nil }
        return StoredBackup(bytes: try content(of: answer), tag: answer.strongTag)
    }

    /// See `SafeExchange`.
    public func store(
        _ backup: [UInt8], at id: BackupID, if condition: WriteCondition
    ) throws(SafeExchangeError) {
        try put(backup, at: "backups/" + id.hex, type: "application/octet-stream", if: condition)
    }

    /// See `SafeExchange`.
    public func remove(_ id: BackupID, if condition: WriteCondition) throws(SafeExchangeError) {
        let answer = try send(.delete, base + "backups/" + id.hex, condition.headers, limit: Self.maxIgnoredBytes)
        guard answer.isSuccess || answer.status == 404 || answer.status == 410 else {
            throw refusal(answer, of: condition)
        }
    }

    /// See `SafeExchange`.
    public func pause(after tries: Int, _ error: SafeExchangeError) -> Bool {
        let isPaused =
            switch error {
            case .throttled(_, let seconds): retry.waits(after: tries, asked: seconds)
            case .changed: retry.waits(after: tries)
            // A GET that failed five times is not sent twenty times more.
            case _ where error.isWorthRepeating && !hasGivenUp.withLock { $0 }: retry.waits(after: tries)
            default: false
            }
        if isPaused { noticed.withLock { $0.retries += 1 } }
        return isPaused
    }

    /// See `SafeExchange`: by WebDAV's MKCOL and PUT.
    public func prepare(_ limits: ServerLimits) throws(SafeExchangeError) {
        var made = try makeFolder("backups/")
        if made.status == 409 || made.status == 404 {
            // The folder above is missing, too.
            _ = try makeFolder("")
            made = try makeFolder("backups/")
        }
        // 405 says that there is one already, and so do some servers by a redirect.
        guard made.isSuccess || made.status == 405 || made.status == 301 else { throw refusal(made) }
        do throws(SafeExchangeError) {
            _ = try config()
        } catch .notPrepared {
            do throws(SafeExchangeError) {
                try put(limits.config, at: "config", type: "application/json", if: .absent)
            } catch .changed {
                // Somebody else prepared it at the same moment.
            }
        }
    }

    // MARK: Requests

    private func makeFolder(_ path: String) throws(SafeExchangeError) -> CurlRequest.Response {
        try send(.mkcol, base + path, [], limit: Self.maxIgnoredBytes)
    }

    private func put(
        _ content: [UInt8], at path: String, type: String, if condition: WriteCondition
    ) throws(SafeExchangeError) {
        let headers = ["Content-Type: \(type)", "Expect:"] + condition.headers
        let answer = try send(.put, base + path, headers, body: content, limit: Self.maxIgnoredBytes)
        guard answer.isSuccess else { throw refusal(answer, of: condition) }
    }

    /// A GET, and where the same server sends it on, there.
    private func get(
        _ path: String, accept: String, limit: Int
    ) throws(SafeExchangeError) -> CurlRequest.Response {
        var url = base + path
        for redirects in 0..<Self.maxRedirects {
            var answer = try send(.get, url, ["Accept: \(accept)", "Cache-Control: no-cache"], limit: limit)
            // The tag of another URL says nothing about the one that is written to.
            if redirects > 0 { answer.tag = nil }
            guard (300...399).contains(answer.status), let location = answer.location else { return answer }
            let redirect = Redirect(to: location, from: url)
            guard let next = redirect.sameOrigin else { throw .redirected(address.text, host: redirect.host) }
            url = next
        }
        throw .redirected(address.text, host: nil)
    }

    private func content(of answer: CurlRequest.Response) throws(SafeExchangeError) -> [UInt8] {
        guard answer.status == 200 else { throw refusal(answer) }
        return answer.body
    }

    /// What a status means that is not the one that was hoped for.
    private func refusal(
        _ answer: CurlRequest.Response, of condition: WriteCondition = .none
    ) -> SafeExchangeError {
        let status = answer.status
        if (300...399).contains(status), let location = answer.location {
            return .redirected(address.text, host: Redirect(to: location, from: base).host)
        }
        return switch status {
        case 412 where condition != .none: .changed(address.text)
        case 401, 403: .unauthorized(address.text, hasLogin: login != nil)
        case 404, 409: .notPrepared(address.text)
        case 413, 507: .full
        case 500...599: .unavailable(address.text, .status(status))
        default: .unexpectedStatus(address.text, status)
        }
    }

    /// Sends a request, a GET until it is answered or as long as that may help.
    private func send(
        _ method: CurlRequest.Method, _ url: String, _ headers: [String], body: [UInt8]? = nil, limit: Int
    ) throws(SafeExchangeError) -> CurlRequest.Response {
        var tries = 1
        while true {
            do throws(SafeExchangeError) {
                let answer = try sendOnce(method, url, headers, body: body, limit: limit)
                switch answer.status {
                case 429: throw .throttled(address.text, seconds: answer.secondsToWait)
                case 503 where answer.secondsToWait != nil:
                    throw .throttled(address.text, seconds: answer.secondsToWait)
                case let status where SafeExchangeError.passingStatuses.contains(status):
                    throw .unavailable(address.text, .status(status))
                default: return answer
                }
            } catch {
                guard method == .get, error.isWorthRepeating else { throw error }
                guard retry.waits(after: tries) else {
                    hasGivenUp.withLock { $0 = true }
                    throw error
                }
                tries += 1
                noticed.withLock { $0.retries += 1 }
            }
        }
    }

    private func sendOnce(
        _ method: CurlRequest.Method, _ url: String, _ headers: [String], body: [UInt8]?, limit: Int
    ) throws(SafeExchangeError) -> CurlRequest.Response {
        var request = try request(method, url, limit: limit)
        switch login {
        case .some(let login): request.logIn(login)
        case .none: break
        }
        if let body { request.send(body) }
        let outcome = request.perform(headers: [Self.userAgent] + headers)
        guard outcome.code != CURLE_OK else {
            let lead = outcome.response.clockLead
            noticed.withLock { $0.clockLead = lead ?? $0.clockLead }
            return outcome.response
        }
        throw try error(outcome, url, limit)
    }

    private func request(
        _ method: CurlRequest.Method, _ url: String, limit: Int
    ) throws(SafeExchangeError) -> CurlRequest {
        let total = retry.patience(atMost: patience)
        var request = try CurlRequest(method, url, patience: .init(total: total), limit: limit)
        request.trust(authority)
        request.require(oneOf: pins)
        if let watch { request.report(to: watch) }
        return request
    }

    private func error(
        _ outcome: CurlRequest.Outcome, _ url: String, _ limit: Int
    ) throws(SafeExchangeError) -> SafeExchangeError {
        switch outcome.code {
        case CURLE_COULDNT_RESOLVE_HOST: .unavailable(address.text, .unknownHost)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .unavailable(address.text, .proxy)
        case _ where outcome.message.contains("CONNECT tunnel failed"): .unavailable(address.text, .proxy)
        case CURLE_COULDNT_CONNECT: .unavailable(address.text, .notConnected)
        case CURLE_OPERATION_TIMEDOUT: .unavailable(address.text, .timeout)
        case CURLE_FILESIZE_EXCEEDED: .tooLarge(limit: limit)
        // Our own addresses are sound: a redirect's is not.
        case CURLE_URL_MALFORMAT: .redirected(address.text, host: "an invalid address")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            .untrusted(address.text, try distrust(url, outcome))
        // A connection that breaks in the middle of the handshake is no verdict on the server.
        case CURLE_SSL_CONNECT_ERROR
        where !outcome.message.contains("SSL routines") || outcome.message.contains("unexpected eof"):
            .unavailable(address.text, .brokenOff)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .untrusted(address.text, .handshake)
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .pinMismatch(address.text, expected: pins, offered: try shown(url)?.pin)
        case CURLE_SSL_CACERT_BADFILE: .badAuthority
        case CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN, CURLE_BAD_FUNCTION_ARGUMENT: .libraryMissing("libcurl4")
        default: .unavailable(address.text, .brokenOff)
        }
    }

    /// Looks at the certificate that was not accepted; nothing is sent.
    private func distrust(
        _ url: String, _ outcome: CurlRequest.Outcome
    ) throws(SafeExchangeError) -> SafeExchangeError.Distrust {
        try shown(url)?.distrust(outcome.verification) ?? .other(outcome.message)
    }

    /// The certificate that the server shows, whoever issued it.
    private func shown(_ url: String) throws(SafeExchangeError) -> ShownCertificate? {
        try request(.get, url, limit: 0).inspect().first.map { ShownCertificate($0) }
    }

    /// See `SafeExchange`.
    public func presentPin() throws(SafeExchangeError) -> PublicKeyPin? { try shown(base)?.pin }
}

extension CurlRequest.Response {
    fileprivate var isSuccess: Bool { (200...299).contains(status) }
}

extension SafeExchangeError {
    /// With these a server says that it cannot answer now.
    fileprivate static let passingStatuses: Set = [408, 423, 425, 500, 502, 503, 504]

    /// Whether the same request may be answered a few seconds later.
    fileprivate var isWorthRepeating: Bool {
        switch self {
        case .unavailable(_, .timeout), .unavailable(_, .brokenOff): true
        case .unavailable(_, .status(let status)): Self.passingStatuses.contains(status)
        default: false
        }
    }
}

extension WriteCondition {
    /// Lines of a request (RFC 9110, 13.1).
    fileprivate var headers: [String] {
        switch self {
        case .none: []
        case .absent: ["If-None-Match: *"]
        case .unchanged(let tag): ["If-Match: \(tag)"]
        }
    }
}
