public import HTTP
public import SafeStore

/// What a listener asks about each request. Calls block, and may come from several threads.
public protocol SafeAnswering: Sendable {
    /// Decides by the head of a request, and carries it out if it has no body. Each request is counted by the throttle
    /// once, here.
    func examine(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest

    /// Answers a request if nothing has to be waited for: it may be called on a thread that must not block. A request
    /// that is answered is counted by the throttle.
    /// - Returns: nil if `examine` has to decide; then nothing was counted.
    func answerAtOnce(_ request: ServerRequest, at now: ClockReading) -> ImmediateAnswer?
}

extension SafeAnswering {
    /// Returns nil: every request goes to `examine(_:at:)`, which may wait.
    public func answerAtOnce(_ request: ServerRequest, at now: ClockReading) -> ImmediateAnswer? { nil }
}

/// An answer for which nothing had to be waited for.
public struct ImmediateAnswer: Sendable {
    /// The answer.
    public let response: HTTPResponse
    /// Who has logged in; nil on a server without accounts.
    public let account: AccountName?

    /// - Parameter account: who has logged in; nil for nobody.
    public init(_ response: HTTPResponse, account: AccountName? = nil) {
        self.response = response
        self.account = account
    }
}

extension SafeAnswering {
    /// Answers a request whose body has been read.
    /// - Parameter body: empty for none.
    public func answer(_ request: ServerRequest, body: [UInt8] = [], at now: ClockReading) -> HTTPResponse {
        answer(examine(request, at: now), body, at: now)
    }

    private func answer(_ examined: ExaminedRequest, _ body: [UInt8], at now: ClockReading) -> HTTPResponse {
        switch examined {
        case .answer(let answer): answer
        case .upload(let upload): upload.finish(body, at: now)
        case .login(let login): answer(login.finish(at: now), body, at: now)
        case .accepted(_, let examined): answer(examined, body, at: now)
        }
    }
}

/// What the head of a request leads to.
public indirect enum ExaminedRequest: Sendable {
    /// This answer; the body is not needed.
    case answer(HTTPResponse)
    /// Read the body, at most `PendingUpload.maxBodyBytes` bytes, and call `finish`.
    case upload(PendingUpload)
    /// The login is being compared. Call `PendingLogin.finish` when that is decided.
    case login(PendingLogin)
    /// The login is right. What the request leads to is `.answer` or `.upload`.
    case accepted(AccountName, ExaminedRequest)
}

/// An upload whose head is accepted.
public struct PendingUpload: Sendable {
    /// Most bytes of a body. Stop reading one that has more, and answer with `refusal`.
    public let maxBodyBytes: Int
    /// The answer to a body that is too long: 413.
    public var refusal: HTTPResponse { .tooLarge }
    private let store: @Sendable (_ body: [UInt8], _ now: ClockReading) -> HTTPResponse

    /// - Parameter store: stores a body of at most `maxBodyBytes` bytes, and answers. It may block.
    public init(
        maxBodyBytes: Int, store: @escaping @Sendable (_ body: [UInt8], _ now: ClockReading) -> HTTPResponse
    ) {
        self.maxBodyBytes = maxBodyBytes
        self.store = store
    }

    /// Stores the body.
    /// - Parameter body: the whole body. One that was cut off must not get here.
    public func finish(_ body: [UInt8], at now: ClockReading) -> HTTPResponse {
        guard body.count <= maxBodyBytes else { return refusal }
        return store(body, now)
    }
}
