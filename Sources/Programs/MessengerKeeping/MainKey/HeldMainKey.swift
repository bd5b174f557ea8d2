package import Encodings
package import Keystore
package import ProtonMainKey
internal import SecureMemory

// An unlocked MainKey in the kernel's keyring:
//
//   offset  length  meaning
//        0      32  the key
//       32       8  when it ends, by the uptime in milliseconds, big endian
//       40       8  start of the countdown, by the wall clock in milliseconds since the epoch, big endian
//       48       8  start of the countdown, by the uptime
//
// The kernel's own timeout is the shorter of that end and of the autolock setting, so the key goes without a command.
// Any process of this account can write such an entry. One whose key has another check value is ignored.

/// A MainKey that is unlocked for a while.
struct HeldMainKey: ~Copyable {
    static let count = MainKey.count + 24

    let key: MainKey
    let endUptimeMilliseconds: Int64
    let countdown: ClockReading

    init(_ key: consuming MainKey, endUptimeMilliseconds: Int64, countdown: ClockReading) {
        self.key = key
        self.endUptimeMilliseconds = endUptimeMilliseconds
        self.countdown = countdown
    }

    /// - Returns: nil for another length.
    init?(_ entry: Span<UInt8>) {
        guard entry.count == Self.count,
            let key = try? MainKey(SecureBytes(copying: entry.extracting(first: MainKey.count)))
        else { return nil }
        func number(_ index: Int) -> Int64 {
            let start = MainKey.count + 8 * index
            return Int64(bitPattern: (start..<start + 8).reduce(UInt64(0)) { $0 << 8 | UInt64(entry[$1]) })
        }
        self.key = key
        endUptimeMilliseconds = number(0)
        countdown = ClockReading(wall: Timestamp(milliseconds: number(1)), uptimeMilliseconds: number(2))
    }

    borrowing func encoded() -> SecureBytes {
        var entry = SecureBuffer(capacity: Self.count)
        entry.append(key.bytes)
        for number in [endUptimeMilliseconds, countdown.wall.milliseconds, countdown.uptimeMilliseconds] {
            for shift in stride(from: 56, through: 0, by: -8) {
                entry.append(UInt8(truncatingIfNeeded: UInt64(bitPattern: number) >> UInt64(shift)))
            }
        }
        return entry.finish()
    }

    /// Milliseconds until its end; 0 or less if it is over.
    func millisecondsLeft(_ now: ClockReading) -> Int64 {
        let left = endUptimeMilliseconds.subtractingReportingOverflow(now.uptimeMilliseconds)
        return left.overflow ? 0 : left.partialValue
    }
}

extension MainKeyKeeper {
    /// Longest time that a key stays unlocked.
    package static let longestUnlock = Duration.seconds(24 * 60 * 60)

    /// Keeps an opened key in the kernel's keyring.
    /// - Parameter span: 1 second to 24 hours.
    /// - Returns: when it ends, at the latest.
    /// - Throws: `.alwaysLocked` if the autolock setting is 0; `.noKey`; `KernelKeyringError`; `KeystoreError`;
    ///   `FileError`, for example `.locked`.
    package func unlock(_ key: borrowing MainKey, for span: Duration) throws -> Timestamp {
        let id = key.checkValue
        return try lockedForKeyring(id) { records in
            let setting = try records.autolock()
            guard setting.minutes != 0 else { throw MainKeyKeepingError.alwaysLocked(id) }
            let now = now()
            let milliseconds = min(max(span, .seconds(1)), Self.longestUnlock).components.seconds * 1000
            try keep(
                HeldMainKey(
                    key.copy(), endUptimeMilliseconds: now.uptimeMilliseconds + milliseconds, countdown: now),
                setting, now)
            return now.wall + .milliseconds(milliseconds)
        }
    }

