#if Server
internal import HTTP
internal import NIOCore
internal import NIOHTTP1
internal import SafeServer
internal import SafeStore

// Heads and bodies.

extension RequestHandler {
    func receive(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard case .waiting = phase, service.connections.begin(connection.number) else { return refuse(context) }
        let request = ReceivedRequest(head, from: connection, start: service.clock().monotonic)
        self.request = request
        isLast = isLast || !request.isKeepAlive
        // The end of the request may have come, too: the answer is given after it.
        if !isHTTP1, !Self.hasHost(head) { return enter(.ready(.badRequest)) }
        if let answer = answerAtOnce(request) { return enter(.ready(answer)) }
        enter(.examining)
        let asked = request.request
        work({ $0.answering.examine(asked, at: $0.clock()) }, done: proceed)
    }

    private func proceed(_ examined: ExaminedRequest, _ context: ChannelHandlerContext) {
        switch examined {
        case .answer(let answer): self.answer(answer, context)
        case .upload(let upload): start(upload, context)
        case .login(let login):
            let decided = context.eventLoop.makePromise(of: Void.self)
            login.whenDecided { decided.succeed() }
            wait(for: decided.futureResult) {
                self.work({ login.finish(at: $0.clock()) }, done: self.proceed)
            }
        }
    }

    /// Whether an HTTP/2 request has one host, as those of HTTP/1.1 (`HTTP1Guard`).
    private static func hasHost(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["host"]
        return hosts.count == 1 && hosts[0] != ""
    }

    /// An answer for which nothing has to be waited for.
    private func answerAtOnce(_ request: ReceivedRequest) -> HTTPResponse? {
        if service.answersHealth, let answer = HealthAnswer.answer(to: request.request) { return answer }
        return request.isRead ? service.answering.answerAtOnce(request.request, at: service.clock()) : nil
    }

    /// Gives the answer that was ready before the request has come to its end.
    func answerReady(_ context: ChannelHandlerContext) {
        if case .ready(let answer) = phase { self.answer(answer, context) }
    }

    private func start(_ upload: PendingUpload, _ context: ChannelHandlerContext) {
        guard body.readableBytes <= upload.maxBodyBytes else { return answer(upload.refusal, context) }
        guard !lacksMemory else { return answerBusy(.memory, context) }
        if isComplete { return store(upload) }
        if request?.isContinueExpected == true, body.readableBytes == 0 {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        enter(.receiving(upload))
        awaitBody()
    }

    /// The time that a body may take grows with what has come of it.
    private func awaitBody() {
        guard let request else { return }
        let end = request.start + service.limits.time(for: body.readableBytes)
        let rest = end - service.clock().monotonic
        schedule(after: max(rest, .milliseconds(1))) { handler, context in
            let came = request.start + handler.service.limits.time(for: handler.body.readableBytes)
            if came > handler.service.clock().monotonic { return handler.awaitBody() }
            handler.service.observe(.ended(.slow))
            handler.isLast = true
            handler.answer(.tooSlow, context)
        }
    }

    func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        switch phase {
        case .examining: keep(bytes, context)
        case .receiving(let upload):
            guard body.readableBytes + bytes.readableBytes <= upload.maxBodyBytes else {
                return answer(upload.refusal, context)
            }
            keep(bytes, context)
        case .ready, .storing, .answering, .draining: refuse(bytes, context)
        case .waiting, .closed: break
        }
    }

    private func refuse(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        refusedBytes += bytes.readableBytes
        if refusedBytes > service.limits.maxRefusedBytes { context.close(promise: nil) }
    }

    private func keep(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard !lacksMemory else { return refuse(bytes, context) }
        guard service.bodies.take(bytes.readableBytes, besides: taken, for: client) else {
            // A part of a body is of no use.
            taken = 0
            body = ByteBuffer()
            if case .receiving = phase { return answerBusy(.memory, context) }
            // The head is still being examined; the answer comes after that.
            lacksMemory = true
            return refuse(bytes, context)
        }
        taken += bytes.readableBytes
        body.writeImmutableBuffer(bytes)
    }

    func receiveEnd(_ context: ChannelHandlerContext) {
        isComplete = true
        switch phase {
        case .receiving(let upload): store(upload)
        case .draining: finish(context)
        case .ready(let answer): self.answer(answer, context)
        case .waiting, .examining, .storing, .answering, .closed: break
        }
    }

    private func store(_ upload: PendingUpload) {
        enter(.storing)
        let bytes = Array(body.readableBytesView)
        request?.receivedBytes = bytes.count
        body = ByteBuffer()
        work({ upload.finish(bytes, at: $0.clock()) }) { answer, context in self.answer(answer, context) }
    }
}
#endif
