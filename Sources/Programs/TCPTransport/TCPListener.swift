public import ByteStreams
internal import CLinux
internal import Glibc

/// A port on which clients connect.
public final class TCPListener: Sendable {
    /// The port, also if the system chose it.
    public let port: UInt16
    let socket: Socket
    /// A byte in it ends `serve`.
    let wake: (read: Socket, write: Socket)

    /// Listens on an address.
    /// - Parameters:
    ///   - address: an IPv4 or IPv6 address: `127.0.0.1` and `::1` for clients on this machine only.
    ///   - port: 0 for a free one.
    /// - Throws: `.portNotAvailable`, `.unreachable` if the machine does not have the address, `.unknownName`.
    public init(address: String = "127.0.0.1", port: UInt16 = 0) throws(StreamError) {
        let addresses = try SocketAddress.all(of: address, port: port, until: .now + .seconds(10))
        let socket = try Socket(family: addresses[0].family)
        var yes: Int32 = 1
        // After a restart, connections of the former process may be open for a minute. Best effort.
        unsafe setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe addresses[0].with({ unsafe bind(socket.descriptor, $0, $1) }) == 0,
            listen(socket.descriptor, SOMAXCONN) == 0
        else { throw StreamError(errno) }
        var ends: [Int32] = [0, 0]
        guard unsafe keytool_pipe(&ends) == 0 else { throw StreamError(errno) }
        wake = (Socket(ends[0]), Socket(ends[1]))
        self.port = try SocketAddress.port(of: socket)
        self.socket = socket
    }

    /// Serves clients on this thread until `stop` is called. Then all connections are closed.
    /// - Parameter maxConnections: others wait until one of them ends.
    /// - Throws: `.system` if the listener fails. A failure of a connection ends that connection only.
    public func serve(_ handler: some StreamHandler, maxConnections: Int = 256) throws(StreamError) {
        try serve(handler, maxConnections: maxConnections, drainTimeout: .seconds(10))
    }

    /// - Parameter drainTimeout: how long a client may take to read what is sent before its connection is closed.
    func serve(
        _ handler: some StreamHandler, maxConnections: Int, drainTimeout: Duration
    ) throws(StreamError) {
        var loop = ServingLoop(
            listener: self, handler: handler, maxConnections: maxConnections, drainTimeout: drainTimeout)
        while try loop.turn() {}
    }

    /// Ends `serve`, from any thread.
    public func stop() {
        let byte: UInt8 = 0
        _ = unsafe withUnsafePointer(to: byte) { unsafe Glibc.write(wake.write.descriptor, $0, 1) }
    }

    /// What accept(2) gives.
    enum Accepted {
        case client(Socket)
        /// Nobody waits any more.
        case nobody
        /// The limit of open files or of memory is reached. The client still waits, so poll(2) returns at once.
        case noRoom
    }

    func accept() throws(StreamError) -> Accepted {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = keytool_accept(socket.descriptor, flags)
        return descriptor >= 0 ? .client(Socket(descriptor)) : try Self.notAccepted(errno)
    }

    /// - Parameter code: the `errno` of accept(2). On Linux it may be that of the new connection, which is dropped.
    /// - Throws: if the listener itself fails.
    static func notAccepted(_ code: Int32) throws(StreamError) -> Accepted {
        switch code {
        case EAGAIN, EINTR, ECONNABORTED: .nobody
        case EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET, ENOPROTOOPT, EOPNOTSUPP, EPERM: .nobody
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .noRoom
        default: throw StreamError(code)
        }
    }
}
