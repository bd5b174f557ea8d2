package import Encodings
internal import SecureMemory

/// One session with a contact. What it can do follows from the keys that it has:
///
///   state  role       ephemeral  chain2  outgoing4, incoming4  Accept waits  meaning
///   L20    initiator     yes      yes            no                 -        Init is sent; sends 2DH
///   L44    initiator     no       no             yes                -        Accept has come; 4DH in both directions
///   R20    responder     no       yes            yes               yes       Accept waits in the outbox
///   R24    responder     no       yes            yes               no        Accept is sent; may still receive 2DH
///   R44    responder     no       no             yes                -        a 4DH message has come
package struct Session: ~Copyable {
    package enum State: String, Sendable {
        case L20, L44, R20, R24, R44
    }

    package let id: SessionID
    /// Whether this side has begun the session.
    package let isInitiator: Bool
    /// The private key of the own ephemeral pair (FSSK). Erased when the session is agreed upon.
    var ephemeral: SecureBytes?
    /// The initiator's 2DH chain: the initiator sends with it, the responder receives.
    package var chain2: Chain?
    package var outgoing4: Chain?
    package var incoming4: Chain?
    /// The number of the Accept in the outbox, until the chat server has it.
    var acceptNumber: UInt64?
    /// The version of messages that are sent with 4DH. It never falls: the receiver refuses that.
    package var version: Version
    /// The newest version that the contact has offered. An older one is a downgrade.
    package var peerOffer: Version
    /// The oldest version that a received 4DH message may have: that of the last one.
    package var incomingMinimum: Version
    /// When the last message was sent with the session, or when it began.
    package var lastSent: Timestamp

    package var state: State {
        if isInitiator { return outgoing4 == nil ? .L20 : .L44 }
        if chain2 == nil { return .R44 }
        return acceptNumber == nil ? .R24 : .R20
    }

    /// Whether the session sends with the keys of both sides.
    package var hasFourDH: Bool { outgoing4 != nil }

    /// The version of the next message, which decides what types of messages the session protects. Before the
    /// contact has answered, only the first version is certain.
    package func applied(_ supported: VersionRange) -> Version {
        hasFourDH ? max(version, min(supported.maximum, peerOffer)) : .v1_0
    }

    /// The chat server has the message with this number in the outbox.
    mutating func noteSent(_ number: UInt64) {
        if acceptNumber == number { acceptNumber = nil }
    }

    /// Whether this program is older than the one that has used the session before.
    func isBeyond(_ supported: VersionRange) -> Bool { hasFourDH && version > supported.maximum }
}

/// What can be read of a session that may be missing.
extension Session? {
    package var id: SessionID? {
        switch self {
        case .some(let session): session.id
        case .none: nil
        }
    }

    package var state: Session.State? {
        switch self {
        case .some(let session): session.state
        case .none: nil
        }
    }

    package var hasFourDH: Bool {
        switch self {
        case .some(let session): session.hasFourDH
        case .none: false
        }
    }

    func isBeyond(_ supported: VersionRange) -> Bool {
        switch self {
        case .some(let session): session.isBeyond(supported)
        case .none: false
        }
    }

    /// Lends the session; nil if it is missing.
    package borrowing func lend<Result: ~Copyable, Failure>(
        _ body: (borrowing Session) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        switch self {
        case .some(let session): try body(session)
        case .none: nil
        }
    }
}

/// Where a contact's sessions are: at most one that each side has begun.
package enum SessionPlace: Sendable {
    case local, remote
}
