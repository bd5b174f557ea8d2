package import Encodings
internal import Keystore
package import SecureMemory
package import SophaxChat

extension SophaxKeeper {
    /// Checks a PIN. The attempt is stored before the PIN is compared, so that a killed process has counted it. The PIN
    /// of the owner and that of duress have one result, and take the same time.
    /// - Throws: `.noPIN`, `.wrongPIN`; `PINError.delayed` after too many failures; `KeystoreError.damaged`.
    package func checkPIN(_ pin: borrowing SecureBytes, of id: PeerID, at now: Timestamp) throws {
        try locked(id) { identity in
            guard let lock = try identity.records.sophaxLock() else { throw SophaxKeepingError.noPIN }
            _ = try Self.proven(pin, lock, identity, at: now)
        }
    }

    /// Sets the PIN. A user who knows only the PIN of duress changes that one instead, with the same result,
    /// also if the new one is the owner's.
    /// - Parameter current: proves who asks; nil if no PIN is set.
    /// - Throws: `.noPIN` if `current` is given but no PIN is set; `.wrongPIN` also if it is missing; `PINError`.
    package func setPIN(
        _ pin: borrowing SecureBytes, proving current: borrowing HeldPIN, of id: PeerID, at now: Timestamp
    ) throws {
        try change(id, current, at: now) { lock, result in
            switch (lock, result) {
            case (let lock?, let result?): try lock.setting(pin: pin, by: result)
            // `change` has refused a PIN that is not proven.
            case (_?, nil): throw SophaxKeepingError.wrongPIN
            case (nil, _): try PINLock(pin: pin)
            }
        }
    }

    /// Sets the PIN that is told under duress. A user who knows only that one gets the same result, and nothing
    /// changes.
    /// - Throws: `.noPIN`, `.wrongPIN`; `PINError`.
    package func setDuressPIN(
        _ pin: borrowing SecureBytes, proving current: borrowing HeldPIN, of id: PeerID, at now: Timestamp
    ) throws {
        try change(id, current, at: now) { lock, result in
            guard let lock, let result else { throw SophaxKeepingError.noPIN }
            return try lock.setting(duress: pin, by: result)
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
            case (let lock?, true): result = try Self.proven(current.bytes, lock, identity, at: now)
            case (nil, true): throw SophaxKeepingError.noPIN
            case (_?, false): throw SophaxKeepingError.wrongPIN
            case (nil, false): break
            }
            let record = try changed(lock, result).encoded
            var changes = identity.changes()
            changes.set(Self.pin, record.span)
            changes.set(Self.attempts, PINAttempts.none.encoded.span)
            try identity.commit(changes)
        }
    }

    /// - Returns: `.real` or `.duress`.
    private static func proven(
        _ pin: borrowing SecureBytes, _ lock: PINLock, _ identity: borrowing LockedIdentity, at now: Timestamp
    ) throws -> PINLock.Result {
        let attempts = try identity.records.sophaxAttempts()
        let (result, after) = try lock.check(pin, attempts: attempts, at: now) { counted in
            try identity.write(Self.attempts, counted.encoded.span)
        }
        guard result != .wrong else { throw SophaxKeepingError.wrongPIN }
        try identity.write(Self.attempts, after.encoded.span)
        return result
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
