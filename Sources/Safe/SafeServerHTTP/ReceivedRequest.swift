#if Server
internal import NIOHTTP1
internal import SafeServer
internal import SafeStore

/// A request as it came, with what the listener has to know of its head.
struct ReceivedRequest {
    let request: ServerRequest
    /// Whether it changes nothing in the store.
    let isRead: Bool
    let isKeepAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body. One of HTTP/1.0 does not know that answer.
    let isContinueExpected: Bool
    /// The announced length of the body, in bytes; nil if it is not announced.
    let announcedBytes: Int?
    let start: Duration
    /// Who has logged in; nil before that is known, and for nobody.
    var account: AccountName?
    /// Bytes of the body that were stored, or were to be.
    var receivedBytes = 0

    /// - Parameter start: by the monotonic clock.
    init(_ head: HTTPRequestHead, from connection: Connection, start: Duration) {
        let headers = head.headers.map { (name: $0.name, value: $0.value) }
        request = ServerRequest(
            head.method.rawValue, Self.path(head.uri), headers: headers, client: connection.client(headers))
        isRead = head.method == .GET || head.method == .HEAD
        // After the head of an upgrade, the parser reads nothing more.
        isKeepAlive = head.isKeepAlive && !head.headers.contains(name: "upgrade") && head.method != .CONNECT
        isContinueExpected =
            head.version != .http1_0 && head.headers["expect"].contains { $0.lowercased() == "100-continue" }
        announcedBytes = head.headers["content-length"].first.flatMap(Int.init)
        self.start = start
    }

    /// The target without scheme and authority: `http://host/config` is `/config` (RFC 9112, 3.2.2).
    private static func path(_ target: String) -> String {
        let bytes = target.utf8
        guard bytes.first != UInt8(ascii: "/") else { return target }
        for scheme in ["http://", "https://"] where target.prefix(scheme.count).lowercased() == scheme {
            let rest = bytes.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
            guard let end, end > rest.startIndex, bytes[end] == UInt8(ascii: "/") else { return target }
            return String(target[end...])
        }
        return target
    }
}
#endif
