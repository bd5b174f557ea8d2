/// An operation on an identity's Safe.
package enum SafeVerb: Equatable, Sendable {
    /// Upload if it is due. Before that, finish an unfinished change; after it, delete the backup that an earlier
    /// change left.
    case push(Push)
    /// Upload to another place or under another key, then delete the old backup.
    case change(Change)
    /// Use another address, login or trust for the current place. `isSameAddress`: only login or trust differ.
    case readdress(isSameAddress: Bool)
    /// Abort an unfinished change.
    case abort
    /// Abandon the backup that an earlier change left.
    case forgetOld
    /// Delete the backups at all places, then remove the setup.
    case delete(Delete)
    /// Check that the backup is the one that was last uploaded.
    case check
    /// Restore the backup into the keystore.
    case pull(Pull)
    /// Fetch the backup in order to store it in the history. Nothing is written to the server, and the backup does not
    /// become known.
    case mirror(Mirror)

    package struct Push: Equatable, Sendable {
        /// Upload even if nothing is due.
        package var isForced = false
        /// Replace a foreign backup.
        package var isOverwriting = false
        /// Fetch the uploaded backup and compare.
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
        /// Replace foreign backups.
        package var isOverwriting = false
        package var isAcceptingLoss = false
        /// Delete nothing at the old place.
        package var isLeavingOld = false
        /// Whether an earlier run has begun this change.
        package var isContinuation = false

        package init() {}
    }

    package struct Delete: Equatable, Sendable {
        package var isKeepingSetup = false
        /// Abandon backups that cannot be deleted.
        package var isForced = false

        package init() {}
    }

    package struct Mirror: Equatable, Sendable {
        /// Accept a backup that has lost over half of the contacts; from now on it is the normal one.
        package var isAcceptingLoss = false
        /// Which mirrored backups stay in the history; nil for all.
        package var retention: Retention? = .standard

        package init() {}
    }

    package struct Pull: Equatable, Sendable {
        /// Accept a lower generation than was seen, and the loss of changes that were never uploaded.
        package var isReplacing = false
        /// Replace another private key.
        package var isReplacingKey = false
        /// Whether the keystore's document is empty, so that nothing can be lost.
        package var isHereEmpty = false
        /// Whether another place has an earlier document, not the present one.
        package var isOutdatedElsewhere = false
        /// Whether nothing is known of the place, so that nobody can say if its backup is newer than the profile.
        package var isPlaceUnknown = false

        package init() {}
    }
}

extension SafeVerb {
    /// Whether the verb may send a PUT or DELETE.
    var isWriting: Bool {
        switch self {
        case .push, .change, .abort, .delete: true
        // To prove that two addresses are one place, a probe is stored.
        case .readdress(let isSameAddress): !isSameAddress
        case .forgetOld, .check, .pull, .mirror: false
        }
    }
}
