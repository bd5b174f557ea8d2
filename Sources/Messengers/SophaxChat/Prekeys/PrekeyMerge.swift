public import Encodings
internal import ObservedTime
internal import Ratchet
internal import SecureMemory

/// Why the prekeys of a copy were not added. Then nothing has changed.
public enum PrekeyMergeError: Error, Equatable, Sendable {
    /// Another signed prekey has this number.
    case otherSigned(UInt32)
    /// Another one-time prekey has this number.
    case otherOneTime(UInt32)
    /// An import makes at most 8 signed prekeys.
    case noRoomForSigned
    /// At most 1000 one-time prekeys fit.
    case noRoomForOneTime
    /// At most 10,000 ephemeral keys fit.
    case noRoomForSeen
}

/// How many keys were added from a copy.
public struct MergedPrekeys: Equatable, Sendable {
    /// Signed prekeys, each with its last-resort key.
    public let signed: Int
    /// One-time prekeys that were neither held nor used here.
    public let oneTime: Int
    /// Ephemeral keys of sessions that peers have begun.
    public let seen: Int

    /// All counts are zero.
    public static let none = MergedPrekeys(signed: 0, oneTime: 0, seen: 0)

    init(signed: Int, oneTime: Int, seen: Int) {
        self.signed = signed
        self.oneTime = oneTime
        self.seen = seen
    }

    /// All of a copy were added.
    public init(all copy: borrowing PrekeyStore) {
        self.init(signed: copy.signed.count, oneTime: copy.oneTimeCount, seen: copy.seen.entries.count)
    }
}

extension PrekeyStore {
    /// Adds the prekeys of a copy that are missing here. The current signed prekey stays; the one of the copy counts as
    /// replaced now, so that peers with an old bundle have 14 days. One-time prekeys that were used here, and signed ones
    /// that were replaced 14 days ago, are not missing. No time later than now is taken over.
    /// - Throws: `PrekeyMergeError` if another key has the number, or there is no room. Then nothing has changed.
    public mutating func merge(
        _ copy: borrowing PrekeyStore, at now: Timestamp
    ) throws(PrekeyMergeError) -> MergedPrekeys {
        var (clock, copyClock) = (clock, copy.clock)
        let sum = clock.read(now).sum
        copyClock.read(now)
        var missing: [Signed] = []
        for var other in copy.signed {
            if let held = signed.first(where: { $0.id == other.id }) {
                guard held.hasKeys(of: other) else { throw .otherSigned(other.id) }
                continue
            }
            // The clock of an old copy gets a week older only.
            guard !other.isOver(by: copyClock), other.replaced.map({ now - $0.wall < Self.retention }) ?? true else {
                continue
            }
            let replaced = other.replaced ?? ObservedTimestamp(sum: copyClock.sum, wall: now)
            // An event before the beginning of this clock counts from there: its key is kept longer.
            other.replaced = ObservedTimestamp(
                sum: sum - copyClock.age(of: replaced.sum), wall: min(replaced.wall, now))
            other.made = other.made.moved(notAfter: now)
            missing.append(other)
        }
        guard missing.isEmpty || signed.count + missing.count <= Self.maxMerged else { throw .noRoomForSigned }
        var seen = seen
        let known = Set((signed + missing).map(\.id))
        let before = seen.entries.count
        for entry in copy.seen.entries where known.contains(entry.prekey) && !seen.contains(entry.key) {
            guard seen.insert(entry.key, for: entry.prekey) else { throw .noRoomForSeen }
        }
        let oneTime: Int
        do throws(PrekeyPool.MergeError) { oneTime = try pool.merge(copy.pool) } catch {
            switch error {
            case .otherKey(let id): throw .otherOneTime(id)
            case .full: throw .noRoomForOneTime
            }
        }
        // Nothing fails from here on.
        let current = signed.removeLast()
        signed = (signed + missing).sorted { $0.made.wall < $1.made.wall } + [current]
        if !missing.isEmpty { self.clock = clock }
        let added = seen.entries.count - before
        self.seen = seen
        return MergedPrekeys(signed: missing.count, oneTime: oneTime, seen: added)
    }
}

extension PrekeyStore.Signed {
    fileprivate func hasKeys(of other: PrekeyStore.Signed) -> Bool {
        let isSameKey = key.bytes.withBytes { own in other.key.bytes.withBytes { ConstantTime.areEqual(own, $0) } }
        let isSameLastResort = lastResort.bytes.withBytes { own in
            other.lastResort.bytes.withBytes { ConstantTime.areEqual(own, $0) }
        }
        return isSameKey && isSameLastResort
    }
}
