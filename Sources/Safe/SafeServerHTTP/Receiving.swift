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
        if let answer = answerAtOnce(request) {
            self.request?.account = answer.account
            return enter(.ready(answer.response))
        }
        enter(.examining)
        if let readiness = service.readiness, request.request.target == ReadinessState.path {
            return ask(readiness, context)
        }
        let asked = request.request
        work({ $0.answering.examine(asked, at: $0.clock()) }, done: proceed)
    }

    private func proceed(_ examined: ExaminedRequest, _ context: ChannelHandlerContext) {
        switch examined {
        case .answer(let answer): self.answer(answer, context)
        case .upload(let upload): start(upload, context)
        case .accepted(let account, let examined):
            request?.account = account
            proceed(examined, context)
        case .login(let login):
            let decided = context.eventLoop.makePromise(of: Void.self)
            login.whenDecided { decided.succeed() }
            wait(for: decided.futureResult) { _, _ in
                self.work({ login.finish(at: $0.clock()) }, done: self.proceed)
            }
        }
    }

    private func ask(_ readiness: Readiness, _ context: ChannelHandlerContext) {
        guard let method = request?.request.method else { return }
        cancelDeadline()
        let reported = context.eventLoop.makePromise(of: ReadinessReport.self)
        // Of two reports, the first one counts.
        let late = context.eventLoop.scheduleTask(in: TimeAmount(ReadinessState.timeout)) {
            reported.succeed(readiness.silence)
        }
        readiness.ask(by: { [service] in service.clock().monotonic }) { reported.succeed($0) }
        wait(for: reported.futureResult) { report, context in
            late.cancel()
            self.answer(report.answer(to: method), context)
        }
    }

    /// Whether an HTTP/2 request has one host, as those of HTTP/1.1 (`HTTP1Guard`).
    private static func hasHost(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["host"]
        return hosts.count == 1 && hosts[0] != ""
    }

    /// An answer for which nothing has to be waited for.
    private func answerAtOnce(_ request: ReceivedRequest) -> ImmediateAnswer? {
        if service.readiness != nil, let answer = HealthAnswer.answer(to: request.request) {
            return ImmediateAnswer(answer)
        }
        return request.isRead ? service.answering.answerAtOnce(request.request, at: service.clock()) : nil
    }

    /// Gives the answer that was ready before the request has come to its end.
    func answerReady(_ context: ChannelHandlerContext) {
        if case .ready(let answer) = phase { self.answer(answer, context) }
    }

    private func start(_ upload: PendingUpload, _ context: ChannelHandlerContext) {
        guard body.readableBytes <= upload.maxBodyBytes else { return answer(upload.refusal, context) }
        if let lack { return answerBusy(lack, context) }
        if isComplete { return store(upload, context) }
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
        guard lack == nil else { return refuse(bytes, context) }
        let count = body.readableBytes + bytes.readableBytes
        if count > taken {
            let wanted = (count - 1) / UploadMemory.block * UploadMemory.block + UploadMemory.block - taken
            let number = upload ?? openUpload(context)
            upload = number
            switch service.uploads.take(wanted, for: number, at: service.clock().monotonic) {
            case .taken: taken += wanted
            case .ended: return end(for: .slowUpload, bytes, context)
            case .refused: return end(for: .memory, bytes, context)
            }
        }
        body.writeImmutableBuffer(bytes)
    }

    private func openUpload(_ context: ChannelHandlerContext) -> Int {
        let loop = context.eventLoop
        let handler = NIOLoopBound(self, eventLoop: loop)
        return service.uploads.open(for: client) { number in
            loop.execute { handler.value.endUpload(number) }
        }
    }

    /// Another upload needs the memory of this one.
    private func endUpload(_ number: Int) {
        guard let context, upload == number else { return }
        end(for: .slowUpload, ByteBuffer(), context)
    }

    /// A part of a body is of no use.
    private func end(for cause: BusyListener, _ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        release()
        if case .receiving = phase { return answerBusy(cause, context) }
        // The head is still being examined; the answer comes after that.
        lack = cause
        refuse(bytes, context)
    }

    func receiveEnd(_ context: ChannelHandlerContext) {
        isComplete = true
        switch phase {
        case .receiving(let upload): store(upload, context)
        case .draining: finish(context)
        case .ready(let answer): self.answer(answer, context)
        case .waiting, .examining, .storing, .answering, .closed: break
        }
    }

    private func store(_ pending: PendingUpload, _ context: ChannelHandlerContext) {
        // Its memory may have gone to another one just now.
        if let upload, !service.uploads.store(upload) { return answerBusy(.slowUpload, context) }
        enter(.storing)
        let bytes = Array(body.readableBytesView)
        request?.receivedBytes = bytes.count
        body = ByteBuffer()
        work({ pending.finish(bytes, at: $0.clock()) }) { answer, context in self.answer(answer, context) }
    }
}
#endif
