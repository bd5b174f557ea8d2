package import Encodings
package import SafeWire

/// The result of a verb.
package struct Outcome: Equatable, Sendable {
    /// What happened to the backup at the current place.
    package enum Result: Equatable, Sendable {
        case uploaded, refreshed, restored, confirmed, unchanged
        case deferred(until: Timestamp)
        /// A dry run would have done this.
        case wouldUpload, wouldConfirm
        /// The new address leads to the same place, and was saved.
        case readdressed
        /// A change, or an old place, was abandoned.
        case ended
        /// Nothing had to be done: there was no change to abort.
        case nothing
        /// The backup was new and was stored in the history.
        case mirrored
    }

    package var result: Result = .nothing
    package var failure: SafeFailure?
    /// The upload of this run to the current place.
    package var upload: Upload?
    /// What the upload replaced, if that was not the backup that was last seen.
    package var replaced: Replaced?
    /// Places whose backup was not deleted, with the reason.
    package var left: [Left] = []
    /// Why an unfinished change cannot continue.
    package var stuck: SafeFailure?
    /// The result of the last look at the current place.
    package var found: Found?
    package var standing: ReplacementRule.Standing?
    package var limits: ServerLimits?
    /// Whether the server had a backup that was deleted.
    package var wasRemoved = false
    /// For the next try of the same command.
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

    /// A place whose backup was not deleted as planned.
    package struct Left: Equatable, Sendable {
        package var role: Role
        package var reason: SafeFailure
    }
}

/// What one try of a command passes to the next.
package struct Progress: Equatable, Sendable {
    /// The foreign backups that the command may replace: for each place the digest of its first look, or nil.
    private var agreements: [Role: Digest?] = [:]
    /// Whether the command has sent a DELETE to the current place.
    var hasSentDeletion = false
    /// Whether a foreign backup was replaced or deleted, by consent, at any place.
    package internal(set) var hasReplacedForeign = false

    package init() {}

    var agreed: [Digest] { agreements.values.compactMap(\.self) }

    func hasAgreed(at role: Role) -> Bool { agreements[role] != nil }

    mutating func agree(to digest: Digest?, at role: Role) { agreements[role] = .some(digest) }

    /// The places move.
    mutating func completeChange() {
        agreements = [.retiring: agreements[.current], .current: agreements[.next]].compactMapValues(\.self)
    }
}

/// Why a verb failed.
package enum SafeFailure: Error, Equatable, Sendable {
    case exchange(Role, SafeExchangeError)
    case badLimits(Role, ServerLimitsError)
    case tooLarge(Role, bytes: Int, limit: Int)
    /// The server asked to wait. `loss` is the finding of an earlier look.
    case waiting(until: Timestamp, loss: Finding?)
    /// The place holds a foreign backup.
    case conflict(Role, isOtherKey: Bool)
    /// The current place holds a foreign backup that came after this run had written or deleted there.
    case overtaken(isOtherKey: Bool)
    /// The place holds more bytes than are read.
    case tooLong(Role)
    /// The place holds bytes that do not authenticate. Only `delete` removes them.
    case unreadable(Role)
    /// The backup changes between two looks, repeatedly.
    case unsettled(Role)
    /// The server did not return what was sent.
    case notVerified(Role)
    /// The server confirmed a deletion, but still has the backup.
    case notRemoved(Role)
    case losesContacts(before: Int, now: Int)
    /// The backup is missing.
    case absent
    /// The backup does not authenticate.
    case damaged
    /// The backup is an earlier one of this keystore.
    case older
    /// The backup holds another private key than the keystore.
    case otherKey
    /// The generation of the backup is lower than one that was seen.
    case olderBackup(found: Int64, seen: Int64)
    /// The keystore's document has changes that were never uploaded.
    case unpushedChanges
    /// The keystore's document is another one, and may be newer than that of a place that was never seen.
    case otherProfile
    /// The backup authenticates, but this version cannot read it.
    case notUnderstood
    /// The process of an earlier deletion died.
    case deletionInterrupted
    /// Old and new address show the same bytes, but were not proven to be one place.
    case replica
    /// The backup at the old place was left, as requested.
    case leftAsAsked
    /// The two addresses lead to different places.
    case otherPlace
    /// After the old backup was deleted, the new one was missing, too; it was uploaded again.
    case survivorLost
    /// Another change is unfinished and has to end first.
    case changeUnfinished
    /// A backup of an earlier change is still to be deleted.
    case oldBackupLeft
    /// The place is set up for reading only.
    case readOnly
    /// The place is not set up for reading only.
    case notReadOnly
    /// The mirrored place is not in order.
    case mirror(MirrorAlarm)
}

extension SafeFailure {
    /// Whether the cause is the contents of a server, and not the connection to it.
    package var isOfContent: Bool {
        switch self {
        case .exchange, .badLimits: false
        default: true
        }
    }

    /// The place of the failure; nil if it is not about one place.
    package var role: Role? {
        switch self {
        case .exchange(let role, _), .badLimits(let role, _), .tooLarge(let role, _, _), .conflict(let role, _),
            .tooLong(let role), .unreadable(let role), .unsettled(let role), .notVerified(let role),
            .notRemoved(let role):
            role
        case .overtaken, .absent, .damaged, .older, .otherKey, .olderBackup, .unpushedChanges, .otherProfile,
            .notUnderstood, .survivorLost, .mirror:
            .current
        case .waiting, .losesContacts, .deletionInterrupted, .replica, .leftAsAsked, .otherPlace, .changeUnfinished,
            .oldBackupLeft, .readOnly, .notReadOnly:
            nil
        }
    }
}