    /// The unlocked key, if the autolock rule keeps it. A key that the rule locks is removed.
    /// - Returns: nil if the key is locked, or if the keyring has something else in its place.
    /// - Throws: `KeystoreError`; `KernelKeyringError` if a key that is to go cannot be removed.
    package func kept(_ id: CheckValue) throws -> MainKey? {
        switch try held(id) {
        case .some(let held): held.key.copy()
        case .none: nil
        }
    }

    /// Until when the key is unlocked, at the latest; nil if it is locked.
    /// - Throws: as `kept`.
    package func unlockedUntil(_ id: CheckValue) throws -> Timestamp? {
        let now = now()
        switch try held(id) {
        case .some(let held): return now.wall + .milliseconds(held.millisecondsLeft(now))
        case .none: return nil
        }
    }

    /// Removes the unlocked key, also if the keystore no longer holds the MainKey. A command that is putting it back
    /// under the lock of the MainKey is waited for.
    /// - Returns: whether it was there.
    /// - Throws: `KernelKeyringError`; `FileError`, for example `.locked`.
    package static func lock(_ id: CheckValue, in keystore: LockedKeystore) throws -> Bool {
        try keystore.forgetSecret(of: .mainKey(id), wait: LockedIdentity.usualWait)
    }

    /// What is the countdown of an unlocked key to do?
    package enum Countdown: Sendable {
        /// Begin again, because a command has used the key.
        case restarted
        /// Go on.
        case running
    }

    /// Puts an unlocked key back with its countdown. A locked key stays locked, also if it is locked or wiped
    /// meanwhile: both wait for the lock of the MainKey.
    /// - Throws: as `kept`; `FileError`, for example `.locked`.
    package func renew(_ id: CheckValue, _ countdown: Countdown) throws {
        do {
            try lockedForKeyring(id) { records in
                switch try held(id) {
                case .some(let held):
                    let now = now()
                    let start = countdown == .restarted ? now : held.countdown
                    try keep(
                        HeldMainKey(
                            held.key.copy(), endUptimeMilliseconds: held.endUptimeMilliseconds, countdown: start),
                        records.autolock(), now)
                case .none: break
                }
            }
        } catch MainKeyKeepingError.noKey {
            // Another process has wiped it.
        }
    }

    private func keep(_ held: consuming HeldMainKey, _ setting: AutolockSetting, _ now: ClockReading) throws {
        var milliseconds = held.millisecondsLeft(now)
        if setting.minutes > 0 {
            // The rule keeps a key at exactly n minutes.
            // The rule has compared the two: this does not overflow.
            let elapsed = now.uptimeMilliseconds - held.countdown.uptimeMilliseconds
            milliseconds = min(milliseconds, Int64(setting.minutes) * 60_000 + 1000 - elapsed)
        }
        let seconds = UInt32(clamping: max(1, (milliseconds + 999) / 1000))
        try keystore.keep(held.encoded(), of: .mainKey(held.key.checkValue), seconds: seconds)
    }

    private func held(_ id: CheckValue) throws -> HeldMainKey? {
        switch keystore.keptSecret(of: .mainKey(id)) {
        case .none: return nil
        case .some(let entry):
            guard let held = entry.withBytes({ HeldMainKey($0) }), held.key.checkValue == id else { return nil }
            let now = now()
            let setting: AutolockSetting
            // What says when to lock it cannot be read: it counts as locked.
            do { setting = try records(of: id).autolock() } catch KeystoreError.damaged { return nil }
            guard held.millisecondsLeft(now) > 0, Self.keeps(setting, held.countdown, now) else {
                _ = try keystore.forgetSecret(of: .mainKey(id))
                return nil
            }
            return held
        }
    }

    private static func keeps(_ setting: AutolockSetting, _ start: ClockReading, _ now: ClockReading) -> Bool {
        let uptime = now.uptimeMilliseconds.subtractingReportingOverflow(start.uptimeMilliseconds)
        // Such an entry is not ours.
        if uptime.overflow { return false }
        let elapsed = AutolockRule.Elapsed(wall: now.wall - start.wall, uptime: .milliseconds(uptime.partialValue))
        return setting.rule.decision(elapsed) == .keep
    }
}
