public import Encodings
import Ratchet
public import SecureMemory

// The value of a peer in a session store, of the kind `session` and with the peer's name as its name, 32 digits. Numbers
// are big endian.
//
//   offset  length  meaning
//        0       1  1, the form
//        1      64  the peer's public keys: signing key, DH key
//       65       1  how much of a bundle the peer has signed at most, as in `SignatureForm`; 0 for no bundle
//       66       1  version of the peer's signed messages, 1 or 2
//       67       1  number of sessions, at most 6; the first one sends, the others only receive
//
// Each session, from the newest on:
//
//        0       8  when it began, Unix milliseconds
//        8       8  when another one has replaced it, Unix milliseconds; 0 for the first
//       16       4  length n of its record
//       20       n  the record of `PairSession`

/// What a program stores of a peer: its keys, what it has proved, and the sessions with it.
///
/// It is one value of a session store, so that a step of a session is stored in one transaction. `keytool-lab sophaxchat
/// show-session` shows what is in it.
public struct PeerRecord: Sendable {
    /// The kind of the value in a session store.
    public static let kind: StaticString = "session"
    /// Most sessions that have been replaced and still receive.
    public static let maxReplaced = 5
    /// How long a replaced session receives.
    public static let replacedAge: Duration = .days(7)

    private static let form: UInt8 = 1
    private static let headCount = 68
    private static let sessionHeadCount = 20

    /// The public keys of the peer, which all sessions of the record are with.
    public let peer: PublicIdentity
    /// How much of a bundle the peer has signed at most: `pinned` of the next check. Nil if there was no bundle.
    public var bundleForm: SignatureForm?
    /// The highest version of the peer's signed messages: `pinned` of the next message.
    public var version: WireMessage.Version
    private let own: PublicIdentity
    private var sessions: [Entry] = []

    private struct Entry: Sendable {
        let began: Timestamp
        var replaced: Timestamp?
        /// The record of a `PairSession`.
        var record: HeldKey
    }

    /// Begins without sessions.
    /// - Parameter version: the highest that the peer has signed; `.one` if that is not known.
    public init(
        _ peer: PublicIdentity, of own: PublicIdentity, bundleForm: SignatureForm? = nil,
        version: WireMessage.Version = .one
    ) {
        self.peer = peer
        self.own = own
        self.bundleForm = bundleForm
        self.version = version
    }

    /// The name of the value.
    /// - Parameter peer: 32 digits, also for apps that use 16 in places.
    public static func name(of peer: PeerID) -> [UInt8] { peer.bytes }

    // MARK: Sessions

    /// How many sessions there are. The first one sends.
    public var count: Int { sessions.count }

    /// Adds a session, which sends from now on. The former ones receive for 7 days, five of them at most.
    public mutating func begin(_ session: borrowing PairSession, at now: Timestamp) {
        expire(at: now)
        if !sessions.isEmpty { sessions[0].replaced = now }
        sessions.insert(Entry(began: now, replaced: nil, record: HeldKey(session.encoded())), at: 0)
        sessions.removeLast(max(0, sessions.count - 1 - Self.maxReplaced))
    }

    /// Sets a session after a step.
    /// - Parameter index: below `count`.
    public mutating func set(_ index: Int, to session: borrowing PairSession) {
        sessions[index].record = HeldKey(session.encoded())
    }

    /// A session, to seal or to open with it; `set` it before what it has made leaves.
    /// - Parameter index: below `count`.
    public func session(_ index: Int) throws(StoredRecordError) -> PairSession {
        try Self.decode(sessions[index], own, peer)
    }

    /// Removes sessions that were replaced 7 days ago.
    public mutating func expire(at now: Timestamp) {
        sessions.removeAll { entry in entry.replaced.map { now - $0 >= Self.replacedAge } ?? false }
    }

    /// Ends all sessions, as a copied or restored store has to. What the peer has proved stays.
    public mutating func endSessions() { sessions = [] }

