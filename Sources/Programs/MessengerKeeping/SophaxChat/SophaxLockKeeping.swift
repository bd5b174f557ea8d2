package import Encodings
internal import Keystore
package import SecureMemory
package import SophaxChat
package import SophaxStorage

extension SophaxKeeper {
    /// Checks a PIN. The attempt is stored before the PIN is compared, so that a killed process has counted it. The PIN
    /// of the owner and that of duress have one result, and take the same time.
    /// - Throws: `.noPIN`, `.wrongPIN`; `PINError.delayed` after too many failures; `KeystoreError.damaged`.
    package func checkPIN(_ pin: borrowing SecureBytes, of id: PeerID, at now: Timestamp) throws {
        try locked(id) { identity in
            guard let lock = try identity.records.sophaxLock() else { throw SophaxKeepingError.noPIN }
            _ = try Self.proven(pin, for: .check, lock, identity, at: now)
        }
    }

    /// Sets the PIN. A user who knows only the PIN of duress changes that one instead, with the same result,
    /// also if the new one is the owner's.
    /// - Parameter current: proves who asks; missing if no PIN is set.
    /// - Throws: `.noPIN` if `current` is given but no PIN is set; `.hasPIN` if it is missing; `.wrongPIN`; `PINError`,
    ///   with `.tooManyChanges` for the fifth change of a PIN within 24 hours. One that ends in `.equalPINs` counts.
    package func setPIN(
        _ pin: borrowing SecureBytes, proving current: borrowing HeldPIN, of id: PeerID, at now: Timestamp
    ) throws {
        try change(id, current, at: now) { lock, result in
            switch (lock, result) {
            case (let lock?, let result?): try lock.setting(pin: pin, by: result)
            // `change` has refused a PIN that is not proven.
            case (_?, nil): throw SophaxKeepingError.hasPIN
            case (nil, _): try PINLock(pin: pin)
            }
        }
    }

    /// Sets the PIN that is told under duress. A user who knows only that one gets the same result, and nothing
    /// changes.
    /// - Throws: `.noPIN`, `.wrongPIN`; `PINError` as `setPIN`.
    package func setDuressPIN(
        _ pin: borrowing SecureBytes, proving current: borrowing HeldPIN, of id: PeerID, at now: Timestamp
    ) throws {
        try change(id, current, at: now) { lock, result in
            guard let lock, let result else { throw SophaxKeepingError.noPIN }
            return try lock.setting(duress: pin, by: result)
        }
    }

    /// Refuses a check or a change that is not possible now, whatever the PIN, before one is asked for. It is counted
    /// only with a PIN. Without one nothing is refused.
    /// - Throws: `PINError.delayed`, `.tooManyChanges`; `KeystoreError.damaged`.
    package func requireReady(for purpose: PINCounts.Purpose, _ id: PeerID, at now: Timestamp) throws {
        try locked(id) { identity in
            guard try identity.records.sophaxLock() != nil else { return }
            let stored = try identity.records.sophaxCounts()
            try stored.requireReady(for: purpose, at: now) { try Self.store($0, over: stored, identity) }
        }
    }

    /// Whether a PIN is set.
    package func hasPIN(_ id: PeerID) throws -> Bool { try records(of: id).sophaxLock() != nil }

    private func change(
        _ id: PeerID, _ current: borrowing HeldPIN, at now: Timestamp,
        _ changed: (PINLock?, PINLock.Result?) throws -> PINLock
    ) throws {
        try locked(id) { identity in
            _ = try identity.records.sophaxAccount(id)
            let lock = try identity.records.sophaxLock()
            var result: PINLock.Result?
            switch (lock, current.isGiven) {
            // Without it a new PIN could be tried against the other one, uncounted.
            case (let lock?, true): result = try Self.proven(current.bytes, for: .change, lock, identity, at: now)
            case (nil, true): throw SophaxKeepingError.noPIN
            case (_?, false): throw SophaxKeepingError.hasPIN
            case (nil, false): break
            }
            // The change is counted already: a new PIN that equals the other one is refused, which tells it.
            try identity.write(Self.pin, changed(lock, result).encoded.span)
        }
    }

    /// - Returns: `.real` or `.duress`.
    private static func proven(
        _ pin: borrowing SecureBytes, for purpose: PINCounts.Purpose, _ lock: PINLock,
        _ identity: borrowing LockedIdentity, at now: Timestamp
    ) throws -> PINLock.Result {
        var stored = try identity.records.sophaxCounts()
        let (result, counts) = try lock.check(pin, for: purpose, counts: stored, at: now) { counted in
            try store(counted, over: stored, identity)
            stored = counted
        }
        guard result != .wrong else { throw SophaxKeepingError.wrongPIN }
        try store(counts, over: stored, identity)
        return result
    }

    /// Stores the counts that differ, all at once.
    private static func store(
        _ counts: PINCounts, over old: PINCounts, _ identity: borrowing LockedIdentity
    ) throws {
        var changes = identity.changes()
        if counts.attempts != old.attempts { changes.set(attempts, counts.attempts.encoded.span) }
        if counts.changes != old.changes { changes.set(pinChanges, counts.changes.encoded.span) }
        if counts.clearings != old.clearings { changes.set(clearings, counts.clearings.encoded.span) }
        try identity.commit(changes)
    }
}

/// A PIN that may be missing.
package struct HeldPIN: ~Copyable {
    package let bytes: SecureBytes
    /// Whether there is one.
    package let isGiven: Bool

    /// A PIN.
    package init(_ bytes: consuming SecureBytes) {
        self.bytes = bytes
        isGiven = true
    }

    /// None.
    package init() {
        bytes = SecureBytes(count: 0) { _ in }
        isGiven = false
    }
}
