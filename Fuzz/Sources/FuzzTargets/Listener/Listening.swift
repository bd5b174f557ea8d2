import Glibc
import NIOCore
import NIOPosix
@testable import SafeServerHTTP

/// Connections of the server's listener, in this process, over a pair of sockets: all from the end of a TLS handshake on.
///
/// After each connection, all that it had counts for nothing any more. One client may have one connection only, so that one
/// that is still counted has the next one refused.
enum Listening {
    /// What arrives on a connection of HTTP/1.1.
    static func http1(_ bytes: [UInt8]) {
        let answer = exchange(bytes, .http1)
        HTTP1Judge(bytes).check(answer)
    }

    /// Frames of HTTP/2, as `HTTP2Frames` reads them.
    static func http2(_ bytes: [UInt8]) {
        let answer = exchange(HTTP2Frames(bytes).encoded, .http2)
        expect(answer.isEmpty || answer.count > 9 && answer[3] == 4, "the first frame of a server is SETTINGS")
    }

    private enum Version { case http1, http2 }

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private static let setup = ConnectionSetup(service: Answering.service, certificate: nil)

    /// Sends the bytes and no more, and returns all that comes back until the server closes.
    private static func exchange(_ bytes: [UInt8], _ version: Version) -> [UInt8] {
        Answering.shared.forget()
        var ends: [Int32] = [0, 0]
        expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, "there are sockets")
        let channel = try! ClientBootstrap(group: group)
            // As Hummingbird has it for HTTP/1.1, and a handshake for HTTP/2.
            .channelOption(.allowRemoteHalfClosure, value: version == .http1)
            .channelInitializer { channel in
                setup.setup(channel) { channel, connection in
                    switch version {
                    case .http1: try setup.startHTTP1(channel, connection)
                    case .http2: try setup.startHTTP2(channel, connection)
                    }
                }.map { _ in }
            }
            .withConnectedSocket(ends[0]).wait()
        var client = Client(socket: ends[1])
        client.send(bytes)
        // HTTP/2 ends with its connection; so that answers come before, the server has time for some round trips.
        for number: UInt8 in 0..<(version == .http2 ? 3 : 0) where !client.ping(number) { break }
        shutdown(ends[1], Int32(SHUT_WR))
        client.receiveAll()
        close(ends[1])
        try! channel.closeFuture.wait()
        Answering.shared.expectNothingTaken()
        return client.received
    }
}

/// The other side of a connection.
private struct Client {
    let socket: Int32
    private(set) var received: [UInt8] = []
    private var isOver = false

    /// Only a connection that hangs reaches it, in seconds.
    private static let longest = 60

    init(socket: Int32) {
        self.socket = socket
        var time = timeval(tv_sec: Self.longest, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    mutating func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // The server has closed.
            guard count > 0 else { return expect(errno != EAGAIN, "the server reads") }
            rest = rest.dropFirst(count)
        }
    }

    /// A PING with this number.
    /// - Returns: whether it was answered; false if the server has closed.
    mutating func ping(_ number: UInt8) -> Bool {
        let content: [UInt8] = [7, 7, 7, 7, 7, 7, 7, number]
        let start = received.count
        send([0, 0, 8, 6, 0, 0, 0, 0, 0] + content)
        let answer: [UInt8] = [0, 0, 8, 6, 1, 0, 0, 0, 0] + content
        while !received[start...].indices.contains(where: { received[$0...].starts(with: answer) }) {
            receive()
            if isOver { return false }
        }
        return true
    }

    mutating func receiveAll() { while !isOver { receive() } }

    private mutating func receive() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &bytes, bytes.count, 0)
        expect(count >= 0 || errno != EAGAIN, "the server answers or closes")
        isOver = count <= 0
        received += bytes.prefix(max(count, 0))
    }
}
