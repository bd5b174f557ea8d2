public import Encodings
internal import Primitives
public import Ratchet
public import SecureMemory

/// One's own prekeys: signed ones with their last-resort keys, and the pool of one-time ones. It is a value without
/// I/O: store `encoded()` before public keys leave, and in the transaction of a session that has used one.
public struct PrekeyStore: ~Copyable, Sendable {
    /// A signed prekey is replaced after this time.
    public static let rotation: Duration = .days(7)
    /// The one before is kept for this time after that.
    public static let retention: Duration = .days(14)
    /// The pool: 20 keys, with random numbers.
    public static let rules = PrekeyPool.Rules(numbering: .random, batch: poolCount, rest: .days(30))
    /// One-time prekeys of a full pool.
    public static let poolCount = 20

    struct Signed: Sendable {
        let id: UInt32
        let made: Timestamp
        let key: HeldKey
        let lastResort: HeldKey
        /// When another one has replaced it; nil for the current one, and for one whose replacement has no date yet
        /// because the clock was behind.
        var replaced: Timestamp?
    }

    /// From old to new; the last one is the current one.
    var signed: [Signed]
    var pool: PrekeyPool
    /// Ephemeral keys of those who have begun a session.
    public internal(set) var seen: SeenEphemerals

    /// Makes a signed prekey, a last-resort key and a full pool of one-time prekeys.
    public init(at now: Timestamp) {
        signed = [Self.draw([], at: now)]
        pool = PrekeyPool(Self.rules)
        seen = SeenEphemerals()
        _ = pool.refill(at: now)
    }

    private static func draw(_ others: [Signed], at now: Timestamp) -> Signed {
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
    public var signedMade: Timestamp { signed[signed.count - 1].made }
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
        /// When another one has replaced it; nil for the current one, and while the clock is behind.
        public let replaced: Timestamp?
    }

    /// From old to new; the last one is the current one.
    public var signedFacts: [SignedFacts] {
        signed.map { SignedFacts(id: $0.id, made: $0.made, replaced: $0.replaced) }
    }

    /// Makes one-time prekeys until the pool is full.
    /// - Returns: how many were made.
    public mutating func refill(at now: Timestamp) -> Int { pool.refill(at: now).count }

    /// Replaces the signed prekey and the last-resort key now, whatever their age.
    /// - Returns: false if too many of those before are still kept: nothing has changed then.
    public mutating func rotate(at now: Timestamp) -> Bool {
        let before = signedID
        _ = maintain(at: now)
        // It was due.
        guard signedID == before else { return true }
        // Regular rotations need the rest.
        guard signed.count < Self.maxSigned - 2 else { return false }
        replaceSigned(at: now)
        return true
    }

    /// When the newest signed prekey was made. A clock that is earlier is wrong.
    public var newestMade: Timestamp { signed.map(\.made).max() ?? signedMade }

    /// A clock that is behind dates no replacement: by that date a key that peers hold would be dropped too early.
    private mutating func replaceSigned(at now: Timestamp) {
        let newest = newestMade
        signed[signed.count - 1].replaced = now < newest ? nil : now
        signed.append(Self.draw(signed, at: max(now, newest)))
    }

    /// Begins the 14 days of keys that were replaced while the clock was behind.
    private mutating func dateReplacements(at now: Timestamp) -> Bool {
        guard now >= newestMade else { return false }
        let undated = signed.indices.dropLast().filter { signed[$0].replaced == nil }
        for index in undated { signed[index].replaced = now }
        return !undated.isEmpty
    }

    /// Replaces the signed prekey and the last-resort key if they are seven days old, and drops those that were
    /// replaced 14 days ago, with the ephemeral keys that were seen for them.
    /// - Returns: whether anything has changed.
    public mutating func maintain(at now: Timestamp) -> Bool {
        let before = (signed.count, signedID)
        let isDated = dateReplacements(at: now)
        // More would not fit into the record.
        if now - signedMade >= Self.rotation, signed.count < Self.maxSigned { replaceSigned(at: now) }
        let dropped = signed.filter { $0.replaced.map { now - $0 >= Self.retention } ?? false }.map(\.id)
        signed.removeAll { dropped.contains($0.id) }
        for id in dropped { seen.forget(id) }
        return isDated || before != (signed.count, signedID) || !dropped.isEmpty
    }

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
        signed.first { $0.id == id && ($0.replaced.map { now - $0 < Self.retention } ?? true) }
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

    // The record. Numbers are big endian.
    //
    //   offset  length  meaning
    //        0       1  1, the form
    //        1       1  number of signed prekeys, 1 to 8
    //        …      85  for each: id (4), made (8), key (32), last-resort key (32), 1 if replaced (1), when (8);
    //                  0 also for one that was replaced while the clock was behind
    //        …       4  number of ephemeral keys that were seen
    //        …      36  for each: number of the signed prekey (4), key (32)
    //        …       …  the pool's record

