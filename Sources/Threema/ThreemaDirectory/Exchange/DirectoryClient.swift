public import HTTP
public import Threema

/// Sends requests to a directory over HTTPS. After the failure of a connection nobody knows whether one was carried
/// out, so only those that are `isRepeatable` are repeated: after `HTTPResponse.passingStatuses`, a broken connection, and a
/// timeout. Status 429 ends an operation. The library `ThreemaTransport` makes one over libcurl.
public struct DirectoryClient: ~Copyable, Sendable {
    /// Most identities that one request may name.
    public static let maxIdentities = 1000

    private let http: any HTTPClient
    private let endpoint: HTTPEndpoint
    private let userAgent: String
    private let timeout: Duration
    private let retry: RetryPolicy?
    private let now: @Sendable () -> Int

    /// - Parameters:
    ///   - endpoint: as `DirectoryServer.endpoint` makes it.
    ///   - userAgent: one line.
    ///   - timeout: of one request.
    ///   - retry: decides if a request is repeated, for this directory alone; nil to send each one once.
    ///   - now: this machine's clock, in seconds since the epoch.
    package init(
        _ http: any HTTPClient, _ endpoint: consuming HTTPEndpoint, userAgent: String, timeout: Duration = .seconds(60),
        retry: RetryPolicy? = nil, now: @escaping @Sendable () -> Int
    ) {
        self.http = http
        self.endpoint = endpoint
        self.userAgent = "User-Agent: " + userAgent
        self.timeout = timeout
        self.retry = retry
        self.now = now
    }

    /// Sends a request and reads its answer.
    public func ask<Answer: ~Copyable>(_ request: DirectoryRequest<Answer>) throws(DirectoryFailure) -> Answer {
        let response = try send(request.http)
        return try DirectoryFailure.rethrowing { () throws(DirectoryError) in try request.answer(response) }
    }

    /// Sends both phases of a request, and reads the answer.
    /// - Parameter key: of the identity that asks.
    public func ask<Answer: ~Copyable>(
        _ request: SignedRequest<Answer>, key: borrowing ClientKey
    ) throws(DirectoryFailure) -> Answer {
        try finish(request, begin(request, key: key))
    }

    /// Sends the first phase of a request. The directory changes nothing yet.
    /// - Returns: what `finish` needs.
    package func begin<Answer: ~Copyable>(
        _ request: SignedRequest<Answer>, key: borrowing ClientKey
    ) throws(DirectoryFailure) -> SignedRequest<Answer>.Step {
        let response = try send(request.http)
        return try DirectoryFailure.rethrowing { () throws(DirectoryError) in try request.next(response, key: key) }
    }

    /// Sends the second phase of a request, and reads the answer.
    package func finish<Answer: ~Copyable>(
        _ request: SignedRequest<Answer>, _ step: consuming SignedRequest<Answer>.Step
    ) throws(DirectoryFailure) -> Answer {
        switch consume step {
        case .answer(let answer): return answer
        case .request(let second):
            let response = try send(second)
            return try DirectoryFailure.rethrowing { () throws(DirectoryError) in try request.answer(response) }
        }
    }

    /// Looks for contacts. Without a token, and once if the search fails with one, a new token is fetched.
    /// - Parameter token: a stored one, or nil; afterwards the one to use next time.
    package func match(
        _ hashes: [ContactHash], for id: ThreemaID, key: borrowing ClientKey, token: inout MatchToken?
    ) throws(DirectoryFailure) -> FoundContacts {
        let isStored = token != nil
        if !isStored { token = try ask(.matchToken(for: id), key: key) }
        do throws(DirectoryFailure) {
            return try search(hashes, token)
        } catch .service(let error) where isStored && MatchToken.isWorthRefreshing(after: error) {
            token = try ask(.matchToken(for: id), key: key)
            return try search(hashes, token)
        }
    }

    private func search(
        _ hashes: [ContactHash], _ token: borrowing MatchToken?
    ) throws(DirectoryFailure) -> FoundContacts {
        let request: DirectoryRequest<FoundContacts>
        do throws(DirectoryError) {
            switch token {
            case .some(let token): request = try .match(hashes, token: token)
            case .none: request = try .match(hashes)
            }
        } catch {
            throw .service(error)
        }
        return try ask(request)
    }

    /// - Parameter tries: number of tries, with this one.
    private func send(_ request: HTTPRequest, tries: Int = 1) throws(DirectoryFailure) -> HTTPResponse {
        guard request.isRepeatable, let retry else { return try sendOnce(request) }
        do throws(DirectoryFailure) {
            let response = try sendOnce(request)
            guard HTTPResponse.passingStatuses.contains(response.status) else { return response }
            let isRepeated =
                response.secondsToWait(now: now()).map { retry.waits(after: tries, at: Self.directory, asked: $0) }
                ?? retry.waits(after: tries, at: Self.directory)
            guard isRepeated else { return response }
        } catch {
            guard case .http(.connection(let failure)) = error, retry.repeats(failure),
                retry.waits(after: tries, at: Self.directory)
            else { throw error }
        }
        return try send(request, tries: tries + 1)
    }

    /// The server of the retry policy, as it is announced.
    private static let directory = "the directory"

    private func sendOnce(_ request: HTTPRequest) throws(DirectoryFailure) -> HTTPResponse {
        var sent = request
        sent.headers.append(userAgent)
        sent.timeouts = HTTPTimeouts(total: retry?.timeout(atMost: timeout, at: Self.directory) ?? timeout)
        do throws(HTTPError) {
            var response = try http.send(sent, to: endpoint, progress: nil)
            // A date becomes seconds, as `DirectoryError.meaning` reads them.
            response.headers["retry-after"] = response.secondsToWait(now: now()).map(String.init)
            return response
        } catch .bodyTooLong {
            throw .service(.tooLong(limit: request.limit))
        } catch {
            throw .http(error)
        }
    }
}

/// Why a request to a directory has no answer.
public typealias DirectoryFailure = ServiceFailure<DirectoryError>

extension DirectoryFailure {
    /// Whether no identity has the ID that was asked for.
    package var isUnknownIdentity: Bool { self == .service(.unknownIdentity) }

    /// Whether the directory may have carried out the request of which the answer is missing or not understood.
    public var leavesOutcomeOpen: Bool {
        switch self {
        case .http(.connection): true
        case .http: false
        case .service(let error): error.leavesOutcomeOpen
        }
    }
}

extension DirectoryError {
    fileprivate var leavesOutcomeOpen: Bool {
        switch self {
        case .wrongCount, .unknownIdentity, .unauthorized, .rateLimited, .refused, .failed: false
        // A proxy may have answered in place of the directory.
        case .unexpectedStatus, .tooLong, .badJSON, .malformed: true
        }
    }
}
