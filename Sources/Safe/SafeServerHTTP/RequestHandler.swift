#if Server
internal import HTTP
internal import NIOCore
internal import NIOHTTP1
internal import SafeServer
internal import SafeStore

/// Receives the requests of one HTTP/1 connection or the request of one HTTP/2 stream, has them answered by threads
/// that may block, and sends the answers.
///
///     waiting     for a head                                    at most headTime or idleTime
///     examining   a thread judges the head                      nothing is read
///     ready       nothing had to be waited for: the answer is   nothing is read
///                 given when all that has come was looked at
///     receiving   the body of an upload                         at least minBodyRate
///     storing     a thread stores the body                      nothing is read
///     answering   the answer is being written                   at least minBodyRate
///     draining    the rest of a body that nobody wants is read  at most lingerTime and maxRefusedBytes
final class RequestHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    enum Phase {
        case waiting, examining
        case ready(HTTPResponse)
        case receiving(PendingUpload)
        case storing, answering, draining, closed
    }

    let connection: Connection
    /// The HTTP/2 connection of this stream; nil for HTTP/1.1.
    private let parent: HTTP2Idle?
    var phase = Phase.waiting
    var request: ReceivedRequest?
    /// What has come of the body and may be wanted.
    var body = ByteBuffer()
    /// The number in `UploadMemory`; nil before a body comes, and after it.
    var upload: Int?
    /// Bytes of the upload that are taken.
    var taken = 0
    /// Bytes of `BodyMemory` that the answer has taken.
    var answerBytes = 0
    /// Why there is no memory for the body.
    var lack: BusyListener?
    /// Whether the request has come to its end.
    var isComplete = false
    var refusedBytes = 0
    /// Whether the connection is closed after this request.
    var isLast = false
    /// Whether it is closed after all requests that have come.
    private var isInputClosed = false
    /// What has come of the next request before the answer to this one was on its way.
    private var early: [HTTPServerRequestPart] = []
    private var isReadWanted = false
    private var deadline: Deadline?
    private(set) var context: ChannelHandlerContext?

    /// - Parameter parent: the HTTP/2 connection of this stream; nil for HTTP/1.1.
    init(_ connection: Connection, in parent: HTTP2Idle? = nil) {
        self.connection = connection
        self.parent = parent
    }

    var isHTTP1: Bool { parent == nil }

    var service: Service { connection.service }
    /// Who has taken the memory; empty before a request, when none is taken.
    var client: String { request?.request.client ?? "" }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline = Deadline(on: context.eventLoop)
        parent?.begin()
        if isHTTP1 { close(after: service.limits.headTime, because: .slow) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop()
        parent?.end()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { refuse(context) }

    /// Closes at once, and looks at nothing more. A stream is closed a little later: NIO may not have announced it yet,
    /// and what is closed before that is never counted.
    func refuse(_ context: ChannelHandlerContext) {
        stop()
        guard !isHTTP1 else { return context.close(promise: nil) }
        let loop = context.eventLoop
        loop.assumeIsolated().execute { context.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            isInputClosed = true
            if case .waiting = phase { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Nothing is read while nobody can use it: then the client has to wait, too.
    func read(context: ChannelHandlerContext) {
        switch phase {
        case .waiting, .receiving, .draining: context.read()
        case .examining, .ready, .storing, .answering, .closed: isReadWanted = true
        }
    }

    func enter(_ next: Phase) {
        phase = next
        switch next {
        case .waiting, .receiving, .draining:
            guard isReadWanted else { return }
            isReadWanted = false
            context?.read()
        case .examining, .ready, .storing, .answering, .closed: break
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .answering = phase, isComplete { early.append(part) } else { receive(part, context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        answerReady(context)
        context.fireChannelReadComplete()
    }

    /// Whether no other request is answered after this one.
    var hasNoNext: Bool { isLast || isInputClosed && early.isEmpty }

    /// Receives what came early.
    func receiveNext(_ context: ChannelHandlerContext) {
        let parts = early
        early = []
        for part in parts { receive(part, context) }
        answerReady(context)
    }

    private func receive(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head): receive(head, context)
        case .body(let bytes): receive(bytes, context)
        case .end: receiveEnd(context)
        }
    }

    /// What a request has taken is given back, but not while a thread works on it.
    private func stop() {
        deadline?.end()
        switch phase {
        case .examining, .storing, .closed: break
        case .waiting, .ready, .receiving, .answering, .draining: release()
        }
        phase = .closed
    }

    func release() {
        if let upload { service.uploads.close(upload) }
        upload = nil
        taken = 0
        body = ByteBuffer()
        service.answers.give(back: answerBytes, of: client)
        answerBytes = 0
    }

    // MARK: Deadlines

    func cancelDeadline() { deadline?.clear() }

    func close(after time: Duration, because end: ConnectionEnd?) {
        schedule(after: time) { handler, context in
            if let end { handler.service.observe(.ended(end)) }
            context.close(promise: nil)
        }
    }

    func schedule(after time: Duration, _ body: @escaping (RequestHandler, ChannelHandlerContext) -> Void) {
        deadline?.set(after: TimeAmount(time)) { [weak self] in
            guard let self, let context = self.context else { return }
            body(self, context)
        }
    }

    /// Runs `work` on a thread that may block, and `done` with its result on the event loop. If no thread is free in
    /// time, the answer is 503, and `work` is not run.
    func work<Result: Sendable>(
        _ work: @escaping @Sendable (Service) -> Result, done: @escaping (Result, ChannelHandlerContext) -> Void
    ) {
        guard let context else { return }
        cancelDeadline()
        let service = service
        let call = WaitingCall()
        let pool = request?.isRead == true ? service.reads : service.writes
        guard let future = pool.run(call, on: context.eventLoop, { work(service) }) else {
            return answerBusy(.threads, context)
        }
        schedule(after: service.limits.maxWait) { handler, context in
            if call.abandon() { handler.answerBusy(.threads, context) }
        }
        future.assumeIsolated().whenComplete { result in
            // An abandoned call is answered by then.
            if case .success(nil) = result { return }
            // The client may have gone.
            guard let context = self.context, case .success(let value?) = result, !self.isClosed else {
                return self.release()
            }
            done(value, context)
        }
    }

    /// Calls `done` on the event loop with the value, unless the client has gone.
    func wait<Value: Sendable>(
        for decision: EventLoopFuture<Value>, done: @escaping (Value, ChannelHandlerContext) -> Void
    ) {
        decision.assumeIsolated().whenComplete { result in
            guard let context = self.context, case .success(let value) = result, !self.isClosed else {
                return self.release()
            }
            done(value, context)
        }
    }

    private var isClosed: Bool {
        if case .closed = phase { true } else { false }
    }
}
#endif