    private static let form: UInt8 = 1
    private static let signedCount = 85
    static let maxSigned = 8
    private static let seenCount = 36

    /// The prekeys as a record. It has all private keys: seal it where it is stored.
    public borrowing func encoded() -> SecureBytes {
        let poolRecord = pool.encoded()
        var clear: [UInt8] = [Self.form, UInt8(signed.count)]
        var buffer = SecureBuffer(
            capacity: 2 + Self.signedCount * signed.count + 4 + Self.seenCount * seen.entries.count + poolRecord.count)
        buffer.append(clear.span)
        for each in signed {
            clear = []
            clear.appendNumber(each.id)
            clear.appendNumber(each.made.milliseconds)
            buffer.append(clear.span)
            buffer.append(each.key.bytes)
            buffer.append(each.lastResort.bytes)
            clear = [each.replaced == nil ? 0 : 1]
            clear.appendNumber(each.replaced?.milliseconds ?? 0)
            buffer.append(clear.span)
        }
        clear = []
        clear.appendNumber(UInt32(seen.entries.count))
        for entry in seen.entries {
            clear.appendNumber(entry.prekey)
            clear += entry.key
        }
        buffer.append(clear.span)
        buffer.append(poolRecord)
        return buffer.finish()
    }

    /// Reads a record.
    /// - Throws: `.malformed`, `.unknownForm`.
    public init(decoding record: Span<UInt8>) throws(StoredRecordError) {
        var reader = RecordReader(record.count)
        let form = record[try reader.take(1).lowerBound]
        guard form == Self.form else { throw .unknownForm(form) }
        let count = Int(record[try reader.take(1).lowerBound])
        guard (1...Self.maxSigned).contains(count) else { throw .malformed }
        var signed: [Signed] = []
        for _ in 0..<count {
            let id = UInt32(truncatingIfNeeded: record.number(try reader.take(4)))
            let made = Timestamp(milliseconds: Int64(bitPattern: record.number(try reader.take(8))))
            let key = HeldKey(SecureBytes(copying: record.extracting(try reader.take(32))))
            let lastResort = HeldKey(SecureBytes(copying: record.extracting(try reader.take(32))))
            let flag = record[try reader.take(1).lowerBound]
            let time = Timestamp(milliseconds: Int64(bitPattern: record.number(try reader.take(8))))
            guard flag <= 1, id != 0, !signed.contains(where: { $0.id == id }) else { throw .malformed }
            signed.append(
                Signed(id: id, made: made, key: key, lastResort: lastResort, replaced: flag == 1 ? time : nil))
        }
        let seenCount = record.number(try reader.take(4))
        guard seenCount <= UInt64(SeenEphemerals.limit), signed[signed.count - 1].replaced == nil else {
            throw .malformed
        }
        var seen = SeenEphemerals()
        for _ in 0..<seenCount {
            let id = UInt32(truncatingIfNeeded: record.number(try reader.take(4)))
            let key = record.extracting(try reader.take(32)).revealBytes()
            guard seen.insert(key, for: id) else { throw .malformed }
        }
        let rest = record.extracting(reader.rest)
        do throws(RecordError) {
            pool = try PrekeyPool(decoding: rest, rules: Self.rules)
        } catch {
            throw StoredRecordError(error)
        }
        self.signed = signed
        self.seen = seen
    }
}

/// The ephemeral keys that have begun a session, kept as long as the signed prekey that they were used with. None is
/// forgotten earlier, or anyone who fills the store could replay an old one. A store without room refuses sessions
/// instead. Strangers cost nothing to make, and the last-resort key serves all of them: so they are refused at 8000 keys
/// and contacts at 10,000.
public struct SeenEphemerals: Equatable, Sendable {
    /// Most keys that are stored. With so many, every session is refused.
    public static let limit = 10_000
    /// Places of these that strangers cannot take.
    public static let keptForContacts = 2000
    struct Entry: Equatable, Sendable {
        let prekey: UInt32
        let key: [UInt8]
    }
    private(set) var entries: [Entry] = []
    private var keys: Set<[UInt8]> = []

    init() {}

    /// Whether it has begun a session.
    public func contains(_ key: [UInt8]) -> Bool { keys.contains(key) }
    /// Whether no other key fits.
    public var isFull: Bool { entries.count >= Self.limit }
    /// Whether no other key of a stranger fits.
    public var isFullForStrangers: Bool { entries.count >= Self.limit - Self.keptForContacts }

    /// - Returns: false if the key is there already, or no other one fits.
    mutating func insert(_ key: [UInt8], for prekey: UInt32) -> Bool {
        guard !isFull, keys.insert(key).inserted else { return false }
        entries.append(Entry(prekey: prekey, key: key))
        return true
    }

    mutating func forget(_ prekey: UInt32) {
        entries.removeAll { $0.prekey == prekey }
        keys = Set(entries.map(\.key))
    }
}
