internal import AtomicFiles
internal import ByteStreams
internal import Glibc
internal import Synchronization

/// A host and port as the kernel takes them.
struct SocketAddress: Sendable {
    /// AF_INET or AF_INET6.
    let family: Int32
    /// A `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]

    /// Calls the kernel with the address.
    func with(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe call(buffer.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count))
        }
    }

    /// The port of a bound socket.
    static func port(of socket: Socket) throws(StreamError) -> UInt16 {
        var storage = sockaddr_storage()
        var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(socket.descriptor, $0, &count)
            }
        }
        guard result == 0 else { throw StreamError(errno) }
        // It is at the same place in both families, in network order.
        return unsafe withUnsafeBytes(of: &storage) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    /// The addresses of a host, in the order in which the system prefers them.
    /// - Parameter host: a name, or an IPv4 or IPv6 address.
    /// - Throws: `.unknownName`, `.noNameServer`, `.timedOut(.lookUp)`.
    static func all(
        of host: String, port: UInt16, until deadline: ContinuousClock.Instant
    ) throws(StreamError) -> [SocketAddress] {
        // An address needs no name server and no thread.
        let (code, found) = ask(host, port, flags: AI_NUMERICHOST)
        if code == 0 { return found }
        let question = Question(host, port)
        guard DetachedThread.start({ question.ask() }) else { throw .noNameServer }
        let pause: UInt32 = 2_000  // microseconds
        while ContinuousClock.now < deadline {
            if let (code, found) = question.answer.withLock({ $0 }) {
                guard code != EAI_AGAIN else { throw .noNameServer }
                guard code == 0, !found.isEmpty else { throw .unknownName }
                return found
            }
            usleep(pause)
        }
        throw .timedOut(.lookUp)
    }

    private static func ask(_ host: String, _ port: UInt16, flags: Int32) -> (code: Int32, [SocketAddress]) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = flags | AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &first)
        guard code == 0 else { return (code, []) }
        defer { unsafe freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next = unsafe first
        while let info = unsafe next?.pointee {
            unsafe next = info.ai_next
            guard unsafe info.ai_family == AF_INET || info.ai_family == AF_INET6 else { continue }
            let address = unsafe UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
            found.append(unsafe SocketAddress(family: info.ai_family, bytes: [UInt8](address)))
        }
        return (0, found)
    }

    /// Looks a name up on a thread of its own, because the C library may take a minute.
    private final class Question: Sendable {
        let host: String
        let port: UInt16
        let answer = Mutex<(code: Int32, [SocketAddress])?>(nil)

        init(_ host: String, _ port: UInt16) {
            self.host = host
            self.port = port
        }

        func ask() {
            let found = SocketAddress.ask(host, port, flags: AI_ADDRCONFIG)
            answer.withLock { $0 = found }
        }
    }
}
