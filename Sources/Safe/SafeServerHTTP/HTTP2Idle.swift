#if Server
internal import NIOCore
internal import NIOHTTP2

/// Closes an HTTP/2 connection that has had no request for too long, or that breaks the protocol. NIO's own handler
/// waits for the client's consent, and its timer starts with the connection, which is older than the handlers here.
final class HTTP2Idle: ChannelInboundHandler {
    typealias InboundIn = Any

    private let connection: Connection
    private var streams = 0
    private var isClosing = false
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(_ connection: Connection) { self.connection = connection }

    private var service: Service { connection.service }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        wait(service.limits.headTime, .slow)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        self.context = nil
    }

    /// NIO has told the client by then.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    fileprivate func opened() {
        streams += 1
        timer?.cancel()
    }

    fileprivate func closed() {
        streams -= 1
        guard streams == 0 else { return }
        service.connections.rest(connection.number)
        isClosing ? closeSoon() : wait(service.limits.idleTime, .idle)
    }

    private func wait(_ time: Duration, _ end: ConnectionEnd) {
        schedule(time) { handler, context in
            handler.service.observe(.ended(end))
            handler.isClosing = true
            // NIO's handler says goodbye.
            context.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            handler.closeSoon()
        }
    }

    private func closeSoon() {
        schedule(service.limits.lingerTime) { handler, context in
            if handler.streams == 0 { context.close(promise: nil) }
        }
    }

    private func schedule(_ time: Duration, _ body: @escaping (HTTP2Idle, ChannelHandlerContext) -> Void) {
        timer?.cancel()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak self] in
            guard let self, let context = self.context else { return }
            body(self, context)
        }
    }

    /// Tells this handler and NIO's of streams.
    struct Streams: NIOHTTP2StreamDelegate {
        let idle: NIOLoopBound<HTTP2Idle>
        let other: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate

        func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
            idle.value.opened()
            other.streamCreated(id, channel: channel)
        }

        func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
            idle.value.closed()
            other.streamClosed(id, channel: channel)
        }
    }
}
#endif
