#if Server
internal import NIOCore
internal import NIOHTTP1

/// Ends a connection whose chunked body has more around its content than any client needs: chunk extensions, zeros
/// before sizes, trailers. NIO's parser skips them, so without a bound an upload of one byte could carry gigabytes.
///
/// It stands before the parser, where all bytes pass; `HTTP1Guard` behind the parser tells it what of them was content.
final class ChunkOverhead: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Most bytes around each byte of content. A chunk of one byte has five: `1 CR LF x CR LF`.
    private static let perContentByte = 8
    /// Most other bytes of a body: extensions and trailers, and what comes in one read with its end.
    private static let maxOther = 32 * 1024

    /// Bytes that may come before the connection is ended; nil outside of a chunked body.
    private var rest: Int?
    private var isOver = false

    /// A chunked body begins.
    func begin() { rest = Self.maxOther }

    /// So many bytes were content.
    func count(content bytes: Int) {
        if let rest { self.rest = rest + (1 + Self.perContentByte) * bytes }
    }

    /// The body has come to its end.
    func end() { rest = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if let rest { self.rest = rest - unwrapInboundIn(data).readableBytes }
        // The parser tells at once what it finds.
        context.fireChannelRead(data)
        guard let rest, rest < 0 else { return }
        isOver = true
        context.fireErrorCaught(HTTPParserError.invalidChunkSize)
    }
}
#endif
