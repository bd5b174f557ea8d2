internal import Glibc
internal import HTTP
internal import SafeWire
internal import SecureMemory
internal import Synchronization

/// Sends requests to one server, with its login, and repeats a GET after temporary failures.
final class HTTPSender: Sendable {
    /// The address of the server, for errors.
    let name: String
    let hasLogin: Bool
    private let isProvisioned: Bool
    private let endpoint: HTTPEndpoint
    private let client: any HTTPClient
    private let timeout: Duration
    private let retry: RetryPolicy
    private let progress: HTTPProgress?
    private let observer: HTTPExchange.Observer?
    private let noticed = Mutex(ExchangeNotes())
    /// Whether a GET has used up its tries.
    private let hasGivenUp = Mutex(false)

    /// The only user agent that every Safe server accepts.
    private static let userAgent = "User-Agent: Threema"

    /// - Parameters:
    ///   - base: the URL to which the paths of requests are appended.
    ///   - timeout: the timeout of one request.
    init(
        to server: borrowing SafeEndpoint, base: String, by client: any HTTPClient, timeout: Duration,
        retry: RetryPolicy, progress: HTTPProgress?, observer: HTTPExchange.Observer?
    ) {
        name = server.address.text
        isProvisioned = server.onPrem != nil
        let url = Array(base.utf8)
        switch server.login {
        case .some(let login):
            hasLogin = true
            endpoint = HTTPEndpoint(
                url: SecureBytes(copying: url.span), login: login.copy, authority: server.authority, pins: server.pins)
        case .none:
            hasLogin = false
            endpoint = HTTPEndpoint(
                url: SecureBytes(copying: url.span), authority: server.authority, pins: server.pins)
        }
        self.client = client
        self.timeout = timeout
        self.retry = retry
        self.progress = progress
        self.observer = observer
    }

    var notes: ExchangeNotes { noticed.withLock { $0 } }

    /// Sends a request. A GET is repeated after temporary failures, as long as the retry policy allows.
    /// - Parameter shownURL: the URL for the observer, without secrets.
    func send(_ request: HTTPRequest, shownURL: String) throws(SafeExchangeError) -> HTTPResponse {
        var tries = 1
        while true {
            do throws(SafeExchangeError) {
                let answer = try observed(request, shownURL)
                let asked = answer.secondsToWait(now: time(nil))
                switch answer.status {
                case let status where status == 429 || asked != nil && HTTPResponse.momentaryStatuses.contains(status):
                    throw .throttled(name, seconds: asked, status: status)
                case let status where HTTPResponse.momentaryStatuses.contains(status):
                    throw .unavailable(name, .status(status))
                default: return answer
                }
            } catch {
                guard request.method == .get, isWorthRepeating(error) else { throw error }
                guard retry.waits(after: tries, at: name) else {
                    hasGivenUp.withLock { $0 = true }
                    throw error
                }
                tries += 1
                noticed.withLock { $0.retries += 1 }
            }
        }
    }

    /// Implements `SafeExchange.pause`.
    func pause(after tries: Int, _ error: SafeExchangeError) -> Bool {
        let isPaused =
            switch error {
            case .throttled(_, let seconds, _): retry.waits(after: tries, at: name, asked: seconds)
            case .changed: retry.waits(after: tries, at: name)
            // A GET that was tried five times is not tried again by each try of the command.
            case _ where isWorthRepeating(error) && !hasGivenUp.withLock { $0 }: retry.waits(after: tries, at: name)
            default: false
            }
        if isPaused { noticed.withLock { $0.retries += 1 } }
        return isPaused
    }

    /// Whether the same request may succeed a few seconds later.
    private func isWorthRepeating(_ error: SafeExchangeError) -> Bool {
        switch error {
        case .unavailable(_, .connection(let failure)): retry.repeats(failure)
        case .unavailable(_, .status(let status)): HTTPResponse.momentaryStatuses.contains(status)
        default: false
        }
    }

    private func observed(
        _ request: HTTPRequest, _ shownURL: String
    ) throws(SafeExchangeError) -> HTTPResponse {
        let start = ContinuousClock.now
        func observe(_ result: Result<Int, SafeExchangeError>, _ bytes: Int) {
            observer?(
                ObservedRequest(
                    method: request.method.rawValue, url: shownURL, result: result,
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

    private func sendOnce(_ request: HTTPRequest) throws(SafeExchangeError) -> HTTPResponse {
        var request = request
        request.headers.insert(Self.userAgent, at: 0)
        request.timeouts = timeouts
        do throws(HTTPError) {
            let answer = try client.send(request, to: endpoint, progress: progress)
            let lead = answer.clockLead(now: time(nil))
            noticed.withLock { $0.clockLead = lead ?? $0.clockLead }
            return answer
        } catch {
            throw told(error, limit: request.limit)
        }
    }

    private var timeouts: HTTPTimeouts { HTTPTimeouts(total: retry.timeout(atMost: timeout, at: name)) }

    /// The certificate that the server shows, trusted or not. No request is sent.
    /// - Parameter isExamined: see `HTTPClient`.
    func certificate(isExamined: Bool) throws(SafeExchangeError) -> PresentedCertificate? {
        do throws(HTTPError) {
            return try client.certificate(of: endpoint, isExamined: isExamined, within: timeouts)
        } catch {
            throw told(error, limit: 0)
        }
    }

    /// The certificates that the server sends, trusted or not. No request is sent.
    func chain() throws(SafeExchangeError) -> [PresentedCertificate] {
        do throws(HTTPError) {
            return try client.chain(of: endpoint, within: timeouts)
        } catch {
            throw told(error, limit: 0)
        }
    }

    private func told(_ error: HTTPError, limit: Int) -> SafeExchangeError {
        switch error {
        case .connection(let failure): .unavailable(name, .connection(failure))
        case .certificate(let failure): .untrusted(name, failure)
        // Not always the pins of our endpoint: a provisioning file may have others by now.
        case .pinMismatch(let expected, let offered):
            .pinMismatch(name, expected: expected, offered: offered, provisioned: isProvisioned)
        case .badAuthority: .badAuthority
        // Our own URLs are well-formed, so this one is from a redirect.
        case .badURL: .redirected(name, to: .malformed)
        case .bodyTooLong: .tooLarge(limit: limit)
        case .libraryMissing(let package): .libraryMissing(package)
        case .libraryNeedsMemory: .libraryNeedsMemory
        }
    }
}
