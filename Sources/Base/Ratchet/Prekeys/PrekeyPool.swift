public import Encodings
internal import Primitives
public import SecureMemory

/// The private keys of one's own one-time prekeys, by ID: which to publish, which to make, and when one is used up.
///
/// It is a value without I/O: store `encoded()` before the public keys are published, so that no key is published that
/// could be lost; and when a prekey is used, in the transaction of the session that it has begun. A prekey that is
/// removed before the first message has opened would let anybody empty the pool with garbage.
public struct PrekeyPool: ~Copyable, Sendable {
    /// How a pool chooses the ID of a new prekey. IDs in the pool are skipped, and used ones as long as they rest.
    public enum Numbering: Equatable, Sendable {
        /// One after the other from a random start, and from 1 again after `last`.
        case counting(last: UInt32)
        /// At random, never 0.
        case random
    }

    /// Numbering, size and waiting time of a pool, which a messenger's protocol prescribes.
    public struct Rules: Sendable {
        /// Most prekeys of a full pool.
        public static let maxBatch = 1000

        /// How the IDs of new prekeys are chosen.
        public let numbering: Numbering
        /// How many prekeys a full pool has.
        public let batch: Int
        /// A used ID is not used again in this time.
        public let rest: Duration

        /// - Parameters:
        ///   - batch: 1 to `maxBatch`. Counting IDs end at 4 times as many or more.
        public init(numbering: Numbering, batch: Int, rest: Duration) {
            precondition((1...Self.maxBatch).contains(batch))
            if case .counting(let last) = numbering { precondition(last >= 4 * batch) }
            self.numbering = numbering
            self.batch = batch
            self.rest = rest
        }
    }

    /// The half of a prekey that is published.
    public struct PublicPrekey: Equatable, Sendable {
        /// Its ID, never 0.
        public let id: UInt32
        /// 32 bytes.
        public let publicKey: [UInt8]
    }

    /// The half of a prekey that opens a first message, for a pool that another format has kept.
    public struct PrivatePrekey: Sendable {
        /// Its ID, never 0.
        public let id: UInt32
        /// 32 bytes.
        public let key: HeldKey

        /// Both are checked where they are used.
        public init(id: UInt32, key: HeldKey) {
            self.id = id
            self.key = key
        }
    }

    /// Most used IDs that are remembered. The oldest are forgotten.
    static let maxUsed = 10_000
    private static let form: UInt8 = 1

    /// Numbering, size and waiting time, as they were given at the start.
    public let rules: Rules
    private var keys = KeyTable()
    /// When IDs were used, in the order of their use.
    private var used: [KeyTable.Entry] = []
    /// The ID to try next, if IDs are counted.
    private var next: UInt32

    /// An empty pool. Its first ID is random.
    public init(_ rules: Rules) { self.init(rules, start: Self.start(rules)) }

    package init(_ rules: Rules, start: UInt32) {
        self.rules = rules
        next = start
    }

    /// A number from 1 to `last`. It is not secret, so it need not be drawn evenly.
    private static func start(_ rules: Rules) -> UInt32 {
        guard case .counting(let last) = rules.numbering else { return 1 }
        return drawID() % last + 1
    }

