package import Keystore
internal import SecureMemory
package import SessionStore

/// What an archive has to know of a messenger. Its room is not visible here, so the program passes it.
package struct ArchivedMessenger: Sendable {
    /// The name of its owners.
    package let name: String
    /// Records that no archive contains: sessions, and what is under way.
    package let transient: Set<RecordName>
    /// Records that an identity can do without. If one is damaged, an export can leave it out, and not the identity.
    package let dispensable: Set<RecordName>
    /// Whether a record of the archive counts as that of the keystore in a check: also what keytool changes by itself
    /// does. One of both may lack it.
    package let isSame: IsSame
    /// What a record becomes when the archive takes the place of the keystore's identity, if both together say more than
    /// that of the archive; nil for what has to be as it is there.
    package let merged: Merged
    /// Checks that records have the form that the messenger's verbs write, so that they can be stored.
    /// - Returns: a public key or another public name to compare, in hexadecimal; nil if there is none.
    package let check: @Sendable (RecordSet) throws(RecordProblem) -> String?
    /// Sets the states of an identity's places to what stays true if another one takes its place; nil to remove them.
    package let forgetStates: ForgetStates?

    package typealias IsSame = @Sendable (RecordName, _ archived: RecordSet, _ held: RecordSet) -> Bool
    package typealias Merged = @Sendable (RecordName, _ archived: RecordSet, _ held: RecordSet) -> [UInt8]?
    package typealias ForgetStates =
        @Sendable (
            OpenKeystore, borrowing IdentityRecords, _ archived: RecordSet, _ held: RecordSet, inout RecordChanges
        )
        throws -> Void

    package init(
        _ name: String, transient: Set<RecordName> = [], dispensable: Set<RecordName> = [],
        isSame: @escaping IsSame = { $1.isEqual($0, in: $2) }, merged: @escaping Merged = { _, _, _ in nil },
        forgetStates: ForgetStates? = nil,
        check: @escaping @Sendable (RecordSet) throws(RecordProblem) -> String?
    ) {
        self.name = name
        self.transient = transient
        self.dispensable = dispensable
        self.isSame = isSame
        self.merged = merged
        self.forgetStates = forgetStates
        self.check = check
    }
}

/// The messengers whose records an archive may contain.
package struct ArchivedMessengers: Sendable {
    private let messengers: [String: ArchivedMessenger]

    package init(_ messengers: [ArchivedMessenger]) {
        self.messengers = Dictionary(uniqueKeysWithValues: messengers.map { ($0.name, $0) })
    }

    /// Whether records of this messenger can be checked.
    package func contains(_ owner: Owner) -> Bool { messengers[owner.messenger] != nil }

    /// Checks the records of an identity before they are stored.
    /// - Returns: its public key; nil if it has none.
    /// - Throws: `ArchiveRefusal`.
    package func check(_ records: RecordSet) throws(ArchiveRefusal) -> String? {
        let owner = records.owner
        guard let messenger = messengers[owner.messenger] else { throw .unknownMessenger(owner) }
        if let name = records.names.first(where: messenger.transient.contains) {
            throw .malformed(owner, .unknown(name))
        }
        do throws(RecordProblem) {
            return try messenger.check(records)
        } catch {
            throw .malformed(owner, error)
        }
    }

    /// Whether no record of an identity is malformed or missing, also of those that no archive contains. Records that are
    /// not known are not judged.
    package func isSound(_ records: RecordSet) -> Bool {
        do throws(RecordProblem) {
            _ = try messengers[records.owner.messenger]?.check(records)
            return true
        } catch {
            if case .unknown = error { return true }
            return false
        }
    }

    /// Changes the states of an identity that is replaced; see `ArchivedMessenger.forgetStates`.
    func forgetStates(
        of records: borrowing IdentityRecords, _ held: RecordSet, replacedBy archived: RecordSet,
        _ keystore: OpenKeystore, in changes: inout RecordChanges
    ) throws {
        if let forget = messengers[records.owner.messenger]?.forgetStates {
            return try forget(keystore, records, archived, held, &changes)
        }
        for place in try records.placesWithState() { changes.removeState(of: place) }
    }

    /// Whether an archive contains a record of this owner.
    func contains(_ name: RecordName, of owner: Owner) -> Bool {
        messengers[owner.messenger]?.transient.contains(name) != true
    }

    /// See `ArchivedMessenger.isSame`.
    func isSame(_ name: RecordName, _ archived: RecordSet, _ held: RecordSet) -> Bool {
        messengers[archived.owner.messenger]?.isSame(name, archived, held) ?? archived.isEqual(name, in: held)
    }

    /// See `ArchivedMessenger.merged`.
    func merged(_ name: RecordName, _ archived: RecordSet, _ held: RecordSet) -> [UInt8]? {
        messengers[archived.owner.messenger]?.merged(name, archived, held)
    }

    /// The record that is in the way, if its identity can do without it.
    func dispensable(_ refusal: ArchiveRefusal) -> RecordName? {
        switch refusal {
        case .damaged(let owner, let name), .malformed(let owner, .malformed(let name)):
            messengers[owner.messenger]?.dispensable.contains(name) == true ? name : nil
        default: nil
        }
    }
}

