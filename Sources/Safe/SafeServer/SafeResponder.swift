internal import HTTP
public import SafeStore
public import SafeWire

/// A Safe server without a listener: a request, a store and a clock in, an answer out (whitepaper, "Running a custom
/// Threema Safe server").
///
///     GET, HEAD config                      200
///     GET, HEAD backups/<64 hex>            200, 404
///     PUT backups/<64 hex>                  201, 204, 412, 413
///     DELETE backups/<64 hex>               204, 404, 412
///     any                                   400, 404, 405, 429, 500, 503, 507
///
/// Nothing else exists: no listing, no other methods, no parts of a backup. Calls block while the store does, and may
/// come from several threads.
public final class SafeResponder<Store: BackupStore & ~Copyable>: SafeAnswering {
    let store: Store
    let limits: ServerLimits
    let prefix: String
    let throttle: Throttle
    private let failed: @Sendable (AnswerFailure) -> Void

    /// - Parameters:
    ///   - store: the backups of one account, or of all if there are no accounts.
    ///   - limits: the answer to `GET config`. Larger bodies are refused.
    ///   - prefix: the path below which the server is: empty, or of an account, for example `/alice`. It begins with a
    ///     slash and does not end with one.
    ///   - throttle: shared by the servers of all accounts.
    ///   - failed: called for each answer of 500, 503 or 507, and of 429 by the store, on the thread of the request; it
    ///     must not block.
    public init(
        _ store: consuming Store, limits: ServerLimits, below prefix: String = "", throttle: Throttle,
        failed: @escaping @Sendable (AnswerFailure) -> Void = { _ in }
    ) {
        self.store = store
        self.limits = limits
        self.prefix = prefix
        self.throttle = throttle
        self.failed = failed
    }

    /// Decides by the head of a request, and carries it out if it has no body. Each request is counted by the throttle
    /// once, here.
    public func examine(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        if let wait = throttle.wait(client: request.client, at: now.monotonic) { return .answer(.throttled(wait)) }
        return examineCounted(request, at: now)
    }

    /// Answers the GET of a backup that the store has at hand.
    public func answerAtOnce(_ request: ServerRequest, at now: ClockReading) -> ImmediateAnswer? {
        responseAtOnce(request, at: now).map { ImmediateAnswer($0) }
    }

    func responseAtOnce(_ request: ServerRequest, at now: ClockReading) -> HTTPResponse? {
        guard request.method == "GET", case .backup(let id) = Route(request.target, below: prefix),
            request.accepts(MediaType.backup)
        else { return nil }
        let path = path(of: id)
        // Who asks too often costs no reading.
        guard throttle.allows(client: request.client, backup: path, at: now.monotonic),
            let backup = store.getAtOnce(id)
        else { return nil }
        if let wait = throttle.wait(client: request.client, at: now.monotonic) { return .throttled(wait) }
        if let wait = throttle.wait(backup: path, at: now.monotonic) { return .throttled(wait) }
        return .content(backup.bytes, type: MediaType.backup, tag: backup.tag)
    }

    /// As `examine`, for a request that was counted for its client.
    func examineCounted(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        let examined = examineMethod(request, at: now)
        guard request.method == "HEAD", case .answer(let answer) = examined else { return examined }
        return .answer(answer.withoutBody)
    }

    /// - Parameter count: the announced length of the body; nil if it was not announced.
    private func store(
        _ body: [UInt8], of count: Int?, at id: BackupID, if conditions: Preconditions, at now: ClockReading
    ) -> HTTPResponse {
        // No backup is empty: a client or proxy has lost the body.
        guard !body.isEmpty, count.map({ $0 == body.count }) ?? true else { return .empty(400) }
        return stored { () throws(StoreError) in
            switch try store.put(body, at: id, if: conditions, now: now.wall) {
            case .created(let tag): .empty(201, ["etag": tag])
            case .replaced(let tag): .empty(204, ["etag": tag])
            case .conditionFailed: .empty(412)
            }
        }
    }

    /// Deletes what a sweep decides to delete.
    public func expire(_ sweep: Sweep) throws(StoreError) -> SweepReport { try store.expire(sweep) }

    // MARK: Heads

    private func examineMethod(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        let route = Route(request.target, below: prefix)
        guard let methods = route.methods else { return .answer(.empty(route == .malformed ? 400 : 404)) }
        guard methods.contains(request.method) else {
            return .answer(.empty(405, ["allow": methods.joined(separator: ", ")]))
        }
        guard case .backup(let id) = route else { return .answer(config(request)) }
        if let wait = throttle.wait(backup: path(of: id), at: now.monotonic) { return .answer(.throttled(wait)) }
        switch request.method {
        case "PUT": return examineUpload(request, of: id)
        case "DELETE": return .answer(delete(request, id, at: now))
        default: return .answer(get(request, id))
        }
    }

    /// What the requests for a backup are counted by.
    private func path(of id: BackupID) -> String { prefix + "/" + id.hex }

    private func config(_ request: ServerRequest) -> HTTPResponse {
        guard request.accepts(MediaType.config) else { return .empty(400) }
        return .content(limits.config, type: MediaType.config)
    }

    private func get(_ request: ServerRequest, _ id: BackupID) -> HTTPResponse {
        guard request.accepts(MediaType.backup) else { return .empty(400) }
        return stored { () throws(StoreError) in
            guard let backup = try store.get(id) else { return .empty(404) }
            return .content(backup.bytes, type: MediaType.backup, tag: backup.tag)
        }
    }

    private func delete(_ request: ServerRequest, _ id: BackupID, at now: ClockReading) -> HTTPResponse {
        guard let conditions = request.preconditions else { return .empty(400) }
        return stored { () throws(StoreError) in
            switch try store.delete(id, if: conditions, now: now.wall) {
            case .deleted: .empty(204)
            case .missing: .empty(404)
            case .conditionFailed: .empty(412)
            }
        }
    }

    private func examineUpload(_ request: ServerRequest, of id: BackupID) -> ExaminedRequest {
        guard request.hasContent(MediaType.backup), request.isWhole, let conditions = request.preconditions else {
            return .answer(.empty(400))
        }
        var count: Int?
        switch request.bodyLength {
        case .malformed, .bytes(0): return .answer(.empty(400))
        case .bytes(let announced) where announced > limits.maxBackupBytes: return .answer(.tooLarge)
        case .bytes(let announced): count = announced
        case .unknown: break
        }
        return .upload(
            PendingUpload(maxBodyBytes: limits.maxBackupBytes) { [count] body, now in
                self.store(body, of: count, at: id, if: conditions, at: now)
            })
    }

    private func stored(_ body: () throws(StoreError) -> HTTPResponse) -> HTTPResponse {
        do throws(StoreError) {
            return try body()
        } catch {
            // A login that has ended is no failure of the server.
            if error != .forbidden { failed(.store(error)) }
            return HTTPResponse(error)
        }
    }
}
