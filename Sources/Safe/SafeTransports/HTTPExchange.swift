package import HTTP
package import SafeWire

/// A Safe server over HTTPS.
///
/// A GET is repeated after `HTTPResponse.momentaryStatuses`, a broken connection, and a timeout. Other requests are
/// sent once. An answer that asks to wait is an error: the caller calls `pause` and starts again. Nothing is sent to a
/// server that is not trusted.
package final class HTTPExchange: SafeExchange, Sendable {
    private let address: HTTPSAddress
    private let base: String
    private let sender: HTTPSender

    /// Called after each request.
    package typealias Observer = @Sendable (ObservedRequest) -> Void

    private static let maxRedirects = 5
    /// Longest body that is read if it is not needed, in bytes.
    private static let maxIgnoredBytes = 64 * 1024
    private static let backups = "backups/"
    private static let backupType = "application/octet-stream"
    private static let configType = "application/json"

    /// - Parameters:
    ///   - id: the id of the backup, whose first byte may be part of the address.
    ///   - client: sends the requests.
    ///   - timeout: the timeout of one request.
    ///   - progress: called on the caller's thread while bytes are sent and received.
    ///   - observer: called after each request, on the caller's thread.
    /// - Returns: nil if the address is not HTTPS.
    package init?(
        _ server: borrowing SafeEndpoint, for id: BackupID, by client: any HTTPClient, timeout: Duration,
        retry: RetryPolicy, progress: HTTPProgress? = nil, observer: Observer? = nil
    ) {
        guard case .https(let https) = server.address else { return nil }
        address = https
        base = https.base(for: id)
        sender = HTTPSender(
            to: server, base: base, by: client, timeout: timeout, retry: retry, progress: progress, observer: observer)
    }

    // MARK: The port

    package var notes: ExchangeNotes { sender.notes }

    package func pause(after tries: Int, _ error: SafeExchangeError) -> Bool {
        sender.pause(after: tries, error)
    }

    package func presentPin() throws(SafeExchangeError) -> PublicKeyPin? {
        try sender.certificate(isExamined: false)?.pin
    }

    package func presentCertificate() throws(SafeExchangeError) -> PresentedCertificate? {
        try sender.certificate(isExamined: true)
    }

    package func presentChain() throws(SafeExchangeError) -> [PresentedCertificate] { try sender.chain() }

    package func config() throws(SafeExchangeError) -> [UInt8] {
        let answer = try get("config", accept: Self.configType, limit: ServerLimits.maxConfigBytes)
        guard answer.status != 404, answer.status != 409 else { throw .notPrepared(sender.name) }
        return try content(of: answer)
    }

    package func fetch(_ id: BackupID) throws(SafeExchangeError) -> StoredBackup? {
        let answer = try get(Self.backups + id.hex, accept: Self.backupType, limit: maxFetchedBytes)
        switch answer.status {
        case 404, 410: return nil
        case 405: throw .noBackups(sender.name, status: answer.status)
        default: return StoredBackup(bytes: try content(of: answer), tag: answer.strongTag)
        }
    }

    package func store(
        _ backup: [UInt8], at id: BackupID, if condition: WriteCondition
    ) throws(SafeExchangeError) {
        let answer = try put(backup, at: Self.backups + id.hex, type: Self.backupType, if: condition)
        switch answer.status {
        case 200...299: return
        case 404, 405, 409: throw .noBackups(sender.name, status: answer.status)
        default: throw refusal(answer, of: condition)
        }
    }

    package func remove(_ id: BackupID, if condition: WriteCondition) throws(SafeExchangeError) {
        let answer = try send(.delete, Self.backups + id.hex, condition.headers, limit: Self.maxIgnoredBytes)
        guard answer.isSuccess || answer.status == 404 || answer.status == 410 else {
            throw answer.status == 403 ? .deletionForbidden(sender.name) : refusal(answer, of: condition)
        }
    }

    // MARK: Preparing

    /// Prepares an empty directory by WebDAV's MKCOL and PUT.
    package func prepare(_ limits: ServerLimits) throws(SafeExchangeError) {
        guard let config = try presentConfig() else {
            try makeBackups()
            let answer = try put(limits.config, at: "config", type: Self.configType, if: .absent)
            // 412: another client prepared it at the same time.
            guard answer.isSuccess || answer.status == 412 else { throw refusalToPrepare(answer) }
            return
        }
        if (try? ServerLimits(config: config.span)) != nil { try makeBackups() }
    }

    /// Nil if it is missing.
    private func presentConfig() throws(SafeExchangeError) -> [UInt8]? {
        do throws(SafeExchangeError) {
            return try config()
        } catch .notPrepared {
            return nil
        }
    }

    private func makeBackups() throws(SafeExchangeError) {
        var answer = try makeDirectory(Self.backups)
        if answer.status == 409 || answer.status == 404 {
            // The directory itself is missing, too.
            _ = try makeDirectory("")
            answer = try makeDirectory(Self.backups)
        }
        // 405 means that the directory exists. Some servers answer with a redirect instead.
        guard answer.isSuccess || answer.status == 405 || answer.status == 301 else { throw refusalToPrepare(answer) }
    }

    private func makeDirectory(_ path: String) throws(SafeExchangeError) -> HTTPResponse {
        try send(.mkcol, path, [], limit: Self.maxIgnoredBytes)
    }

    private func refusalToPrepare(_ answer: HTTPResponse) -> SafeExchangeError {
        switch answer.status {
        case 400, 403, 404, 405, 409, 415, 501: .cannotPrepare(sender.name, status: answer.status)
        default: refusal(answer)
        }
    }

    // MARK: Requests

    private func put(
        _ content: [UInt8], at path: String, type: String, if condition: WriteCondition
    ) throws(SafeExchangeError) -> HTTPResponse {
        let headers = ["Content-Type: \(type)", "Expect:"] + condition.headers
        return try send(.put, path, headers, body: content, limit: Self.maxIgnoredBytes)
    }

    /// Sends a GET, and follows redirects on the same server.
    private func get(
        _ path: String, accept: String, limit: Int
    ) throws(SafeExchangeError) -> HTTPResponse {
        var path = path
        for redirects in 0..<Self.maxRedirects {
            let answer = try send(.get, path, ["Accept: \(accept)", "Cache-Control: no-cache"], limit: limit)
            guard let location = answer.location else {
                guard redirects > 0 else { return answer }
                // The tag of another URL is not valid for the URL of a PUT.
                var untagged = answer
                untagged.headers["etag"] = nil
                return untagged
            }
            let redirect = Redirect(to: location, from: whole(path))
            guard let next = redirect.sameOrigin else { throw .redirected(sender.name, to: redirect.target) }
            path = next
        }
        throw .redirected(sender.name, to: .circle)
    }

    /// The absolute URL of a path, or of a redirect's target.
    private func whole(_ path: String) -> String { path.hasPrefix("https://") ? path : base + path }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: [String], body: [UInt8]? = nil, limit: Int
    ) throws(SafeExchangeError) -> HTTPResponse {
        try sender.send(
            HTTPRequest(method, path, headers: headers, body: body, limit: limit), shownURL: shown(whole(path)))
    }

    /// A URL for the observer, without the backup id and without the path of a redirect.
    private func shown(_ url: String) -> String {
        guard url.hasPrefix(base) else {
            guard case .host(let host) = Redirect(to: url, from: base).target else { return "https://…" }
            return "https://\(host)/…"
        }
        let path = String(url.dropFirst(base.count))
        if ["", "config", Self.backups].contains(path) { return address.text + path }
        return address.text + (path.hasPrefix(Self.backups) ? Self.backups : "") + "…"
    }

    private func content(of answer: HTTPResponse) throws(SafeExchangeError) -> [UInt8] {
        guard answer.status == 200 else { throw refusal(answer) }
        return answer.body
    }

    /// The error of an unsuccessful status.
    private func refusal(
        _ answer: HTTPResponse, of condition: WriteCondition = .none
    ) -> SafeExchangeError {
        let status = answer.status
        if let location = answer.location {
            return .redirected(sender.name, to: Redirect(to: location, from: base).target)
        }
        return switch status {
        case 412 where condition != .none: .changed(sender.name)
        case 401, 403: .unauthorized(sender.name, hasLogin: sender.hasLogin)
        case 404, 409: .notPrepared(sender.name)
        case 413, 507: .full
        case _ where HTTPResponse.isTemporary(status): .unavailable(sender.name, .status(status))
        default: .unexpectedStatus(sender.name, status)
        }
    }
}

extension WriteCondition {
    /// The headers of the condition (RFC 9110, 13.1).
    fileprivate var headers: [String] {
        switch self {
        case .none: []
        case .absent: ["If-None-Match: *"]
        case .unchanged(let tag): ["If-Match: \(tag)"]
        }
    }
}
