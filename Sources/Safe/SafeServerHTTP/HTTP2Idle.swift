#if Server
internal import NIOCore
internal import NIOHTTP2

/// Does what the life of an HTTP/2 connection says, and closes one that breaks the protocol. NIO's own handler waits for
/// the client's consent, and its timer starts with the connection, which is older than the handlers here.
///
/// The requests themselves say when they begin and end: NIO tells of a stream whose head fails only that it was closed.
final class HTTP2Idle: ChannelInboundHandler {
    typealias InboundIn = Any

    private let connection: Connection
    private var life = ConnectionLife()
    private var deadline: Deadline?
    private var context: ChannelHandlerContext?

    init(_ connection: Connection) { self.connection = connection }

    private var service: Service { connection.service }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline = Deadline(on: context.eventLoop)
        awaitDeadline()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    private func stop() {
        life.close()
        deadline?.end()
        context = nil
    }

    /// NIO has told the client by then.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// A stream was opened.
    func begin() {
        life.begin()
        awaitDeadline()
    }

    /// A stream was closed.
    func end() {
        if life.end() { service.connections.rest(connection.number) }
        awaitDeadline()
    }

    private func awaitDeadline() {
        guard let time = life.time(service.limits) else { return }
        deadline?.set(after: TimeAmount(time)) { [weak self] in self?.expire() }
    }

    private func expire() {
        guard let context, let end = life.expire() else { return }
        switch end {
        case .goodbye(let end):
            service.observe(.ended(end))
            // NIO's handler says goodbye.
            context.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            awaitDeadline()
        case .close(let end):
            if let end { service.observe(.ended(end)) }
            context.close(promise: nil)
        }
    }
}

/// Tells NIO's handler of the streams that were opened, and of the end of these only: it takes each end for that of a
/// stream that it knows.
struct OpenedStreams: NIOHTTP2StreamDelegate {
    private final class Numbers {
        var numbers: Set<HTTP2StreamID> = []
    }

    private let opened: NIOLoopBound<Numbers>
    private let other: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate

    init(_ other: NIOHTTP2ServerConnectionManagementHandler.HTTP2StreamDelegate, on loop: any EventLoop) {
        self.other = other
        opened = NIOLoopBound(Numbers(), eventLoop: loop)
    }

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        opened.value.numbers.insert(id)
        other.streamCreated(id, channel: channel)
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
        guard opened.value.numbers.remove(id) != nil else { return }
        other.streamClosed(id, channel: channel)
    }
}
#endif
