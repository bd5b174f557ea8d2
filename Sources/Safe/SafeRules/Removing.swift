internal import Encodings
internal import SafeWire

// A deletion, in the order of its requests:
//
//   hold → look → the rule → proof that the survivor is elsewhere → look at the survivor → keep → announce → delete
//        → look → look at the survivor
//
// Before the request the survivor's state says "look again". A survivor that is gone, before or after it, is uploaded
// again.

extension SafeMachine {
    /// A deletion at one place.
    struct Removal: Equatable, Sendable {
        var role: Role
        /// Whose backup is to stay; nil if none is.
        var survivor: Role?
        /// Also what does not authenticate.
        var takesUnreadable = false
    }

    mutating func remove(_ removal: Removal) {
        work.firstLook = nil
        work.looks = 0
        work.conditionFailures = 0
        work.found[removal.role] = nil
        guard judges(removal) else { return perform([.announceRemoval(removal), .delete(removal)]) }
        perform([.hold(removal.role), .look(removal.role, .removal(removal))])
    }

    private func judges(_ removal: Removal) -> Bool {
        switch removal.role {
        case .retiring: clauses.contains(.judgesOldPlace)
        case .next: clauses.contains(.judgesAbortedPlace)
        case .current: true
        }
    }

    mutating func judge(_ found: Found, for removal: Removal) {
        let role = removal.role
        let isMissingOrDamaged = [.nothing, .unreadable].contains(standing(found, at: role))
        // What was sent and never acknowledged may be there, too.
        let isExpected = place(role).expectsBackup || !place(role).journal.isEmpty
        if isMissingOrDamaged, isExpected, !isSettled(found, at: role, .removal(removal)) { return }
        guard found != .nothing else {
            outcome.wasRemoved = outcome.progress.hasSentDeletion
            return
        }
        let survivor = removal.survivor.flatMap { needsProof(removal, from: $0) ? $0 : nil }
        // Bytes that are known at the survivor: one place under two names, or one that is copied from the other.
        let isSurvivors = survivor.map { holds(found, $0) } ?? false
        guard isSurvivors || rule.mayDelete(found, at: place(role), takesUnreadable: removal.takesUnreadable) else {
            if role == .current {
                note(finding(standing(found, at: role)), at: role)
                // Somebody uses this place: what was to be deleted here is not here any more.
                knowledge.isDeleting = false
            }
            if case .unauthentic = found { return fail(.unreadable(role)) }
            return fail(Self.conflict(found, at: role))
        }
        guard let survivor else { return performDeletion(removal) }
        perform(proof(write: survivor, look: role, for: role) + [.judgeProbe(.beforeDeletion(removal))])
    }

    private func needsProof(_ removal: Removal, from survivor: Role) -> Bool {
        place(survivor).backup == place(removal.role).backup && clauses.contains(.provesPlaces)
    }

    private func holds(_ found: Found, _ role: Role) -> Bool {
        guard let digest = found.digest else { return false }
        return digest == place(role).last || place(role).journal.contains(digest)
    }

    /// The two are proven to be two places.
    private mutating func deleteProven(_ removal: Removal) {
        let (found, role) = (work.found[removal.role] ?? .nothing, removal.role)
        if let survivor = removal.survivor, let digest = found.digest, digest == place(survivor).last {
            // A copy that follows: what is deleted in one place may be deleted in the other.
            return fail(.replica)
        }
        guard rule.mayDelete(found, at: place(role), takesUnreadable: removal.takesUnreadable) else {
            return fail(Self.conflict(found, at: role))
        }
        performDeletion(removal)
    }

    mutating func performDeletion(_ removal: Removal) {
        perform(looks(before: removal) + [.carryOut(removal)])
    }

    mutating func carryOut(_ removal: Removal) {
        // Uploading what is to stay took its time: the place is looked at again.
        guard !work.isLookDue else {
            work.isLookDue = false
            return remove(removal)
        }
        let found = work.found[removal.role] ?? .nothing
        if standing(found, at: removal.role) == .foreign { outcome.replaced = .foreign }
        let keep: [Step] = found.digest == nil ? [] : [.keep(removal.role)]
        perform(keep + [.announceRemoval(removal), .delete(removal)])
    }

