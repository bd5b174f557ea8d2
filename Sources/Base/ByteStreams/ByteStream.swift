/// The port to a connection that carries bytes in both directions.
///
/// One thread may read while another one writes, and any thread may close.
public protocol ByteStream: AnyObject, Sendable {
    /// Waits for bytes of the other side.
    /// - Parameters:
    ///   - limit: most bytes to return, 1 or more.
    ///   - timeout: how long to wait; `.zero` returns only what has arrived.
    /// - Returns: 1...limit bytes; none if the other side has ended the connection and everything is read.
    /// - Throws: `.timedOut(.read)`, after which the stream can be used as before; `.closed`, `.system`.
    func read(upTo limit: Int, within timeout: Duration) throws(StreamError) -> [UInt8]

    /// Sends all bytes.
    /// - Parameter timeout: of the whole call.
    /// - Throws: `.timedOut(.write)`, after which a part may have been sent; `.closed`, `.system`.
    func write(_ bytes: Span<UInt8>, within timeout: Duration) throws(StreamError)

    /// Ends the connection. A call that waits on another thread returns.
    func close()
}

/// Why there is no connection, or why it carries no bytes.
public enum StreamError: Error, Equatable, Sendable {
    /// The call, or the part of a connection's beginning, that took longer than its time-out.
    public enum Step: Equatable, Sendable {
        case lookUp, connect, read, write
    }

    case timedOut(Step)
    /// Nobody listens at the port.
    case refused
    /// There is no way to the address.
    case unreachable
    /// There is no such name or address.
    case unknownName
    /// No name server answers.
    case noNameServer
    /// Somebody else listens at the port, or this account may not.
    case portNotAvailable
    /// The other side or this one has closed the connection.
    case closed
    /// Another failure of the system: its `errno`.
    case system(code: Int32)
}
