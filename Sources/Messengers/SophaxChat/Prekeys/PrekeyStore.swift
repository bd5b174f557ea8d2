public import Encodings
internal import ObservedTime
internal import Primitives
public import Ratchet
internal import SecureMemory

/// One's own prekeys: signed ones with their last-resort keys, and the pool of one-time ones. It is a value without
/// I/O: store `encoded()` before public keys leave, and in the transaction of a session that has used one.
public struct PrekeyStore: ~Copyable, Sendable {
    /// A signed prekey is replaced after this time.
    public static let rotation: Duration = .days(7)
    /// The one before is kept for this time after that, as the clock of the store has observed it.
    public static let retention: Duration = .days(14)
    /// The pool: 20 keys, with random numbers.
    public static let rules = PrekeyPool.Rules(numbering: .random, batch: poolCount, rest: .days(30))
    /// One-time prekeys of a full pool.
    public static let poolCount = 20

    struct Signed: Sendable {
        let id: UInt32
        var made: ObservedTimestamp
        let key: HeldKey
        let lastResort: HeldKey
        /// When another one has replaced it; nil for the current one only.
        var replaced: ObservedTimestamp?
    }

    /// What replaced prekeys get old by, beside the wall clock: a wrong reading of that lets one be dropped a week early at
    /// most.
    var clock: ObservedClock
    /// From old to new; the last one is the current one.
    var signed: [Signed]
    var pool: PrekeyPool
    /// Ephemeral keys of those who have begun a session.
    public internal(set) var seen: SeenEphemerals

    /// Makes a signed prekey, a last-resort key and a full pool of one-time prekeys.
    public init(at now: Timestamp) {
        clock = ObservedClock()
        signed = [Self.draw([], at: clock.read(now))]
        pool = PrekeyPool(Self.rules)
        seen = SeenEphemerals()
        _ = pool.refill(at: now)
    }

    /// The same prekeys.
    private init(copying other: borrowing PrekeyStore) {
        clock = other.clock
        signed = other.signed
        // No prekey is used, so nothing is missing, and the time is not read.
        pool = other.pool.after(using: nil, at: other.signedMade)!
        seen = other.seen
    }

    /// The prekeys of another machine for this one: none was made or replaced later than now.
    package borrowing func corrected(at now: Timestamp) -> PrekeyStore {
        var copy = PrekeyStore(copying: self)
        _ = copy.correctTimes(at: now)
        return copy
    }

    static func draw(_ others: [Signed], at now: ObservedTimestamp) -> Signed {
        while true {
            let id = Random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard id != 0, !others.contains(where: { $0.id == id }) else { continue }
            return Signed(
                id: id, made: now, key: HeldKey(Random.secret(32)), lastResort: HeldKey(Random.secret(32)),
                replaced: nil)
        }
    }

    /// Number of the current signed prekey.
    public var signedID: UInt32 { signed[signed.count - 1].id }
    /// When the current signed prekey was made.
    public var signedMade: Timestamp { signed[signed.count - 1].made.wall }
    /// One-time prekeys that are left.
    public var oneTimeCount: Int { pool.count }
    /// The current signed prekey, 32 bytes.
    public var signedPublic: [UInt8] { Self.publicKey(signed[signed.count - 1].key) }
    /// The current last-resort key, 32 bytes.
    public var lastResortPublic: [UInt8] { Self.publicKey(signed[signed.count - 1].lastResort) }

    static func publicKey(_ key: HeldKey) -> [UInt8] { key.bytes.withBytes { X25519.publicKey(of: $0) } }

    /// The one-time prekeys that are left.
    public borrowing func oneTimePrekeys() -> [PrekeyPool.PublicPrekey] { pool.publicPrekeys() }

    /// Numbers of the one-time prekeys that are left, in order.
    public var oneTimeIDs: [UInt32] { pool.publicPrekeys().map(\.id) }

    /// The one-time prekey with this number; nil if it is not left.
    public borrowing func oneTimePrekey(_ id: UInt32) -> PrekeyPool.PublicPrekey? {
        pool.publicPrekeys().first { $0.id == id }
    }

    /// A signed prekey: its number, and when it was made and replaced.
    public struct SignedFacts: Equatable, Sendable {
        /// Random, not 0.
        public let id: UInt32
        /// When the signed prekey was made.
        public let made: Timestamp
        /// When another one has replaced it; nil for the current one.
        public let replaced: Timestamp?
    }

    /// From old to new; the last one is the current one.
    public var signedFacts: [SignedFacts] {
        signed.map { SignedFacts(id: $0.id, made: $0.made.wall, replaced: $0.replaced?.wall) }
    }

    /// Makes one-time prekeys until the pool is full.
    /// - Returns: how many were made.
    public mutating func refill(at now: Timestamp) -> Int { pool.refill(at: now).count }

    /// A bundle of the current keys. Store the prekeys first.
    /// - Parameter oneTime: a one-time prekey that nobody else was given; without one the last-resort key is in it.
    public borrowing func bundle(
        of identity: borrowing SophaxIdentity, oneTime: PrekeyPool.PublicPrekey?, username: String,
        address: String? = nil, at now: Timestamp, form: SignatureForm = .whole
    ) -> PrekeyBundle? {
        identity.bundle(
            signedPrekey: signedPublic, signedPrekeyID: signedID,
            oneTime: oneTime.map { (id: $0.id, publicKey: $0.publicKey) },
            lastResort: lastResortPublic, username: username, address: address, at: now, form: form)
    }

    func signed(_ id: UInt32, at now: Timestamp) -> Signed? {
        var clock = clock
        clock.read(now)
        return signed.first { $0.id == id && !$0.isOver(by: clock) }
    }

    borrowing func oneTime(_ id: UInt32) -> HeldKey? { pool.key(id) }

    /// What a session's first message changes: the ephemeral key is remembered and the one-time prekey is used up and
    /// replaced, so that the pool stays full.
    borrowing func after(
        ephemeral: [UInt8], signed id: UInt32, oneTime: UInt32?, at now: Timestamp
    ) throws(HandshakeError) -> PrekeyStore {
        let record = encoded()
        // The record was made here.
        var next: PrekeyStore
        do {
            next = try record.withBytes { (bytes) throws(StoredRecordError) in try PrekeyStore(decoding: bytes) }
        } catch {
            throw .unknownOneTimePreKey
        }
        guard next.seen.insert(ephemeral, for: id) else { throw .storeFull }
        if let oneTime, oneTime != 0 {
            guard next.pool.consume(oneTime, at: now) != nil else { throw .unknownOneTimePreKey }
            _ = next.pool.refill(at: now)
        }
        return next
    }
}
