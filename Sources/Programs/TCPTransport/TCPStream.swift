public import ByteStreams
internal import Glibc

/// A TCP connection over IPv4 or IPv6. Its calls block until they are finished or their time-out has passed.
public final class TCPStream: ByteStream {
    private let socket: Socket

    /// Connects to a host. Each of its addresses is tried in turn.
    /// - Parameters:
    ///   - host: a name, or an IPv4 or IPv6 address.
    ///   - timeout: of the whole call, with the look-up of the name. An address that does not answer leaves the later
    ///     ones an equal part of it.
    /// - Throws: the failure of the last address: `.refused`, `.unreachable`, `.timedOut(.connect)`, `.system`;
    ///   `.unknownName`, `.noNameServer`, `.timedOut(.lookUp)`.
    public init(host: String, port: UInt16, within timeout: Duration) throws(StreamError) {
        let deadline = ContinuousClock.now + timeout
        let addresses = try SocketAddress.all(of: host, port: port, until: deadline)
        var failure = StreamError.unknownName
        for (index, address) in addresses.enumerated() {
            let now = ContinuousClock.now
            let share = now.duration(to: deadline) / (addresses.count - index)
            do throws(StreamError) {
                socket = try Self.connect(to: address, until: now + share)
                socket.sendAtOnce()
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func connect(
        to address: SocketAddress, until deadline: ContinuousClock.Instant
    ) throws(StreamError) -> Socket {
        let socket = try Socket(family: address.family)
        let result = unsafe address.with { unsafe Glibc.connect(socket.descriptor, $0, $1) }
        if result == 0 { return socket }
        // After a signal the attempt continues, as after EINPROGRESS.
        guard errno == EINPROGRESS || errno == EINTR else { throw StreamError(connecting: errno) }
        guard try socket.wait(for: POLLOUT, until: deadline) else { throw .timedOut(.connect) }
        var code: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &code, &count) == 0 else {
            throw StreamError(errno)
        }
        guard code == 0 else { throw StreamError(connecting: code) }
        return socket
    }

    /// Waits for bytes of the other side, and takes those that have arrived.
    /// - Returns: 1...limit bytes; none at the end of the stream.
    /// - Throws: `.timedOut(.read)`, after which the stream can be used as before; `.closed`, `.system`.
    public func read(upTo limit: Int, within timeout: Duration) throws(StreamError) -> [UInt8] {
        precondition(limit > 0)
        let deadline = ContinuousClock.now + timeout
        while true {
            if let bytes = try socket.receive(upTo: limit) { return bytes }
            guard try socket.wait(for: POLLIN, until: deadline) else { throw .timedOut(.read) }
        }
    }

    /// Sends all bytes.
    /// - Throws: `.timedOut(.write)`, after which a part may have been sent; `.closed`, `.system`.
    public func write(_ bytes: Span<UInt8>, within timeout: Duration) throws(StreamError) {
        let deadline = ContinuousClock.now + timeout
        var sent = 0
        while sent < bytes.count {
            let count = try socket.send(bytes.extracting(sent..<bytes.count))
            sent += count
            if count == 0, try !socket.wait(for: POLLOUT, until: deadline) { throw .timedOut(.write) }
        }
    }

    /// Ends both directions. The descriptor is closed with the last reference to the stream.
    public func close() { socket.end() }
}
