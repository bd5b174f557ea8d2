public import Encodings
internal import ObservedTime

// When signed prekeys are made and dropped.
//
// A key is dropped 14 days after its replacement, by the clock of the store alone: the wall clock may be wrong in any
// reading. A key is due after 7 days by either clock. If the wall clock was ahead once, the key that was made then is
// replaced after 7 observed days; if it was behind, some days early, which costs nothing.

extension PrekeyStore {
    /// Most signed prekeys after a replacement that was asked for. The next one may be due the day after.
    static let maxForced = 6
    /// Most after an import.
    static let maxMerged = 8
    /// Most of all. Within 14 days after an import two more are due; then those before are dropped.
    static let maxSigned = 10

    /// When the newest signed prekey was made. If the wall clock is earlier, it is wrong, or was.
    public var newestMade: Timestamp { signed.map(\.made.wall).max() ?? signedMade }

    /// Replaces the signed prekey and the last-resort key now, whatever their age. The caller knows that the wall clock is
    /// right: keys that were made or replaced later than now count as made or replaced now.
    /// - Returns: false if too many of those before are still kept: no key has changed then. Store the prekeys in either
    ///   case, or the next one is due by a time that was wrong; see `due`.
    public mutating func rotate(at now: Timestamp) -> Bool {
        if correctTimes(at: now) { _ = read(now) }
        let before = signedID
        _ = maintain(at: now)
        // It was due.
        guard signedID == before else { return true }
        guard signed.count < Self.maxForced else { return false }
        replaceSigned(at: read(now))
        return true
    }

    /// When the signed prekey is due, if the wall clock is right from now on.
    public borrowing func due(at now: Timestamp) -> Timestamp {
        var clock = clock
        clock.read(now)
        return now + max(.zero, Self.rotation - signed[signed.count - 1].made.alarmAge(by: clock))
    }

    /// Drops signed prekeys that were replaced 14 days ago, with the ephemeral keys that were seen for them, and replaces
    /// the signed prekey and the last-resort key if they are seven days old.
    /// - Returns: whether anything has changed that has to be stored.
    public mutating func maintain(at now: Timestamp) -> Bool {
        let stored = clock
        let time = read(now)
        let dropped = signed.filter { $0.isOver(by: clock) }.map(\.id)
        signed.removeAll { dropped.contains($0.id) }
        for id in dropped { seen.forget(id) }
        // More would not fit into the record.
        let isDue = due(at: now) <= now && signed.count < Self.maxSigned
        if isDue { replaceSigned(at: time) }
        // A reading that is not stored makes keys last longer, never shorter; so the record rests between rotations.
        let step = stored.wall.map { now - $0 } ?? ObservedClock.longestStep
        if isDue || !dropped.isEmpty || max(step, .zero - step) >= ObservedClock.longestStep { return true }
        clock = stored
        return false
    }

    /// Reads the wall clock.
    private mutating func read(_ now: Timestamp) -> ObservedTimestamp {
        ObservedTimestamp(sum: clock.read(now).sum, wall: now)
    }

    private mutating func replaceSigned(at now: ObservedTimestamp) {
        _ = correctTimes(at: now.wall)
        signed[signed.count - 1].replaced = now
        signed.append(Self.draw(signed, at: now))
    }

    /// Moves the wall times of a clock that was ahead to now. The observed ages stay.
    /// - Returns: whether there was one.
    mutating func correctTimes(at now: Timestamp) -> Bool {
        guard signed.contains(where: { max($0.made.wall, $0.replaced?.wall ?? now) > now }) else { return false }
        for index in signed.indices {
            signed[index].made = signed[index].made.moved(notAfter: now)
            signed[index].replaced = signed[index].replaced?.moved(notAfter: now)
        }
        return true
    }
}

extension PrekeyStore.Signed {
    /// Whether it was replaced 14 days ago, by both clocks: after a reading of a wall clock that was behind, that of the store
    /// is a week ahead.
    /// - Parameter clock: of the store, already read.
    func isOver(by clock: ObservedClock) -> Bool {
        guard let replaced, let wall = clock.wall else { return false }
        return clock.age(of: replaced.sum) >= PrekeyStore.retention && wall - replaced.wall >= PrekeyStore.retention
    }
}

extension ObservedTimestamp {
    func moved(notAfter now: Timestamp) -> ObservedTimestamp { ObservedTimestamp(sum: sum, wall: min(wall, now)) }
}
