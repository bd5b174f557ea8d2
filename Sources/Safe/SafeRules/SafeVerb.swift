/// What is asked of an identity's Safe.
package enum SafeVerb: Equatable, Sendable {
    /// Upload if it is due; first finish a change that was begun, last delete what an earlier one left.
    case push(Push)
    /// Upload to another place or under another key (the place of the role `next`), then delete the old backup.
    case change(Change)
    /// Approach the current place as the role `next` says. `isSameAddress`: only login or trust differ.
    case readdress(isSameAddress: Bool)
    /// Take back a change that is not finished.
    case abort
    /// Give up the backup that an earlier change has left.
    case forgetOld
    /// Delete the backups at all places, then forget the setup.
    case delete(Delete)
    /// Look whether the backup is what was last uploaded.
    case check
    /// Take the backup over into the keystore.
    case pull(Pull)

    package struct Push: Equatable, Sendable {
        /// Upload even if nothing is due.
        package var isForced = false
        /// Replace the foreign backup that is found.
        package var isOverwriting = false
        /// Fetch what was uploaded and compare.
        package var isVerifying = true
        /// Decide, but do nothing.
        package var isDryRun = false
        /// Upload again after a deletion that was interrupted.
        package var isResumingDeleted = false
        /// Upload even if over half of the contacts last uploaded are gone.
        package var isAcceptingLoss = false

        package init() {}
    }

    package struct Change: Equatable, Sendable {
        /// Replace the foreign backups that are found.
        package var isOverwriting = false
        package var isAcceptingLoss = false
        /// Delete nothing at the old place.
        package var isLeavingOld = false
        /// Whether this is the change that is unfinished: go on with it.
        package var isUnfinishedOne = false

        package init() {}
    }

    package struct Delete: Equatable, Sendable {
        package var isKeepingSetup = false
        /// Give up what cannot be deleted.
        package var isForced = false

        package init() {}
    }

    package struct Pull: Equatable, Sendable {
        /// Over an older generation than was seen, and over changes that were never uploaded.
        package var isReplacing = false
        /// Over another private key.
        package var isReplacingKey = false
        /// Whether the document here is empty, so that there is nothing to lose.
        package var isHereEmpty = false

        package init() {}
    }
}

/// What the machine holds itself to. All of it, always; the model checker takes one clause out at a time, to show what
/// it prevents.
package struct Clauses: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The old place is read and judged before its backup is deleted.
    package static let judgesOldPlace = Clauses(rawValue: 1)
    /// Two addresses with one backup id are proven to be two places before anything is deleted at one of them, and the
    /// survivor is looked at after that.
    package static let provesPlaces = Clauses(rawValue: 2)
    /// A change that cannot go on keeps no push from the current place.
    package static let pushesBesideStuckChange = Clauses(rawValue: 4)
    /// What a look finds is remembered.
    package static let remembersFindings = Clauses(rawValue: 8)
    /// The new place of a change is read and judged before `abort` deletes there.
    package static let judgesAbortedPlace = Clauses(rawValue: 16)
    /// After a deletion the place is read.
    package static let readsAfterDeletion = Clauses(rawValue: 32)
    /// A deletion ends with the process that began it.
    package static let endsDeletionWithProcess = Clauses(rawValue: 64)

    package static let all = Clauses(rawValue: 127)
}
