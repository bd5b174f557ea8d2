#if Server
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS

/// Makes of an accepted connection one that speaks HTTP: TLS if the listener has a certificate, then HTTP/2 or
/// HTTP/1.1 as the handshake decides; without TLS, HTTP/1.1.
struct ConnectionSetup: ServerChildChannel {
    let service: Service
    /// nil for a listener without TLS.
    let certificate: ServerCertificate?

    struct Value: ServerChildChannelValue { let channel: any Channel }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        setup(channel, start)
    }

    /// - Parameter start: adds the handlers.
    func setup(_ channel: any Channel, _ start: (any Channel, Connection) throws -> Void) -> EventLoopFuture<Value> {
        let peer = Connection(channel, service)
        service.observe(.opened)
        channel.closeFuture.whenComplete { [service] _ in
            service.observe(.closed)
            service.heaps.begin(on: channel.eventLoop, by: service.reads)
        }
        // A proxy speaks for many clients.
        let client = peer.isFromProxy ? nil : peer.peerName
        guard let opened = service.connections.open(for: client, end: { Self.end(channel) }) else {
            service.observe(.ended(.tooMany))
            return channel.close().recover { _ in }.map { Value(channel: channel) }
        }
        for _ in 0..<opened.ended { service.observe(.ended(.displaced)) }
        let connection = peer.numbered(opened.number)
        channel.closeFuture.whenComplete { [service] _ in service.connections.close(opened.number) }
        return channel.eventLoop.makeCompletedFuture {
            try start(channel, connection)
            return Value(channel: channel)
        }
    }

    /// Ends a connection that has no request. TLS would wait for the client's consent, so it is not asked. A handshake
    /// that ends in this way is not counted once more as one that has failed.
    private static func end(_ channel: any Channel) {
        channel.eventLoop.execute {
            let pipeline = channel.pipeline.syncOperations
            (try? pipeline.handler(type: HandshakeDeadline.self))?.isOver = true
            guard let tls = try? pipeline.context(handlerType: NIOSSLServerHandler.self) else {
                return channel.close(promise: nil)
            }
            tls.close(promise: nil)
        }
    }

    /// The handlers do all the work.
    func handle(value: Value, logger: Logger) async {
        try? await value.channel.closeFuture.get()
    }

    // MARK: Protocols

    private func start(_ channel: any Channel, _ connection: Connection) throws {
        guard let certificate else { return try startHTTP1(channel, connection) }
        let pipeline = channel.pipeline.syncOperations
        // A client that has closed its side without saying so may have lost a part of its request.
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
        let deadline = HandshakeDeadline(service)
        try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
        try pipeline.addHandler(deadline)
        try pipeline.addHandler(
            ApplicationProtocolNegotiationHandler { (result: ALPNResult, channel: any Channel) in
                deadline.isOver = true
                return channel.eventLoop.makeCompletedFuture {
                    switch result {
                    case .negotiated("h2"): try startHTTP2(channel, connection)
                    default: try startHTTP1(channel, connection)
                    }
                }
            })
    }

    func startHTTP1(_ channel: any Channel, _ connection: Connection) throws {
        let limits = service.limits
        var decoderLimits = NIOHTTPDecoderLimitConfiguration()
        decoderLimits.maxHeaderFieldSize = limits.maxHeadBytes
        decoderLimits.maxHeaderListSize = limits.maxHeadBytes
        decoderLimits.maxHeaderFieldCount = limits.maxHeadFields
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: decoderLimits)
        try channel.syncOptions?.setOption(
            .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
        try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        let overhead = ChunkOverhead()
        try channel.pipeline.syncOperations.addHandlers(
            HTTPResponseEncoder(), overhead, ByteToMessageHandler(decoder),
            HTTP1Guard(limits, overhead, service.observe), HTTPServerPipelineHandler(),
            RequestHandler(connection))
    }

    /// Bytes that are read at once.
    private static let readBytes = 16 * 1024

    /// Most streams of a proxy's HTTP/2 connection that are reset in 30 seconds.
    private static let maxProxyResets = 10_000

    func startHTTP2(_ channel: any Channel, _ connection: Connection) throws {
        let limits = service.limits
        let goodbye = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop,
            configuration: .init(maxIdleTime: nil, maxAge: nil, maxGraceTime: nil, keepalive: nil))
        let idle = HTTP2Idle(connection)
        let shared = NIOLoopBound(idle, eventLoop: channel.eventLoop)
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.maxStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.maxHeadBytes),
        ]
        var streams = NIOHTTP2Handler.StreamConfiguration()
        // curl 7.88 resets each stream whose answer has no body, also if the head of the answer has ended it. NIO's
        // limit of 200 would end its connection.
        streams.streamResetFrameRateLimit.maximumCount =
            connection.isFromProxy ? Self.maxProxyResets : limits.maxResets
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: settings,
            streamConfiguration: streams,
            streamDelegate: OpenedStreams(goodbye.http2StreamDelegate, on: channel.eventLoop)
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandlers(
                    HTTP2Fields(), HTTP2FramePayloadToHTTP1ServerCodec(),
                    RequestHandler(connection, in: shared.value))
            }
        }
        try channel.pipeline.syncOperations.addHandlers(
            WindowUpdateGuard(service.observe), handler, goodbye, idle)
    }
}

/// Closes a connection whose handshake fails, takes too long, or is under way when the server stops.
final class HandshakeDeadline: ChannelInboundHandler {
    typealias InboundIn = Any

    /// Whether the handshake has come to its end, or its connection is being ended: then nothing is counted any more.
    var isOver = false {
        didSet { deadline?.cancel() }
    }

    private let service: Service
    private var deadline: Scheduled<Void>?

    init(_ service: Service) { self.service = service }

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(service.limits.headTime)) {
            self.count(.slow)
            context.close(promise: nil)
        }
    }

    private func count(_ end: ConnectionEnd) {
        guard !isOver else { return }
        isOver = true
        service.observe(.ended(end))
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        count(.handshake)
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, !isOver {
            isOver = true
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }
}
#endif
