package import HTTP
package import SafeWire

/// A Safe server over HTTPS.
///
/// A GET is sent again if that may help: after 408, 423, 425, 500, 502, 503, 504, a connection that broke off, and a
/// timeout. Other requests are sent once, and an answer that asks to wait is an error: the caller starts again by
/// `pause`. Nothing is sent to a server that is not trusted.
package final class HTTPExchange: SafeExchange, Sendable {
    private let address: HTTPSAddress
    private let base: String
    private let sender: HTTPSender

    /// Hears of every request when it is over.
    package typealias Observer = @Sendable (ObservedRequest) -> Void

    private static let maxRedirects = 5
    /// Answers whose body does not matter are read no further.
    private static let maxIgnoredBytes = 64 * 1024
    private static let backups = "backups/"
    private static let backupType = "application/octet-stream"
    private static let configType = "application/json"

    /// - Parameters:
    ///   - id: of the backup that is meant: its first byte may be part of the address.
    ///   - client: what the requests are sent by.
    ///   - timeout: for one request.
    ///   - progress: called often while a request is under way, on the caller's thread.
    ///   - observer: called after each request, on the caller's thread.
    /// - Returns: nil for an address that is not HTTPS.
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

    /// See `SafeExchange`.
    package var notes: ExchangeNotes { sender.notes }

    /// See `SafeExchange`.
    package func pause(after tries: Int, _ error: SafeExchangeError) -> Bool {
        sender.pause(after: tries, error)
    }

    /// See `SafeExchange`.
    package func presentPin() throws(SafeExchangeError) -> PublicKeyPin? {
        try sender.certificate(isExamined: false)?.pin
    }

    /// See `SafeExchange`.
    package func presentCertificate() throws(SafeExchangeError) -> PresentedCertificate? {
        try sender.certificate(isExamined: true)
    }

    /// See `SafeExchange`.
    package func config() throws(SafeExchangeError) -> [UInt8] {
        let answer = try get("config", accept: Self.configType, limit: ServerLimits.maxConfigBytes)
        guard answer.status != 404, answer.status != 409 else { throw .notPrepared(sender.name) }
        return try content(of: answer)
    }

    /// See `SafeExchange`.
    package func fetch(_ id: BackupID) throws(SafeExchangeError) -> StoredBackup? {
        let answer = try get(Self.backups + id.hex, accept: Self.backupType, limit: maxFetchedBytes)
        switch answer.status {
        case 404, 410: return nil
        case 405: throw .noBackups(sender.name, status: answer.status)
        default: return StoredBackup(bytes: try content(of: answer), tag: answer.strongTag)
        }
    }

    /// See `SafeExchange`.
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

    /// See `SafeExchange`.
    package func remove(_ id: BackupID, if condition: WriteCondition) throws(SafeExchangeError) {
        let answer = try send(.delete, Self.backups + id.hex, condition.headers, limit: Self.maxIgnoredBytes)
        guard answer.isSuccess || answer.status == 404 || answer.status == 410 else {
            throw answer.status == 403 ? .deletionForbidden(sender.name) : refusal(answer, of: condition)
        }
    }

    // MARK: Preparing

    /// See `SafeExchange`: by WebDAV's MKCOL and PUT.
    package func prepare(_ limits: ServerLimits) throws(SafeExchangeError) {
        try makeBackups()
        do throws(SafeExchangeError) {
            _ = try config()
        } catch .notPrepared {
            let answer = try put(limits.config, at: "config", type: Self.configType, if: .absent)
            // 412: somebody else prepared it at the same moment.
            guard answer.isSuccess || answer.status == 412 else { throw refusalToPrepare(answer) }
        }
    }

    private func makeBackups() throws(SafeExchangeError) {
        var answer = try makeDirectory(Self.backups)
        if answer.status == 409 || answer.status == 404 {
            // The directory above is missing, too.
            _ = try makeDirectory("")
            answer = try makeDirectory(Self.backups)
        }
        // 405 says that there is one already, and so do some servers by a redirect.
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

    /// A GET, and where the same server sends it on, there.
    private func get(
        _ path: String, accept: String, limit: Int
    ) throws(SafeExchangeError) -> HTTPResponse {
        var path = path
        for redirects in 0..<Self.maxRedirects {
            let answer = try send(.get, path, ["Accept: \(accept)", "Cache-Control: no-cache"], limit: limit)
            guard let location = answer.location else {
                guard redirects > 0 else { return answer }
                // The tag of another URL says nothing about the one that is written to.
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

    /// The URL of a path, or of where a redirect led.
    private func whole(_ path: String) -> String { path.hasPrefix("https://") ? path : base + path }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: [String], body: [UInt8]? = nil, limit: Int
    ) throws(SafeExchangeError) -> HTTPResponse {
        try sender.send(
            HTTPRequest(method, path, headers: headers, body: body, limit: limit), shownURL: shown(whole(path)))
    }

    /// A URL without the backup id, and without what a redirect may hold.
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

    /// What a status means that is not the one that was hoped for.
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
        case 500...599: .unavailable(sender.name, .status(status))
        default: .unexpectedStatus(sender.name, status)
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