    /// What is to stay has to be there before anything else is deleted, unless this run has just seen it.
    private func looks(before removal: Removal) -> [Step] {
        guard let survivor = removal.survivor, clauses.contains(.provesPlaces) else { return [] }
        if let digest = work.found[survivor]?.digest, digest == place(survivor).last { return [] }
        return [.look(survivor, .survivorBefore)]
    }

    /// What follows a deletion that the server accepted.
    func looks(after removal: Removal) -> [Step] {
        guard judges(removal) else { return [] }
        let look: [Step] = clauses.contains(.readsAfterDeletion) ? [.look(removal.role, .gone(removal))] : []
        let survivor: [Step] =
            clauses.contains(.provesPlaces) ? removal.survivor.map { [.look($0, .survivor)] } ?? [] : []
        return look + survivor
    }

    mutating func announce(_ removal: Removal) -> Action {
        if let survivor = removal.survivor {
            note(.unproven, at: survivor)
        } else {
            knowledge.isDeleting = true
            note(.unproven, at: removal.role)
        }
        return save(.stay)
    }

    mutating func judgeGone(_ found: Found, _ removal: Removal) {
        switch standing(found, at: removal.role) {
        case .nothing: outcome.wasRemoved = true
        case .foreign: fail(Self.conflict(found, at: removal.role))
        case .unreadable, .last, .known, .own: fail(.notRemoved(removal.role))
        }
    }

    /// Before, or after, a deletion elsewhere: is the backup that is to stay there?
    mutating func judgeSurvivor(_ found: Found, at role: Role, isAfter: Bool) {
        switch standing(found, at: role) {
        case .last:
            note(nil, at: role)
            let timestamp = now
            update(role) { $0.seenAt = timestamp }
        case .foreign, .own:
            note(.foreign, at: role)
            fail(Self.conflict(found, at: role))
        case .nothing, .unreadable, .known:
            note(finding(standing(found, at: role)), at: role)
            guard isAfter || !work.hasRestoredSurvivor else { return fail(.notVerified(role)) }
            work.hasRestoredSurvivor = true
            work.isLookDue = !isAfter
            perform([.upload(role)] + (isAfter ? [.fail(.survivorLost)] : []))
        }
    }
}

// Whether two addresses with one backup id are one place: random bytes are stored under a random id through one, and
// looked for through the other.

extension SafeMachine {
    /// Why it is asked.
    enum Proof: Equatable, Sendable {
        case beforeDeletion(Removal)
        /// At the beginning of a change.
        case ofChange
        /// Of another spelling of the address.
        case ofAddress
        /// Of another login or other trust at the same address.
        case ofOtherWay
    }

    /// - Parameter place: whose the failure is if the probe cannot be stored.
    func proof(write: Role, look: Role, for place: Role) -> [Step] {
        [.storeProbe(write, blamed: place), .fetchProbe(look), .removeProbe(write)]
    }

    mutating func judge(_ proof: Proof) {
        let isOnePlace = work.isProbeThere
        work.isProbeThere = nil
        switch (proof, isOnePlace) {
        case (.beforeDeletion(let removal), false?): deleteProven(removal)
        // One place: the backup there is the one that is to stay. What was sent to it under the other name is known.
        case (.beforeDeletion(let removal), true?): judgeOnePlace(removal)
        case (.beforeDeletion(let removal), nil): fail(work.probeFailure ?? .unsettled(removal.role))
        case (.ofChange, true?), (.ofAddress, true?):
            perform([.look(.current, .presentAddress), .look(.next, .otherAddress)])
        case (.ofChange, _): perform([.look(.next, .newPlace)])
        case (.ofAddress, _), (.ofOtherWay, false?): fail(.otherPlace)
        case (.ofOtherWay, true?): readdress(noting: finding(standing(work.found[.next] ?? .nothing, at: .current)))
        // The present way does not work any more: that is why there is another one.
        case (.ofOtherWay, nil): readdress(noting: .unproven)
        }
    }

    /// The backup there is the one that is to stay. What was sent to it under the other name is known.
    private mutating func judgeOnePlace(_ removal: Removal) {
        let survivor = removal.survivor ?? .current
        // A place that is seen through another one without being it.
        guard let digest = work.found[removal.role]?.digest, digest == place(survivor).last else {
            return fail(.replica)
        }
        mergeJournal(of: removal.role, into: survivor)
    }

    mutating func mergeJournal(of role: Role, into other: Role) {
        let journal = place(role).journal
        update(other) { $0.journal.merge(journal) }
    }
}
