public import Encodings

/// What is counted of a lock, so that somebody who knows one of its PINs cannot try the other one without a bound.
///
/// Failures are delayed. A right PIN clears them, also that of duress; so this has an allowance. A change of a PIN tells
/// whether the one that proved is the owner's: a later check of both tells which one was changed. So this has one, too.
public struct PINCounts: Equatable, Sendable {
    /// What a PIN is given for.
    public enum Purpose: Sendable {
        case check
        /// To change one of the PINs.
        case change
    }

    /// Failures since they were cleared.
    public let attempts: PINAttempts
    /// Changes of either PIN, also those that ended in `PINError.equalPINs`. The first setting is not a change.
    public let changes: PINAllowance
    /// Right PINs that cleared failures.
    public let clearings: PINAllowance

    /// The counts of a new lock: no failure, no change, no clearing.
    public static let none = PINCounts(attempts: .none, changes: .unused, clearings: .unused)

    /// The counts as they were stored before.
    public init(attempts: PINAttempts, changes: PINAllowance, clearings: PINAllowance) {
        self.attempts = attempts
        self.changes = changes
        self.clearings = clearings
    }

    /// Refuses what no PIN may do now, before one is asked for. Nothing is counted, and nothing depends on a PIN.
    /// - Parameter store: stores counts that had times of a clock that was ahead, so that the wait ends.
    /// - Throws: `.tooManyChanges`; `.delayed`; what `store` throws.
    public func requireReady(for purpose: Purpose, at now: Timestamp, store: (PINCounts) throws -> Void) throws {
        _ = try attempting(purpose, at: now, store: store)
    }

    /// - Returns: the corrected counts, and those with one attempt more.
    /// - Throws: as `requireReady`.
    func attempting(
        _ purpose: Purpose, at now: Timestamp, store: (PINCounts) throws -> Void
    ) throws -> (known: PINCounts, counted: PINCounts) {
        let known = corrected(at: now)
        do throws(PINError) {
            return (known, try known.counting(purpose, at: now))
        } catch {
            if known != self { try store(known) }
            throw error
        }
    }

    /// With one attempt more.
    /// - Throws: `.tooManyChanges`; `.delayed`.
    func counting(_ purpose: Purpose, at now: Timestamp) throws(PINError) -> PINCounts {
        if purpose == .change, let delay = changes.delay(at: now) { throw .tooManyChanges(delay) }
        if let delay = attempts.delay(at: now) { throw .delayed(delay) }
        return PINCounts(attempts: attempts.next(at: now), changes: changes, clearings: clearings)
    }

    /// After a right PIN: a change is counted, and failures are cleared if that is allowed. Both PINs have one result.
    func proven(_ purpose: Purpose, at now: Timestamp) -> PINCounts {
        let mayClear = attempts.count > 0 && clearings.delay(at: now) == nil
        return PINCounts(
            attempts: mayClear ? .none : attempts,
            changes: purpose == .change ? changes.used(at: now) : changes,
            clearings: mayClear ? clearings.used(at: now) : clearings)
    }

    /// With times of a clock that was ahead moved to now. Store it: then each wait ends.
    func corrected(at now: Timestamp) -> PINCounts {
        PINCounts(
            attempts: attempts.corrected(at: now), changes: changes.corrected(at: now),
            clearings: clearings.corrected(at: now))
    }
}
