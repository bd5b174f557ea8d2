package import ObservedTime

/// What a keystore remembers of the backups that it fetched from a place in order to store them (`safe mirror`).
///
/// A mirrored backup does not become known: `ReplacementRule` never reads this.
package struct MirrorState: Hashable, Sendable {
    /// Most entries of `journal`. The oldest one is dropped first.
    package static let capacity = 512

    /// The digest of each stored backup, the newest last, whether or not it is still in the history.
    package private(set) var journal: [Digest]
    /// Digest of the normal backup: the last one that raised no alarm. The next one is compared with it.
    package private(set) var normal: Digest?
    /// Contacts in the normal backup.
    package private(set) var contacts: Int
    /// When the newest backup was first fetched.
    package private(set) var changedAt: ObservedTimestamp?
    /// When a run last ended without an alarm.
    package private(set) var succeededAt: ObservedTimestamp?

    package init(
        journal: [Digest] = [], normal: Digest? = nil, contacts: Int = 0,
        changedAt: ObservedTimestamp? = nil, succeededAt: ObservedTimestamp? = nil
    ) {
        self.journal = Array(journal.suffix(Self.capacity))
        self.normal = normal
        self.contacts = contacts
        self.changedAt = changedAt
        self.succeededAt = succeededAt
    }

    /// Whether this is the backup that was stored last.
    package func isNewest(_ digest: Digest) -> Bool { journal.last == digest }

    fileprivate mutating func store(_ digest: Digest, at now: ObservedTimestamp) {
        journal.append(digest)
        if journal.count > Self.capacity { journal.removeFirst(journal.count - Self.capacity) }
        changedAt = now
    }

    fileprivate mutating func accept(_ digest: Digest, contacts: Int, at now: ObservedTimestamp) {
        normal = digest
        self.contacts = contacts
        succeededAt = now
    }
}

/// The rule of `safe mirror`: whether a fetched backup is stored, and whether it raises an alarm.
///
/// The same backup is judged in the same way in every run, so an alarm is repeated until its cause is gone, and a run
/// that was interrupted after the backup was stored changes nothing.
package struct MirrorRule: Hashable, Sendable {
    /// Whether over half of the contacts may be gone. Then this backup becomes the normal one.
    package var isAcceptingLoss: Bool

    package init(isAcceptingLoss: Bool = false) { self.isAcceptingLoss = isAcceptingLoss }

    /// What to do with a fetched backup.
    package struct Judgement: Hashable, Sendable {
        /// Whether it belongs into the history: it authenticates, and is not older than the newest one.
        package var isToBeHeld = false
        /// Whether it was not stored before.
        package var isNew = false
        /// The alarm; nil for a backup in order.
        package var alarm: MirrorAlarm?
        /// What to remember.
        package var state: MirrorState
    }

    package func judge(_ found: Found, _ state: MirrorState, at now: ObservedTimestamp) -> Judgement {
        var judgement = Judgement(state: state)
        switch found {
        case .nothing: judgement.alarm = .absent
        case .tooLong: judgement.alarm = .tooLong
        case .unauthentic: judgement.alarm = .damaged
        case .authentic(let digest, let contents):
            if !state.isNewest(digest) {
                guard !state.journal.contains(digest) else {
                    judgement.alarm = .older
                    break
                }
                judgement.isNew = true
                judgement.state.store(digest, at: now)
            }
            judgement.isToBeHeld = true
            judgement.alarm = alarm(contents, digest, state)
            if judgement.alarm == nil { judgement.state.accept(digest, contacts: contents.contacts, at: now) }
        }
        return judgement
    }

    private func alarm(_ contents: Found.Contents, _ digest: Digest, _ state: MirrorState) -> MirrorAlarm? {
        guard contents.relation != .notUnderstood else { return .notUnderstood }
        guard contents.relation != .otherKey else { return .otherKey }
        guard contents.contacts * 2 >= state.contacts || digest == state.normal || isAcceptingLoss else {
            return .losesContacts(before: state.contacts, now: contents.contacts)
        }
        return nil
    }
}

/// Why a mirrored place is not in order.
package enum MirrorAlarm: Hashable, Sendable {
    /// The place has no backup.
    case absent
    /// The place holds more bytes than are read. They were not stored.
    case tooLong
    /// The bytes do not authenticate. They were not stored.
    case damaged
    /// The place went back to a backup that was stored before the newest one.
    case older
    /// The backup authenticates, but this version cannot read it. It was stored.
    case notUnderstood
    /// The backup holds another private key than the keystore. It was stored.
    case otherKey
    /// Over half of the contacts are gone since the normal backup. It was stored.
    case losesContacts(before: Int, now: Int)

    /// What is remembered of it.
    var finding: Finding {
        switch self {
        case .absent: .missing
        case .tooLong, .damaged, .notUnderstood: .damaged
        case .older: .older
        case .otherKey: .foreign
        case .losesContacts: .lossy
        }
    }
}
