#if Server
internal import Encodings
internal import HTTP
internal import NIOCore
internal import NIOHTTP1
internal import SafeServer
internal import SafeStore

// Answers, and the end of a request.

extension RequestHandler {
    func answer(_ answer: HTTPResponse, _ context: ChannelHandlerContext) {
        cancelDeadline()
        release()
        let counted = answer.body.count > Self.maxUncountedBytes ? answer.body.count : 0
        guard service.answers.take(counted, for: client) else { return answerBusy(.memory, context) }
        answerBytes = counted
        if !isComplete, !isRestShort { isLast = true }
        enter(.answering)
        let now = service.clock()
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: answer.status),
            headers: headers(of: answer, at: now))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        for start in stride(from: 0, to: answer.body.count, by: Self.pieceBytes) {
            if start > 0 { context.flush() }
            // The connection may have ended with that.
            guard case .answering = phase else { return }
            let piece = answer.body[start..<min(start + Self.pieceBytes, answer.body.count)]
            context.write(wrapOutboundOut(.body(.byteBuffer(service.pieces.piece(piece)))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        // Without the body, which is not needed any more.
        let (status, sent) = (answer.status, answer.body.count)
        written.futureResult.assumeIsolated().whenSuccess { self.wasWritten(status, sent) }
        close(after: service.limits.time(for: answer.body.count), because: .slow)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    /// Answers with 503, or with 408 to an upload that was too slow for the others.
    func answerBusy(_ cause: BusyListener, _ context: ChannelHandlerContext) {
        service.observe(.busy(cause))
        guard cause == .slowUpload else { return answer(.busy, context) }
        isLast = true
        answer(.tooSlow, context)
    }

    /// Longest body that does not count for the memory of bodies: `/health` and `config` are also answered without it.
    private static let maxUncountedBytes = 1024

    /// Bytes of a body that are encrypted at once. A connection retains its buffer for the longest ciphertext: with the
    /// head and what TLS adds, this one takes 64 KiB.
    private static let pieceBytes = 60 * 1024

    private func headers(of answer: HTTPResponse, at now: ClockReading) -> HTTPHeaders {
        var headers = HTTPHeaders(answer.headers.sorted { $0.key < $1.key })
        headers.replaceOrAdd(name: "date", value: service.date.text(now.wall.milliseconds / 1000))
        if isHTTP1, isLast { headers.replaceOrAdd(name: "connection", value: "close") }
        return headers
    }

    /// Whether so little of a refused body is to come that it can be read, and the connection used again. A client that
    /// waits for `100 Continue` may not send it at all.
    private var isRestShort: Bool {
        guard request?.isContinueExpected == false, let announced = request?.announcedBytes else { return false }
        return announced <= service.limits.maxRefusedBytes
    }

    /// - Parameter sent: bytes of the answer's body.
    private func wasWritten(_ status: Int, _ sent: Int) {
        tell(status, sent)
        // An HTTP/2 stream ends with its answer.
        guard let context, case .answering = phase else { return }
        release()
        if isComplete { return finish(context) }
        enter(.draining)
        close(after: service.limits.lingerTime, because: nil)
    }

    private func tell(_ status: Int, _ sent: Int) {
        guard let request else { return }
        service.observe(
            .answered(
                RequestRecord(
                    method: request.request.method, target: request.request.target, status: status,
                    time: service.clock().monotonic - request.start, received: request.receivedBytes,
                    sent: sent, client: request.request.client, account: request.account,
                    hadLogin: !request.request.values("authorization").isEmpty)))
    }

    /// The request has come, and its answer has gone.
    func finish(_ context: ChannelHandlerContext) {
        request = nil
        isComplete = false
        refusedBytes = 0
        lack = nil
        if hasNoNext && isHTTP1 {
            enter(.closed)
            return context.close(promise: nil)
        }
        enter(.waiting)
        if isHTTP1 { close(after: service.limits.idleTime, because: .idle) }
        receiveNext(context)
        if isHTTP1, case .waiting = phase { service.connections.rest(connection.number) }
    }
}

extension HTTPResponse {
    /// 503: no thread or no memory is free.
    static let busy = HTTPResponse(status: 503, headers: ["retry-after": "5", "content-length": "0"])
    /// 400: no host, or more than one.
    static let badRequest = HTTPResponse(status: 400, headers: ["content-length": "0"])
    /// 408: the body came too slowly.
    static let tooSlow = HTTPResponse(status: 408, headers: ["content-length": "0"])
}
#endif
