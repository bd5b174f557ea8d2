internal import ByteStreams
internal import Glibc

/// All connections of a listener on one thread: waits for what can be read or written, asks the handler, and obeys.
struct ServingLoop<Handler: StreamHandler> {
    /// Most bytes to read of one connection in one turn.
    private static var pieceBytes: Int { 65_536 }
    /// The memory that a connection keeps for the next bytes to send.
    private static var keptBytes: Int { 512 << 10 }
    /// A client that lets more than this wait is not read until it reads.
    private static var maxUnsentBytes: Int { 1 << 20 }
    /// How long a client may take to close a connection that is closed here. If unread bytes were in the kernel, it
    /// would drop what was just sent.
    private static var linger: Duration { .seconds(2) }
    /// How long nobody is accepted after the limit of open files or of memory was reached.
    private static var pause: Duration { .milliseconds(100) }

    private final class Connection {
        let socket: Socket
        var unsent: [UInt8] = []
        var sent = 0
        /// Nothing is added, and what arrives is discarded: it ends when `unsent` is sent and the client has closed.
        var isClosing = false
        /// When it ends although the client has not read everything, or has not closed.
        var end: Duration?

        init(_ socket: Socket) { self.socket = socket }

        var isDrained: Bool { sent == unsent.count }

        /// - Returns: how many bytes the kernel has taken.
        func send() throws(StreamError) -> Int {
            let bytes = unsent
            let count = try socket.send(bytes.span.extracting(sent..<bytes.count))
            sent += count
            return count
        }
    }

    private let listener: TCPListener
    private let handler: Handler
    private let maxConnections: Int
    /// How long a client may take to read what is sent before its connection is closed here. Without a limit, a client
    /// that never reads would keep its place as long as its kernel answers.
    private let drainTimeout: Duration
    private let start = ContinuousClock.now
    private var connections: [Int: Connection] = [:]
    private var lastNumber = 0
    /// When clients are accepted again; nil if they are.
    private var pauseEnd: Duration?
    /// Those whose handler is to be told that everything is sent.
    private var drained: Set<Int> = []

    init(listener: TCPListener, handler: Handler, maxConnections: Int, drainTimeout: Duration) {
        self.listener = listener
        self.handler = handler
        self.maxConnections = maxConnections
        self.drainTimeout = drainTimeout
    }

    private var now: Duration { start.duration(to: .now) }

    /// Waits, and does what can be done then.
    /// - Returns: false after `stop`.
    mutating func turn() throws(StreamError) -> Bool {
        let numbers = Array(connections.keys)
        var entries = [pollfd(fd: listener.wake.read.descriptor, events: Int16(POLLIN), revents: 0)]
        if let end = pauseEnd, now >= end { pauseEnd = nil }
        let accepts = connections.count < maxConnections && pauseEnd == nil
        entries.append(pollfd(fd: accepts ? listener.socket.descriptor : -1, events: Int16(POLLIN), revents: 0))
        for number in numbers { entries.append(entry(of: connections[number]!)) }
        guard unsafe poll(&entries, nfds_t(entries.count), timeout) >= 0 || errno == EINTR else {
            throw StreamError(errno)
        }
        if entries[0].revents != 0 { return false }
        if entries[1].revents != 0 { try accept() }
        for (number, entry) in zip(numbers, entries.dropFirst(2)) where entry.revents != 0 {
            serve(number, entry.revents)
        }
        let told = drained
        drained = []
        for number in told where connections[number] != nil { obey(handler.drained(number, at: now)) }
        if let deadline = handler.deadline, now >= deadline { obey(handler.due(at: now)) }
        for (number, connection) in connections where connection.end.map({ now >= $0 }) == true { remove(number) }
        return true
    }

    private func entry(of connection: Connection) -> pollfd {
        let unsent = connection.unsent.count - connection.sent
        let reads = connection.isClosing || unsent <= Self.maxUnsentBytes
        let events = (reads ? POLLIN : 0) | (unsent > 0 ? POLLOUT : 0)
        return pollfd(fd: connection.socket.descriptor, events: Int16(events), revents: 0)
    }

    /// Milliseconds for poll(2); -1 for ever.
    private var timeout: Int32 {
        guard drained.isEmpty else { return 0 }
        var first = handler.deadline
        if let end = pauseEnd { first = min(first ?? end, end) }
        for connection in connections.values {
            if let end = connection.end { first = min(first ?? end, end) }
        }
        return first.map { Socket.milliseconds($0 - now) } ?? -1
    }

    private mutating func accept() throws(StreamError) {
        switch try listener.accept() {
        case .client(let socket): open(socket)
        case .nobody: break
        case .noRoom: pauseEnd = now + Self.pause
        }
    }

    private mutating func open(_ socket: Socket) {
        lastNumber += 1
        socket.sendAtOnce()
        connections[lastNumber] = Connection(socket)
        obey(handler.opened(lastNumber, at: now))
    }

    private mutating func serve(_ number: Int, _ events: Int16) {
        guard let connection = connections[number] else { return }
        if events & Int16(POLLOUT) != 0 { flush(number, connection) }
        guard connections[number] != nil, events & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { return }
        guard let bytes = try? connection.socket.receive(upTo: Self.pieceBytes) else {
            // Nothing has arrived: the kernel reports a failure.
            if events & Int16(POLLHUP | POLLERR) != 0 { remove(number) }
            return
        }
        if bytes.isEmpty { return remove(number) }
        if !connection.isClosing { obey(handler.received(bytes.span, from: number, at: now)) }
    }

    private mutating func obey(_ actions: [StreamAction]) {
        var changed: [Int] = []
        for action in actions {
            switch action {
            case .send(let bytes, to: let number):
                guard let connection = connections[number], !connection.isClosing else { continue }
                connection.unsent += bytes
                if changed.last != number { changed.append(number) }
            case .close(let number):
                guard let connection = connections[number], !connection.isClosing else { continue }
                connection.isClosing = true
                connection.end = now + drainTimeout
                changed.append(number)
            }
        }
        for number in changed {
            if let connection = connections[number] { flush(number, connection) }
        }
    }

    /// Sends what the kernel takes.
    private mutating func flush(_ number: Int, _ connection: Connection) {
        while !connection.isDrained {
            guard let count = try? connection.send() else { return remove(number) }
            if count == 0 { return }
        }
        // The memory of a large answer is not kept.
        connection.unsent.removeAll(keepingCapacity: connection.unsent.count <= Self.keptBytes)
        connection.sent = 0
        guard connection.isClosing else {
            drained.insert(number)
            return
        }
        connection.socket.endSending()
        connection.end = now + Self.linger
    }

    private mutating func remove(_ number: Int) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        connection.socket.end()
        drained.remove(number)
        obey(handler.closed(number, at: now))
    }
}
