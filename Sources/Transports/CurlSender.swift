internal import CCurl
internal import HTTP
internal import SafeWire
internal import SecureMemory
internal import Synchronization

/// Sends requests to one server: with its login, to nobody who is not trusted, and a GET again if that may help.
final class CurlSender: Sendable {
    /// The server's address, as errors name it.
    let name: String
    let pins: [PublicKeyPin]
    let hasLogin: Bool
    private let login: Login?
    private let authority: [UInt8]?
    private let patience: Duration
    private let retry: RetryPolicy
    private let watch: CurlExchange.Watch?
    private let observer: CurlExchange.Observer?
    private let noticed = Mutex(ExchangeNotes())
    /// Whether a GET failed as often as it may.
    private let hasGivenUp = Mutex(false)

    /// The only name that every Safe server takes.
    private static let userAgent = "User-Agent: Threema"

    init(
        to server: borrowing SafeEndpoint, patience: Duration, retry: RetryPolicy, watch: CurlExchange.Watch?,
        observer: CurlExchange.Observer?
    ) {
        name = server.address.text
        switch server.login {
        case .some(let login):
            self.login = login.copy
            hasLogin = true
        case .none:
            login = nil
            hasLogin = false
        }
        authority = server.authority
        pins = server.pins
        self.patience = patience
        self.retry = retry
        self.watch = watch
        self.observer = observer
    }

    var notes: ExchangeNotes { noticed.withLock { $0 } }

    /// A request and what its answer is good for.
    struct Request {
        let method: CurlRequest.Method
        let url: String
        /// The URL without what is not for everybody's eyes.
        let shownURL: String
        var headers: [String] = []
        var body: [UInt8]?
        /// Longest answer that is read, in bytes.
        var limit: Int
    }

    /// Sends a request, a GET until it is answered or as long as that may help.
    func send(_ request: Request) throws(SafeExchangeError) -> CurlRequest.Response {
        var tries = 1
        while true {
            do throws(SafeExchangeError) {
                let answer = try observed(request)
                let asked = answer.secondsToWait
                switch answer.status {
                case 429: throw .throttled(name, seconds: asked)
                case let status where SafeExchangeError.passingStatuses.contains(status):
                    throw asked == nil ? .unavailable(name, .status(status)) : .throttled(name, seconds: asked)
                default: return answer
                }
            } catch {
                guard request.method == .get, error.isWorthRepeating else { throw error }
                guard retry.waits(after: tries, at: name) else {
                    hasGivenUp.withLock { $0 = true }
                    throw error
                }
                tries += 1
                noticed.withLock { $0.retries += 1 }
            }
        }
    }

    /// See `SafeExchange.pause`.
    func pause(after tries: Int, _ error: SafeExchangeError) -> Bool {
        let isPaused =
            switch error {
            case .throttled(_, let seconds): retry.waits(after: tries, at: name, asked: seconds)
            case .changed: retry.waits(after: tries, at: name)
            // A GET that failed five times is not sent twenty times more.
            case _ where error.isWorthRepeating && !hasGivenUp.withLock { $0 }: retry.waits(after: tries, at: name)
            default: false
            }
        if isPaused { noticed.withLock { $0.retries += 1 } }
        return isPaused
    }

    private func observed(_ request: Request) throws(SafeExchangeError) -> CurlRequest.Response {
        let start = ContinuousClock.now
        func observe(_ result: Result<Int, SafeExchangeError>, _ bytes: Int) {
            observer?(
                ObservedRequest(
                    method: request.method.rawValue, url: request.shownURL, result: result,
                    bytes: request.body?.count ?? bytes, duration: .now - start))
        }
        do throws(SafeExchangeError) {
            let answer = try sendOnce(request)
            observe(.success(answer.status), answer.body.count)
            return answer
        } catch {
            observe(.failure(error), 0)
            throw error
        }
    }

    private func sendOnce(_ request: Request) throws(SafeExchangeError) -> CurlRequest.Response {
        var curl = try curl(request.method, request.url, limit: request.limit)
        switch login {
        case .some(let login): curl.logIn(login)
        case .none: break
        }
        if let body = request.body { curl.send(body) }
        let outcome = curl.perform(headers: [Self.userAgent] + request.headers)
        guard outcome.code != CURLE_OK else {
            let lead = outcome.response.clockLead
            noticed.withLock { $0.clockLead = lead ?? $0.clockLead }
            return outcome.response
        }
        throw try error(outcome, request.url, request.limit)
    }

    private func curl(
        _ method: CurlRequest.Method, _ url: String, limit: Int
    ) throws(SafeExchangeError) -> CurlRequest {
        let total = retry.patience(atMost: patience, at: name)
        var curl = try CurlRequest(method, url, patience: .init(total: total), limit: limit)
        curl.trust(authority)
        curl.require(oneOf: pins)
        if let watch { curl.report(to: watch) }
        return curl
    }

    /// The certificate that the server shows, whoever issued it; nothing is asked.
    func shownCertificate(_ url: String) throws(SafeExchangeError) -> ShownCertificate? {
        try curl(.get, url, limit: 0).inspect().first.map { ShownCertificate($0) }
    }

    /// The certificate that the server shows. A second connection, which trusts this certificate alone, shows whether
    /// anything else is wrong with it.
    func presentCertificate(_ url: String) throws(SafeExchangeError) -> PresentedCertificate? {
        guard let shown = try shownCertificate(url), var certificate = shown.presented else { return nil }
        var request = try CurlRequest(
            .get, url, patience: .init(total: retry.patience(atMost: patience, at: name)), limit: 0)
        request.trust(certificate.pem)
        let outcome = request.connect()
        if [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR].contains(outcome.code) {
            certificate.flaw = shown.distrust(outcome.verification) ?? .other(outcome.message)
        }
        return certificate
    }
}

extension SafeExchangeError {
    /// With these a server says that it cannot answer now.
    fileprivate static let passingStatuses: Set = [408, 423, 425, 500, 502, 503, 504]

    /// Whether the same request may be answered a few seconds later.
    fileprivate var isWorthRepeating: Bool {
        switch self {
        case .unavailable(_, .connection(.timeout)), .unavailable(_, .connection(.brokenOff)),
            .unavailable(_, .connection(.noNameServer)):
            true
        case .unavailable(_, .status(let status)): Self.passingStatuses.contains(status)
        default: false
        }
    }
}
