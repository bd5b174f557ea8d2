package import Encodings
package import SafeWire

/// How a verb ended.
package struct Outcome: Equatable, Sendable {
    /// What became of the backup at the current place.
    package enum Result: Equatable, Sendable {
        case uploaded, refreshed, restored, confirmed, unchanged
        case deferred(until: Timestamp)
        /// What a dry run would have done.
        case wouldUpload, wouldConfirm
        /// The new address leads to the same place.
        case readdressed
        /// A change, or an old place, was given up.
        case ended
        /// There was nothing to do: no change to take back.
        case nothing
    }

    package var result: Result = .nothing
    package var failure: SafeFailure?
    /// The upload of this run to what is the current place now.
    package var upload: Upload?
    /// What was replaced by it although it was not what was last seen.
    package var replaced: Replaced?
    /// Places whose backup was not deleted, and why.
    package var left: [Left] = []
    /// Why a change that was begun earlier cannot go on.
    package var stuck: SafeFailure?
    /// What the last look at the current place showed, and what that is to this keystore.
    package var found: Found?
    package var standing: ReplacementRule.Standing?
    package var limits: ServerLimits?
    /// Whether the server had a backup that was deleted.
    package var wasRemoved = false
    /// For another try of the same command.
    package var progress = Progress()

    package struct Upload: Equatable, Sendable {
        package var limits: ServerLimits
        package var bytes: Int
        package var generation: Int64
        package var isVerified: Bool
    }

    package enum Replaced: Equatable, Sendable {
        case damaged
        case missing
        case older(generation: Int64)
        case foreign
    }

    /// A place whose backup was to be deleted and was not.
    package struct Left: Equatable, Sendable {
        package var role: Role
        package var reason: SafeFailure
    }
}

/// What the tries of one command share.
package struct Progress: Equatable, Sendable {
    /// The foreign backups that it may replace: at each place those bytes that its first look showed, or none.
    private var agreements: [Role: Digest?] = [:]
    /// Whether it has asked for the deletion at the present place.
    var hasSentDeletion = false

    package init() {}

    var agreed: [Digest] { agreements.values.compactMap(\.self) }

    func hasAgreed(at role: Role) -> Bool { agreements[role] != nil }

    mutating func agree(to digest: Digest?, at role: Role) { agreements[role] = .some(digest) }

    /// The places move.
    mutating func completeChange() {
        agreements = [.retiring: agreements[.current], .current: agreements[.next]].compactMapValues(\.self)
    }
}

/// Why a verb did not do what it was asked for.
package enum SafeFailure: Error, Equatable, Sendable {
    case exchange(Role, SafeExchangeError)
    case badLimits(Role, ServerLimitsError)
    case tooLarge(Role, bytes: Int, limit: Int)
    /// The server asked to wait; `loss` is what an earlier look found.
    case waiting(until: Timestamp, loss: Finding?)
    /// The place holds what somebody else has written.
    case conflict(Role, isOtherKey: Bool)
    /// The place holds more bytes than are read.
    case tooLong(Role)
    /// What is there does not authenticate; only `delete` removes that.
    case unreadable(Role)
    /// It changes between two looks, again and again.
    case unsettled(Role)
    /// The server did not return what was sent.
    case notVerified(Role)
    /// The server did not remove what it says it has removed.
    case notRemoved(Role)
    case losesContacts(before: Int, now: Int)
    /// No backup is there.
    case absent
    /// The backup that is there does not authenticate.
    case damaged
    /// The backup that is there is an earlier one of this keystore.
    case older
    /// The backup holds another private key than the keystore.
    case otherKey
    /// The backup is older than one that was seen: its generation, and the one that was seen.
    case olderBackup(found: Int64, seen: Int64)
    /// The document here has changes that were never uploaded.
    case unpushedChanges
    /// The backup authenticates, but this version cannot read it.
    case notUnderstood
    /// A deletion was begun, and its process died.
    case deletionInterrupted
    /// Old and new address show the same bytes, and are perhaps not one place.
    case replica
    /// The old place was to be left as it is.
    case leftAsAsked
    /// The two addresses are not one place.
    case otherPlace
    /// After the old backup was deleted the new one was gone, too; it was uploaded again.
    case survivorLost
    /// A change is unfinished; it has to end first.
    case changeUnfinished
    /// A backup of an earlier change is still to be deleted.
    case oldBackupLeft
}

extension SafeFailure {
    /// Whether it is about what a server holds, not about the way there.
    package var isOfContent: Bool {
        switch self {
        case .exchange, .badLimits: false
        default: true
        }
    }

    /// The place that it is about; nil if it is about none in particular.
    package var role: Role? {
        switch self {
        case .exchange(let role, _), .badLimits(let role, _), .tooLarge(let role, _, _), .conflict(let role, _),
            .tooLong(let role), .unreadable(let role), .unsettled(let role), .notVerified(let role),
            .notRemoved(let role):
            role
        case .absent, .damaged, .older, .otherKey, .olderBackup, .unpushedChanges, .notUnderstood, .survivorLost:
            .current
        case .waiting, .losesContacts, .deletionInterrupted, .replica, .leftAsAsked, .otherPlace, .changeUnfinished,
            .oldBackupLeft:
            nil
        }
    }
}
