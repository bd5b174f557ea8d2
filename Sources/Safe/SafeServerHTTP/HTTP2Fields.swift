#if Server
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Completes the head of a request for NIO's codec, which fails without one of `:scheme`, `:path` and `:authority`.
/// `:authority` may be missing beside `Host` (RFC 9113, 8.3.1), and CONNECT has neither of the others (8.5).
/// `RequestHandler` refuses a request without a host.
final class HTTP2Fields: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private var isInBody = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isInBody, case .headers(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        isInBody = true
        head.headers = Self.completed(head.headers)
        context.fireChannelRead(wrapInboundOut(.headers(head)))
    }

    private static func completed(_ fields: HPACKHeaders) -> HPACKHeaders {
        let hosts = fields[canonicalForm: "host"]
        let standard = [":scheme": "https", ":path": "*", ":authority": hosts.first.map { String($0) } ?? ""]
        let missing = standard.filter { !fields.contains(name: $0.key) }
        guard !missing.isEmpty else { return fields }
        var completed = HPACKHeaders()
        for (name, value) in missing { completed.add(name: name, value: value) }
        for (name, value, _) in fields { completed.add(name: name, value: value) }
        return completed
    }
}
#endif
