public import Threema

/// What a client learns from a message.
public enum SignalingEvent: Equatable, Sendable {
    /// The server has given this address. An initiator learns who is there, a responder if the initiator is.
    case connected(address: SignalingAddress, peers: [SignalingAddress])
    /// A peer came. An initiator of the same key replaces an earlier one, a responder gets a free address.
    case peerJoined(SignalingAddress)
    /// A peer has left, or the server says so.
    case peerLeft(SignalingAddress)
    /// The initiator drops a responder. The refusal is nil for one that was not needed.
    case dropped(SignalingAddress, CloseCode, SignalingError?)
    /// The handshake with the peer is finished.
    case paired(PairedPeer)
    /// The server could not deliver a message of this client: address and combined sequence number.
    case notDelivered(to: SignalingAddress, sequence: UInt64)
    /// A message of the peer.
    case received(PeerMessage)
    /// The peer closes. The number is nil if it is none of `CloseCode`.
    case peerCloses(CloseCode?)
    /// A message of a responder that this initiator does not know any more was not read.
    case discarded(from: SignalingAddress)
}

/// With whom the handshake was finished, and what was agreed upon.
public struct PairedPeer: Equatable, Sendable {
    /// Its address on the path.
    public let address: SignalingAddress
    /// Its permanent public key. Store it to pair again without a token.
    public let publicKey: PublicKey
    /// The task that both have.
    public let task: SignalingTask
    /// What the peer says for this task.
    public let taskData: MessagePackValue
}

/// What became of a message.
public struct SignalingProgress: Equatable, Sendable {
    /// What has happened, in its order.
    public internal(set) var events: [SignalingEvent] = []
    /// Messages to send, in their order, also before closing.
    public internal(set) var toSend: [[UInt8]] = []
    /// Close the WebSocket with this code; nil if it goes on.
    public internal(set) var close: CloseCode?
    /// Why the connection is over; nil if it goes on, and for an end in good order.
    public internal(set) var failure: SignalingError?
}
