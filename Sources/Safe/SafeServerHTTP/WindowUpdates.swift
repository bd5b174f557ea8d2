#if Server
internal import NIOCore

/// Ends an HTTP/2 connection whose client sends more WINDOW_UPDATE frames than what it has received calls for: each
/// costs the server work, and NIO counts all other frames but these.
///
/// It stands before NIO's parser, where all bytes pass.
final class WindowUpdateGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var updates = WindowUpdates()
    private let observe: (ListenerEvent) -> Void
    private var isOver = false

    init(_ observe: @escaping (ListenerEvent) -> Void) { self.observe = observe }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        updates.receive(unwrapInboundIn(data).readableBytesView)
        guard updates.areTooMany else { return context.fireChannelRead(data) }
        isOver = true
        observe(.ended(.malformed))
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        updates.send(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }
}
#endif

/// Counts the WINDOW_UPDATE frames in the bytes of a client (RFC 9113, 4.1):
///
///     24 bytes   the preface
///     3          length of the payload      of each frame
///     1          type, 8 for WINDOW_UPDATE
///     5          flags and stream
struct WindowUpdates {
    private static let prefaceBytes = 24
    private static let headBytes = 9
    private static let type: UInt8 = 8
    /// Frames that cost nothing.
    private static let free = 1000
    /// One more frame is due for so many bytes that were sent: clients send two for 16 KiB and more.
    private static let bytesForOne = 512

    /// Bytes before the next head.
    private var skipped = prefaceBytes
    private var head: [UInt8] = []
    private var sent = 0
    private(set) var count = 0

    var areTooMany: Bool { count > Self.free + sent / Self.bytesForOne }

    /// Bytes come from the client, in any pieces.
    mutating func receive(_ bytes: some RandomAccessCollection<UInt8>) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if skipped > 0 {
                let taken = min(skipped, rest.count)
                rest = rest.dropFirst(taken)
                skipped -= taken
                continue
            }
            let part = rest.prefix(Self.headBytes - head.count)
            head += part
            rest = rest.dropFirst(part.count)
            guard head.count == Self.headBytes else { return }
            skipped = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            if head[3] == Self.type { count += 1 }
            head.removeAll(keepingCapacity: true)
        }
    }

    /// So many bytes go to the client.
    mutating func send(_ bytes: Int) { sent += bytes }
}