    private static func decode(
        _ entry: Entry, _ own: PublicIdentity, _ peer: PublicIdentity
    ) throws(StoredRecordError) -> PairSession {
        try entry.record.bytes.withBytes { (record) throws(StoredRecordError) in
            try PairSession(decoding: record, of: own, with: peer)
        }
    }

    // MARK: Facts

    /// What is known of a session without its keys.
    public struct Facts: Equatable, Sendable {
        /// When the session began, by this side's clock.
        public let began: Timestamp
        /// When another one has replaced it; nil if it sends.
        public let replaced: Timestamp?
        /// The form of its header boxes.
        public let form: HeaderForm
        /// Whether it can send now: false for a responder that has not received yet.
        public let canSend: Bool
        /// Messages of its chains, and keys of messages that were skipped.
        public let counts: StoredSession.Summary
        /// Length of its record in bytes.
        public let bytes: Int
    }

    /// The facts of all sessions, from the newest on.
    public func facts() throws(StoredRecordError) -> [Facts] {
        var facts: [Facts] = []
        for entry in sessions {
            let session = try Self.decode(entry, own, peer)
            facts.append(
                Facts(
                    began: entry.began, replaced: entry.replaced, form: session.form, canSend: session.canSend,
                    counts: session.counts, bytes: entry.record.bytes.count))
        }
        return facts
    }

    // MARK: The record

    /// The value to store, with the keys of all sessions.
    public func encoded() -> SecureBytes {
        var buffer = SecureBuffer(
            capacity: sessions.reduce(Self.headCount) { $0 + Self.sessionHeadCount + $1.record.bytes.count })
        let head =
            [Self.form] + peer.code + [bundleForm?.rawValue ?? 0, version == .one ? 1 : 2, UInt8(sessions.count)]
        buffer.append(head.span)
        for entry in sessions {
            var clear: [UInt8] = []
            clear.appendNumber(entry.began.milliseconds)
            clear.appendNumber(entry.replaced?.milliseconds ?? 0)
            clear.appendNumber(UInt32(entry.record.bytes.count))
            buffer.append(clear.span)
            buffer.append(entry.record.bytes)
        }
        return buffer.finish()
    }

    /// Reads a stored value.
    /// - Parameter own: the identity in whose store it is.
    /// - Throws: `.malformed`, `.unknownForm`.
    public init(decoding record: Span<UInt8>, of own: PublicIdentity) throws(StoredRecordError) {
        var reader = RecordReader(record.count)
        let form = record[try reader.take(1).lowerBound]
        guard form == Self.form else { throw .unknownForm(form) }
        let code = record.extracting(try reader.take(64)).revealBytes()
        let proved = record.extracting(try reader.take(3)).revealBytes()
        guard let peer = PublicIdentity(code: code), proved[0] == 0 || SignatureForm(rawValue: proved[0]) != nil,
            (1...2).contains(proved[1]), proved[2] <= 1 + Self.maxReplaced
        else { throw .malformed }
        self.init(
            peer, of: own, bundleForm: SignatureForm(rawValue: proved[0]), version: proved[1] == 1 ? .one : .two)
        for index in 0..<Int(proved[2]) {
            let began = Timestamp(milliseconds: Int64(bitPattern: record.number(try reader.take(8))))
            let replaced = Int64(bitPattern: record.number(try reader.take(8)))
            let count = record.number(try reader.take(4))
            guard (replaced == 0) == (index == 0), count <= UInt64(record.count) else { throw .malformed }
            let entry = Entry(
                began: began, replaced: replaced == 0 ? nil : Timestamp(milliseconds: replaced),
                record: HeldKey(SecureBytes(copying: record.extracting(try reader.take(Int(count))))))
            _ = try Self.decode(entry, own, peer)
            sessions.append(entry)
        }
        guard reader.rest.isEmpty else { throw .malformed }
    }
}
