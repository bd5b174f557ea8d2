/// Why a message was refused. Nothing here holds a piece of it.
public enum SignalingError: Error, Equatable, Sendable {
    // The nonce.
    /// Shorter than a nonce and a byte. Numbers are bytes.
    case tooShort(minimum: Int, actual: Int)
    /// Longer than the limit.
    case tooLong(limit: Int, actual: Int)
    /// It is for another address.
    case wrongDestination(SignalingAddress)
    /// This address cannot send now.
    case wrongSource(SignalingAddress)
    /// The other side has drawn this side's cookie: it was sent back, or nonces would be used twice.
    case cookieIsOwn
    /// The other side's cookie is another one than before.
    case cookieChanged
    /// The first message of a side has another overflow number than 0.
    case overflowNotZero(UInt16)
    /// A message is missing, or there twice.
    case sequenceNotNext(expected: UInt64, actual: UInt64)
    /// The last sequence number of 48 bits was used. Connect again.
    case sequenceExhausted

    // The content.
    /// A message of this step does not open: keys differ, or it was changed.
    case notAuthentic(Step)
    /// A message of this step opens, but is malformed.
    case message(Step, SignalingContentError)
    /// The other side does not repeat this side's cookie: the message is of another connection.
    case cookieNotRepeated
    /// The server has no signature of its session key, or a wrong one: it does not have the expected permanent key.
    case serverKeyNotProved
    /// A session key equals a permanent one.
    case sessionKeyIsPermanent
    /// A first pairing needs a token, and the one of this client was used.
    case tokenUsed
    /// The other side has tasks twice, too many or none, or no data for one of them.
    case tasks
    /// No task is in both lists.
    case noSharedTask
    /// The initiator has chosen a task that this side does not have.
    case unknownTask

    /// What a message is for.
    public enum Step: Equatable, Sendable {
        case serverHello
        case serverAuth
        /// What the server tells after its handshake.
        case server
        case token
        case key
        case auth
        /// After the handshake with the peer.
        case task
    }
}

/// Why a client does not send.
public enum SignalingSendingError: Error, Equatable, Sendable {
    /// There is no peer with a finished handshake.
    case notPaired
    /// The message is longer than the limit, in bytes.
    case tooLong(limit: Int, actual: Int)
    /// The task does not have this message.
    case otherTask
    /// The last sequence number of 48 bits was used. Connect again.
    case sequenceExhausted
}
