internal import ByteStreams
internal import CLinux
internal import Glibc

/// A socket that does not block. The kernel's descriptor is closed with the last reference, so that no thread uses the
/// descriptor of another file.
final class Socket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// - Parameter family: AF_INET or AF_INET6.
    convenience init(family: Int32) throws(StreamError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw StreamError(errno) }
        self.init(descriptor)
    }

    deinit { Glibc.close(descriptor) }

    /// Sends small pieces at once: frames wait for answers. Best effort.
    func sendAtOnce() {
        var yes: Int32 = 1
        unsafe setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Ends both directions, so that waiting calls return.
    func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Tells the other side that nothing more is sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits until the socket can be read or written.
    /// - Parameter events: POLLIN or POLLOUT.
    /// - Returns: false if the deadline has come.
    func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(StreamError) -> Bool {
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = unsafe poll(&entry, 1, Self.milliseconds(ContinuousClock.now.duration(to: deadline)))
            if count > 0 { return true }
            if count < 0 && errno != EINTR { throw StreamError(errno) }
            if count == 0 && ContinuousClock.now >= deadline { return false }
        }
    }

    /// What poll(2) waits: rounded up, so that it does not return just before the deadline. Long waits end earlier.
    static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0 && attoseconds >= 0 else { return 0 }
        let rest = Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return Int32(min(seconds, 1_000_000)) * 1000 + rest
    }

    /// Reads what has arrived.
    /// - Returns: nil if nothing has; no bytes at the end of the stream.
    func receive(upTo limit: Int) throws(StreamError) -> [UInt8]? {
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, used in
                unsafe count = recv(descriptor, buffer.baseAddress, limit, 0)
                used = max(count, 0)
            }
            if count >= 0 { return bytes }
            if errno == EAGAIN { return nil }
            if errno != EINTR { throw StreamError(errno) }
        }
    }

    /// Sends as much as the kernel takes.
    /// - Returns: the number of bytes, 0 if the kernel takes none.
    func send(_ bytes: Span<UInt8>) throws(StreamError) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            if errno != EINTR { throw StreamError(errno) }
        }
    }
}

extension StreamError {
    /// - Parameter code: an `errno`.
    init(_ code: Int32) {
        self =
            switch code {
            case ECONNREFUSED: .refused
            case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT: .unreachable
            case EADDRINUSE, EACCES: .portNotAvailable
            case ECONNRESET, EPIPE, ENOTCONN, ECONNABORTED: .closed
            default: .system(code: code)
            }
    }

    /// - Parameter code: the `errno` of connect(2). Only there is ETIMEDOUT a time-out of connecting: an open connection
    ///   ends with it if the other side does not acknowledge.
    init(connecting code: Int32) { self = code == ETIMEDOUT ? .timedOut(.connect) : StreamError(code) }
}
