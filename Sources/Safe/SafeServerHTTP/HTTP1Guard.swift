#if Server
internal import NIOCore
internal import NIOHTTP1

/// Refuses an HTTP/1 request whose boundaries a proxy might see elsewhere (request smuggling; RFC 9112, 6.3), and
/// what is not HTTP. After a refusal nothing of the connection is read.
///
/// NIO's parser refuses two lengths, a length beside `Transfer-Encoding`, a bare LF, obsolete folding and blanks
/// before a colon. Here stand the rules that it does not have.
final class HTTP1Guard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Most requests of a connection that are not answered yet.
    private static let maxPipelined = 8

    private let lingerTime: TimeAmount
    private let overhead: ChunkOverhead
    private let observe: (ListenerEvent) -> Void
    private var unanswered = 0
    private var isInRequest = false
    /// Whether the request that is being received does nothing before its end.
    private var isUpload = false
    /// Whether the answer to a request has begun and has not come to its end.
    private var isAnswering = false
    private var isOver = false
    /// Whether a refusal has been sent: nothing may follow it.
    private var isRefused = false

    init(_ limits: ListenerLimits, _ overhead: ChunkOverhead, _ observe: @escaping (ListenerEvent) -> Void) {
        lingerTime = TimeAmount(limits.lingerTime)
        self.overhead = overhead
        self.observe = observe
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard Self.isUnambiguous(head), unanswered < Self.maxPipelined else {
                return refuse(.badRequest, context)
            }
            unanswered += 1
            isInRequest = true
            isUpload = head.method == .PUT
            if head.headers.contains(name: "transfer-encoding") { overhead.begin() }
        case .body(let bytes): overhead.count(content: bytes.readableBytes)
        case .end:
            isInRequest = false
            overhead.end()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isRefused else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        // 100 Continue is no answer.
        case .head(let head): isAnswering = head.status.code >= 200
        case .body: break
        case .end:
            unanswered -= 1
            isAnswering = false
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The client has gone in the middle of a request.
        if (error as? HTTPParserError) == .invalidEOFState { return context.close(promise: nil) }
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        let isTooLong = (error as? HTTPParserError) == .headerOverflow
        refuse(isTooLong ? .requestHeaderFieldsTooLarge : .badRequest, context)
    }

    /// Whether every reader finds the same body: `Host` once, a length or `chunked` at most, and these once.
    private static func isUnambiguous(_ head: HTTPRequestHead) -> Bool {
        let lengths = head.headers["content-length"]
        let codings = head.headers["transfer-encoding"]
        let hosts = head.headers["host"]
        guard lengths.count + codings.count <= 1, hosts.count <= 1 else { return false }
        guard codings.allSatisfy({ $0.lowercased() == "chunked" }) else { return false }
        switch head.version {
        case .http1_1: return hosts.count == 1
        case .http1_0: return codings.isEmpty
        default: return false
        }
    }

    /// Answers and closes. The client gets the answer only if what it has sent is read. If whole requests are not
    /// answered yet, they are, and then the connection is closed: what follows them is nobody's. In the middle of a
    /// request, an upload is answered if its answer has not begun: nothing was done yet.
    private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        isOver = true
        observe(.ended(.malformed))
        if isInRequest {
            guard isUpload, unanswered == 1, !isAnswering else { return context.close(promise: nil) }
        } else if unanswered > 0 {
            return context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        let headers: HTTPHeaders = ["content-length": "0", "connection": "close"]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        isRefused = true
        context.close(mode: .output, promise: nil)
        context.eventLoop.assumeIsolated().scheduleTask(in: lingerTime) { context.close(promise: nil) }
    }
}
#endif
