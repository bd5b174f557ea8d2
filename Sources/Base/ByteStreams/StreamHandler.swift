/// A server's half of many streams, without I/O: it is told what happens on each, and says what to do.
///
/// Connections are named by numbers, which are not used again. Times are on a clock that never goes back.
public protocol StreamHandler: AnyObject {
    /// A client has connected.
    func opened(_ connection: Int, at now: Duration) -> [StreamAction]

    /// A client has sent bytes, in pieces of any length.
    func received(_ bytes: Span<UInt8>, from connection: Int, at now: Duration) -> [StreamAction]

    /// The system has taken everything that was to be sent. A handler that has much to send sends a part of it and
    /// waits for this, so that it is not kept twice.
    func drained(_ connection: Int, at now: Duration) -> [StreamAction]

    /// The connection is over, closed by either side.
    func closed(_ connection: Int, at now: Duration) -> [StreamAction]

    /// When `due` has to be called; nil for never.
    var deadline: Duration? { get }

    /// The deadline has come.
    func due(at now: Duration) -> [StreamAction]
}

/// What a handler wants of the program that serves its connections. Actions are carried out in their order.
public enum StreamAction: Equatable, Sendable {
    /// Bytes for a client. They are ignored if the connection is over.
    case send([UInt8], to: Int)
    /// Closes a connection after everything before is sent.
    case close(Int)
}