/// Exports the identities of a keystore to an archive, compares the two, and imports identities from it.
package struct ArchiveKeeper: Sendable {
    let keystore: OpenKeystore
    let messengers: ArchivedMessengers
    /// Two copies of an identity's records that differ are followed by two more, so many times.
    private static let tries = 10

    package init(_ keystore: OpenKeystore, _ messengers: ArchivedMessengers) {
        self.keystore = keystore
        self.messengers = messengers
    }

    /// The records of an identity at one moment, without those that no archive contains.
    /// - Parameter leftOut: these are not read.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged` for a commit file that is not authentic;
    ///   `ArchiveRefusal.changing`; `FileError`.
    func records(of owner: Owner, without leftOut: Set<RecordName> = []) throws -> RecordSet {
        // Twice instead of a lock, which a long upload may hold.
        for _ in 0..<Self.tries {
            let first = try copy(keystore.identity(owner), without: leftOut)
            let second = try copy(keystore.identity(owner), without: leftOut)
            if first.isEqual(second) { return second }
        }
        throw ArchiveRefusal.changing(owner)
    }

    func copy(_ records: borrowing IdentityRecords, without leftOut: Set<RecordName> = []) throws -> RecordSet {
        let owner = records.owner
        return try RecordSet(of: records) { messengers.contains($0, of: owner) && !leftOut.contains($0) }
    }

    // MARK: Comparing

    /// Compares an identity of an archive with the keystore, without what keytool changes by itself.
    /// - Throws: as `KeystoreError`, `FileError` and `ArchiveRefusal.changing`.
    package func compare(_ archived: RecordSet) throws -> ArchiveComparison {
        guard try keystore.identities().contains(archived.owner) else { return .missing }
        return ArchiveComparison(archived, with: try records(of: archived.owner), messengers.isSame)
    }

    /// The identities of the keystore that an archive does not contain.
    package func owners(notIn archive: Archive) throws -> [Owner] {
        let archived = Set(archive.identities.map(\.owner))
        return try keystore.identities().filter { !archived.contains($0) }
    }

    // MARK: Importing

    /// Adds or replaces an identity, with all of its records at once.
    ///
    /// What the states of a replaced identity's places know of the backups there goes. Its histories, their numbers and
    /// its sessions stay, and what is known of its paper if the key is the same.
    /// - Parameters:
    ///   - sessions: those of the archive. They are stored with an identity that is added, and with no other one.
    ///   - mayReplace: whether to replace the identity if the keystore holds it with other records.
    /// - Returns: what was done.
    /// - Throws: `ArchiveRefusal`; `KeystoreError`; `SessionStoreError`; `FileError`. Then nothing was changed.
    package func store(
        _ archived: RecordSet, sessions: ExportedValues? = nil, mayReplace: Bool
    ) throws -> ImportDecision {
        _ = try messengers.check(archived)
        // Under the lock from the start, so that an earlier replacement that was killed is completed first.
        if mayReplace, try keystore.identities().contains(archived.owner) { return try replace(by: archived) }
        let decision = ImportDecision(try compare(archived), mayReplace: false)
        switch decision {
        case .nothing, .replace: break
        case .refuse(let differences): throw ArchiveRefusal.held(archived.owner, differences)
        case .add:
            do {
                try keystore.add(archived.owner) { new in
                    for name in archived.names { try archived.withRecord(name) { try new.write(name, $0) } }
                    if let sessions { try new.createSessions(holding: sessions, keystore) }
                }
            } catch KeystoreError.exists {
                // Another process has added it since the comparison, perhaps the same.
                return try store(archived, sessions: sessions, mayReplace: mayReplace)
            }
        }
        return decision
    }

    private func replace(by archived: RecordSet) throws -> ImportDecision {
        let held = try keystore.lockedIdentity(archived.owner, wait: LockedIdentity.usualWait)
        let present = try copy(held.records)
        let names = Set(archived.names).union(try held.records.recordNames())
        let merged = names.reduce(into: [:]) { $0[$1] = messengers.merged($1, archived, present) }
        let comparison = ArchiveComparison(archived, with: present) { name, archived, present in
            guard let merged = merged[name] else { return archived.isEqual(name, in: present) }
            return present.read(name)?.withBytes { $0.revealBytes() == merged } ?? false
        }
        let decision = ImportDecision(comparison, mayReplace: true)
        guard case .replace = decision else { return decision }
        var changes = held.changes()
        // Those that no archive contains go, too.
        for name in names {
            if let merged = merged[name] {
                changes.set(name, merged.span)
            } else if archived.count(of: name) == nil {
                changes.remove(name)
            } else {
                archived.withRecord(name) { changes.set(name, $0) }
            }
        }
        try messengers.forgetStates(of: held.records, present, replacedBy: archived, keystore, in: &changes)
        let count = try names.count + held.records.placesWithState().count
        guard count <= RecordChanges.limit else {
            throw ArchiveRefusal.tooManyRecords(archived.owner, limit: RecordChanges.limit)
        }
        try held.commit(changes)
        return decision
    }
}
