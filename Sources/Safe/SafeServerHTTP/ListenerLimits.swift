/// What clients may take of a listener. Its memory is bounded by `memory`, whose parts the manual lists:
///
///     connections   512 · (TLS 128 KiB + read 16 KiB + head 32 KiB + HTTP/2 window 64 KiB)   120 MiB
///     uploads       those being received and stored                                           64 MiB
///     answers       those being sent                                                          16 MiB
///     throttle      two tables of clients and backups each                                    20 MiB
///     hashes        of two passwords                                                          32 MiB
///
/// Beyond that are the program itself and what each of the threads needs for one request.
package struct ListenerLimits: Sendable {
    /// Most open connections. Another one takes the place of one without a request (`ConnectionTable`); if all have
    /// one, it waits in the kernel's queue. For a moment, there may be `OpenConnections.maxPassing` more.
    package var maxConnections = 512
    /// Most open connections of one client; more are closed at once. A proxy is not a client.
    package var maxConnectionsPerClient = 64
    /// Most bytes of all bodies that are being received or stored.
    package var maxBodyMemory = 64 * mebibyte
    /// Longest body of an upload, in bytes. One client may take a quarter of `maxBodyMemory`, but at least this.
    package var maxBodyBytes = 512 * 1024
    /// Most bytes of a head, and of each of its fields.
    package var maxHeadBytes = 16 * 1024
    /// Most fields of a head.
    package var maxHeadFields = 64
    /// The time for a handshake, and then for the first head.
    package var headTime = Duration.seconds(15)
    /// The time for each further head of a connection.
    package var idleTime = Duration.seconds(60)
    /// The time for a body, beside that by its length.
    package var bodyTime = Duration.seconds(30)
    /// Fewest bytes of a body in a second, in both directions.
    package var minBodyRate = 8 * 1024
    /// The time in which a client may send what nobody reads, and take the last answer.
    package var lingerTime = Duration.seconds(5)
    /// Most bytes of a refused body that are read, so that the client gets the answer.
    package var maxRefusedBytes = 1024 * 1024
    /// Threads that read from the store, and as many others that write to it.
    package var workers = 16
    /// Most reads, and most writes, that wait for one of these threads.
    package var maxWaiting = 256
    /// The time for which a request waits for one of these threads, before it is answered with 503.
    package var maxWait = Duration.seconds(5)
    /// Most requests of one HTTP/2 connection at once.
    package var maxStreams = 16
    /// Most streams of one HTTP/2 connection that its client resets in 30 seconds; a proxy may reset more.
    package var maxResets = 2 * 240

    /// The standard limits.
    package init() {}

    private static let mebibyte = 1024 * 1024
    /// The memory of a connection: TLS, what is read at once, a head, and the window of HTTP/2.
    private static let connectionMemory = (128 + 16 + 32 + 64) * 1024
    /// Of the two tables of clients, and the two of backups.
    private static let throttleMemory = 20 * mebibyte
    /// Of two hashes of passwords at the standard cost.
    private static let hashMemory = 32 * mebibyte

    /// The longest body of an answer: stores also serve backups that are longer than an upload may be today.
    private var maxAnswerBytes: Int { max(maxBodyBytes, 4 * Self.mebibyte) }

    /// Most bytes of all bodies that are being sent: a quarter of those of uploads, but at least the longest one.
    var maxAnswerMemory: Int { max(maxBodyMemory / BodyMemory.shares, maxAnswerBytes) }

    /// The parts of the memory that clients can make the server use, in bytes.
    var memory: [Int] {
        [maxConnections * Self.connectionMemory, maxBodyMemory, maxAnswerMemory, Self.throttleMemory, Self.hashMemory]
    }

    /// Open files beside the connections: those of the program, of the listener of metrics, and of threads that read and
    /// write.
    private var otherFiles: Int { 64 + 16 + OpenConnections.maxPassing + 8 * workers }

    /// Lowers the number of connections to what so many open files allow: beyond that, others would wait in the
    /// kernel's queue without a word. A quarter of the files is used in any case.
    /// - Returns: whether it was lowered.
    package mutating func lowerConnections(toFiles files: Int) -> Bool {
        let possible = max(files - otherFiles, files / 4, 1)
        guard possible < maxConnections else { return false }
        maxConnections = possible
        return true
    }

    /// The time for a whole request: its head, two waits for a thread, its body, and the longest answer.
    var requestTime: Duration {
        headTime + maxWait * 2 + time(for: maxBodyBytes) + time(for: maxAnswerBytes) + lingerTime
    }

    /// The time for so much of a body.
    func time(for bytes: Int) -> Duration { bodyTime + .seconds(bytes / minBodyRate) }
}
