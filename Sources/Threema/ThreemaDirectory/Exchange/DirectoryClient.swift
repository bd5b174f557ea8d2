public import HTTP
public import Threema

/// Asks a directory over HTTPS. After the failure of a connection nobody knows whether a request was carried out, so
/// only `DirectoryRequest.isRepeatable` ones are repeated: after the statuses 408, 502, 503 and 504, a broken
/// connection, and a timeout. Status 429 ends an operation. The library `ThreemaTransport` makes one over libcurl.
public struct DirectoryClient: ~Copyable, Sendable {
    private let http: any HTTPClient
    private let endpoint: HTTPEndpoint
    private let headers: [String]
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
        headers = DirectoryRequest.headers + ["User-Agent: " + userAgent]
        self.timeout = timeout
        self.retry = retry
        self.now = now
    }

    /// Sends a question and reads its answer.
    public func ask<Answer: ~Copyable>(_ question: Question<Answer>) throws(DirectoryFailure) -> Answer {
        let reply = try send(question.request)
        do throws(DirectoryError) {
            return try question.answer(reply)
        } catch {
            throw .directory(error)
        }
    }

    /// Sends both phases of a question, and reads the answer.
    /// - Parameter key: of the identity that asks.
    public func ask<Answer: ~Copyable>(
        _ question: SignedQuestion<Answer>, key: borrowing ClientKey
    ) throws(DirectoryFailure) -> Answer {
        try finish(question, begin(question, key: key))
    }

    /// Sends the first phase of a question. The directory changes nothing yet.
    /// - Returns: what `finish` needs.
    package func begin<Answer: ~Copyable>(
        _ question: SignedQuestion<Answer>, key: borrowing ClientKey
    ) throws(DirectoryFailure) -> SignedQuestion<Answer>.Step {
        let reply = try send(question.request)
        do throws(DirectoryError) {
            return try question.next(reply, key: key)
        } catch {
            throw .directory(error)
        }
    }

    /// Sends the second phase of a question, and reads the answer.
    package func finish<Answer: ~Copyable>(
        _ question: SignedQuestion<Answer>, _ step: consuming SignedQuestion<Answer>.Step
    ) throws(DirectoryFailure) -> Answer {
        let request: DirectoryRequest
        switch consume step {
        case .answer(let answer): return answer
        case .request(let second): request = second
        }
        let proven = try send(request)
        do throws(DirectoryError) {
            return try question.answer(proven)
        } catch {
            throw .directory(error)
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
        } catch .directory(let error) where isStored && MatchToken.isWorthRefreshing(after: error) {
            token = try ask(.matchToken(for: id), key: key)
            return try search(hashes, token)
        }
    }

    private func search(
        _ hashes: [ContactHash], _ token: borrowing MatchToken?
    ) throws(DirectoryFailure) -> FoundContacts {
        let question: Question<FoundContacts>
        do throws(DirectoryRequestError) {
            switch token {
            case .some(let token): question = try .match(hashes, token: token)
            case .none: question = try .match(hashes)
            }
        } catch {
            throw .request(error)
        }
        return try ask(question)
    }

    /// - Parameter tries: number of tries, with this one.
    private func send(_ request: DirectoryRequest, tries: Int = 1) throws(DirectoryFailure) -> DirectoryReply {
        guard request.isRepeatable, let retry else { return try sendOnce(request) }
        do throws(DirectoryFailure) {
            let reply = try sendOnce(request)
            guard HTTPResponse.passingStatuses.contains(reply.status) else { return reply }
            let isRepeated =
                reply.secondsToWait.map { retry.waits(after: tries, at: Self.directory, asked: $0) }
                ?? retry.waits(after: tries, at: Self.directory)
            guard isRepeated else { return reply }
        } catch {
            guard case .http(.connection(let failure)) = error, retry.repeats(failure),
                retry.waits(after: tries, at: Self.directory)
            else { throw error }
        }
        return try send(request, tries: tries + 1)
    }

    /// The server of the retry policy, as it is announced.
    private static let directory = "the directory"

    private func sendOnce(_ request: DirectoryRequest) throws(DirectoryFailure) -> DirectoryReply {
        let method: HTTPRequest.Method = request.method == .get ? .get : .post
        let timeouts = HTTPTimeouts(total: retry?.timeout(atMost: timeout, at: Self.directory) ?? timeout)
        let sent = HTTPRequest(
            method, request.path, headers: headers, body: request.body, limit: request.maxAnswerBytes,
            timeouts: timeouts)
        do throws(HTTPError) {
            let response = try http.send(sent, to: endpoint, progress: nil)
            return DirectoryReply(
                status: response.status, body: response.body, secondsToWait: response.secondsToWait(now: now()))
        } catch .bodyTooLong {
            throw .directory(.tooLong(limit: request.maxAnswerBytes))
        } catch {
            throw .http(error)
        }
    }
}

/// Why a question has no answer.
public enum DirectoryFailure: Error, Equatable, Sendable {
    /// Nothing was sent, because the question is not one that a directory answers.
    case request(DirectoryRequestError)
    /// There is no reply.
    case http(HTTPError)
    /// The reply is no answer.
    case directory(DirectoryError)

    /// Whether the directory may have carried out the request of which the answer is missing or not understood.
    public var leavesOutcomeOpen: Bool {
        switch self {
        case .request: false
        case .http(.connection): true
        case .http: false
        case .directory(let error): error.leavesOutcomeOpen
        }
    }
}

extension DirectoryError {
    fileprivate var leavesOutcomeOpen: Bool {
        switch self {
        case .unknownIdentity, .unauthorized, .rateLimited, .refused, .failed: false
        // A proxy may have answered in place of the directory.
        case .unexpectedStatus, .tooLong, .badJSON, .malformed: true
        }
    }
}