    private static func drawID() -> UInt32 { Random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// A pool of prekeys that another format has kept, which has no used IDs.
    /// - Parameters:
    ///   - keys: in any order, 32 bytes each.
    ///   - next: the ID to try next, if IDs are counted.
    ///   - stored: when the keys were stored.
    /// - Returns: nil for more than `Rules.maxBatch` keys, an ID that is 0 or repeated, a key of another length, or a
    ///   next ID that the numbering does not have.
    public init?(_ rules: Rules, keys: [PrivatePrekey], next: UInt32, at stored: Timestamp) {
        let sorted = keys.sorted { $0.id < $1.id }
        guard sorted.count <= Rules.maxBatch, sorted.first?.id != 0,
            zip(sorted, sorted.dropFirst()).allSatisfy({ $0.id < $1.id }),
            sorted.allSatisfy({ $0.key.bytes.count == KeyTable.keyCount })
        else { return nil }
        if case .counting(let last) = rules.numbering {
            guard (1...last).contains(next) else { return nil }
        }
        var buffer = SecureBuffer(capacity: sorted.count * KeyTable.keyCount)
        for each in sorted { buffer.append(each.key.bytes) }
        let bytes = buffer.finish()
        self.init(rules, start: next)
        self.keys = bytes.withBytes {
            KeyTable(entries: sorted.map { KeyTable.Entry(number: $0.id, stored: stored) }, keys: $0)
        }
    }

    /// The ID to try next, if IDs are counted.
    public var nextID: UInt32 { next }

    /// How many prekeys are left.
    public var count: Int { keys.count }

    /// Whether less than half of a batch is left.
    public var needsRefill: Bool { 2 * keys.count < rules.batch }

    /// All prekeys that are left, in the order of their IDs.
    public borrowing func publicPrekeys() -> [PublicPrekey] {
        keys.entries.map { entry in
            PublicPrekey(id: entry.number, publicKey: Self.publicKey(keys.key(entry.number)!))
        }
    }

    /// All prekeys that are left with their private keys, in the order of their IDs, for a backup.
    public borrowing func privatePrekeys() -> [PrivatePrekey] {
        keys.entries.map { PrivatePrekey(id: $0.number, key: keys.key($0.number)!) }
    }

    private static func publicKey(_ key: HeldKey) -> [UInt8] { key.bytes.withBytes { X25519.publicKey(of: $0) } }

    /// The private key of a prekey, 32 bytes; nil if it is used up, or never was.
    public borrowing func key(_ id: UInt32) -> HeldKey? { keys.key(id) }

    /// Makes prekeys until the pool is full.
    /// - Returns: the new ones.
    public mutating func refill(at now: Timestamp) -> [PublicPrekey] { refill(to: rules.batch, at: now) }

    /// Makes prekeys until there are as many.
    /// - Parameter size: 1 to `Rules.maxBatch`, and at most a quarter of the IDs if they are counted.
    /// - Returns: the new ones.
    public mutating func refill(to size: Int, at now: Timestamp) -> [PublicPrekey] {
        precondition((1...Rules.maxBatch).contains(size))
        if case .counting(let last) = rules.numbering { precondition(last >= 4 * size) }
        used.removeAll { now - $0.stored >= rules.rest }
        var made: [PublicPrekey] = []
        while keys.count < size {
            let id = freeID()
            let key = HeldKey(Random.secret(X25519.count))
            keys.insert(key.bytes, as: id, at: now)
            made.append(PublicPrekey(id: id, publicKey: Self.publicKey(key)))
        }
        return made
    }

    /// Removes a prekey that has begun a session, and fills the pool if less than half of a batch is left.
    /// - Returns: the new prekeys; nil if there is no such one, and then nothing has changed.
    public mutating func consume(_ id: UInt32, at now: Timestamp) -> [PublicPrekey]? {
        guard keys.contains(id) else { return nil }
        keys.remove(id)
        used.append(KeyTable.Entry(number: id, stored: now))
        if used.count > Self.maxUsed { used.removeFirst(used.count - Self.maxUsed) }
        return needsRefill ? refill(at: now) : []
    }

    /// Why the prekeys of a copy were not added.
    public enum MergeError: Error, Equatable, Sendable {
        /// Another prekey has this ID.
        case otherKey(UInt32)
        /// More than `Rules.maxBatch` prekeys.
        case full
    }

    /// Adds the prekeys of a copy that are neither held nor were used here.
    /// - Returns: how many were added.
    /// - Throws: `MergeError`; then nothing has changed.
    public mutating func merge(_ copy: borrowing PrekeyPool) throws(MergeError) -> Int {
        let resting = Set(used.map(\.number))
        var missing: [PrivatePrekey] = []
        for each in copy.privatePrekeys() where !resting.contains(each.id) {
            guard let held = keys.key(each.id) else {
                missing.append(each)
                continue
            }
            let isSame = held.bytes.withBytes { own in each.key.bytes.withBytes { ConstantTime.areEqual(own, $0) } }
            guard isSame else { throw .otherKey(each.id) }
        }
        guard keys.count + missing.count <= Rules.maxBatch else { throw .full }
        let stored = Dictionary(uniqueKeysWithValues: copy.keys.entries.map { ($0.number, $0.stored) })
        for each in missing { keys.insert(each.key.bytes, as: each.id, at: stored[each.id]!) }
        return missing.count
    }

    /// The pool after a prekey has begun a session, as `consume` leaves it. This one does not change.
    /// - Parameter id: nil for a key that is not of the pool; then the result is the same as this one.
    /// - Returns: nil if there is no such prekey.
    public borrowing func after(using id: UInt32?, at now: Timestamp) -> PrekeyPool? {
        var after = PrekeyPool(rules, start: next)
        after.keys = keys
        after.used = used
        if let id, after.consume(id, at: now) == nil { return nil }
        return after
    }

    /// An ID that is neither in the pool nor resting. If all rest, the one that was used first.
    private mutating func freeID() -> UInt32 {
        let resting = Set(used.map(\.number))
        switch rules.numbering {
        case .random:
            while true {
                let id = Self.drawID()
                if id != 0, !keys.contains(id), !resting.contains(id) { return id }
            }
        case .counting(let last):
            for _ in 0..<min(Int(last), keys.count + resting.count + 1) {
                let id = next
                next = next >= last ? 1 : next + 1
                if !keys.contains(id), !resting.contains(id) { return id }
            }
            // The batch is at most a quarter of the IDs, so some of them have been used and are free.
            let oldest = used.firstIndex { !keys.contains($0.number) && $0.number <= last }!
            return used.remove(at: oldest).number
        }
    }

    // The record. Numbers are little-endian.
    //
    //   offset  length  meaning
    //        0       1  1, the form
    //        1       4  the ID to try next
    //        5       …  the keys, as skipped keys in the record of a session
    //        …       2  number of used IDs
    //        …      12  for each: ID (4), time, Unix milliseconds (8)

    /// The pool as a record. It has all private keys: seal it where it is stored.
    public borrowing func encoded() -> SecureBytes {
        var buffer = SecureBuffer(capacity: 5 + KeyTable.encodedCount(keys.count) + 2 + 12 * used.count)
        buffer.append(Self.form)
        buffer.append(number: UInt64(next), width: 4)
        buffer.append(keys)
        buffer.append(number: UInt64(used.count), width: 2)
        for entry in used {
            buffer.append(number: UInt64(entry.number), width: 4)
            buffer.append(number: UInt64(bitPattern: entry.stored.milliseconds), width: 8)
        }
        return buffer.finish()
    }

    /// Reads a record.
    /// - Throws: `.unknownForm`, `.malformed`.
    public init(decoding record: Span<UInt8>, rules: Rules) throws(RecordError) {
        var position = 0
        let form = UInt8(try record.number(1, &position))
        guard form == Self.form else { throw .unknownForm(form) }
        let next = UInt32(try record.number(4, &position))
        if case .counting(let last) = rules.numbering {
            guard (1...last).contains(next) else { throw .malformed }
        }
        // Not that of the rules: a later version may have a smaller batch, and must not lose the keys.
        let keys = try record.table(limit: Rules.maxBatch, below: nil, &position)
        guard keys.entries.first?.number != 0 else { throw .malformed }
        let count = Int(try record.number(2, &position))
        guard count <= Self.maxUsed else { throw .malformed }
        var used: [KeyTable.Entry] = []
        for _ in 0..<count {
            let number = UInt32(try record.number(4, &position))
            let stored = Timestamp(milliseconds: Int64(bitPattern: try record.number(8, &position)))
            used.append(KeyTable.Entry(number: number, stored: stored))
        }
        guard position == record.count else { throw .malformed }
        self.init(rules, start: next)
        self.keys = keys
        self.used = used
    }
}
