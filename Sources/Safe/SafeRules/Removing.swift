internal import Encodings
internal import SafeWire

// A deletion, in the order of its requests:
//
//   hold → look → the rule → proof that the survivor is elsewhere → look at the survivor → keep → announce → delete
//        → look → look at the survivor
//
// The survivor is the backup that stays. Before the request its state is set to "look again". If it is missing before
// or after the request, it is uploaded again.

extension SafeMachine {
    /// A deletion at one place.
    struct Removal: Equatable, Sendable {
        var role: Role
        /// The place of the survivor; nil if every backup is deleted.
        var survivor: Role?
        /// Whether to delete bytes that do not authenticate, too.
        var takesUnreadable = false
    }

    mutating func remove(_ removal: Removal) {
        work.firstLook = nil
        work.looks = 0
        work.conditionFailures = 0
        work.found[removal.role] = nil
        perform([.hold(removal.role), .look(removal.role, .removal(removal))])
    }

    mutating func judge(_ found: Found, for removal: Removal) {
        let role = removal.role
        let isMissingOrDamaged = [.nothing, .unreadable].contains(standing(found, at: role))
        // An upload that was never acknowledged may be there, too.
        let isExpected = place(role).expectsBackup || !place(role).journal.isEmpty
        if isMissingOrDamaged, isExpected, !isSettled(found, at: role, .removal(removal)) { return }
        guard found != .nothing else {
            outcome.wasRemoved = outcome.wasRemoved || outcome.progress.hasSentDeletion
            return
        }
        let survivor = removal.survivor.flatMap { needsProof(removal, from: $0) ? $0 : nil }
        // The survivor's place knows these bytes: both are one place under two names, or one is a copy of the other.
        // If every backup is deleted, those bytes are to be deleted, too.
        let isOtherPlaces = (removal.survivor == nil ? .current : survivor).map { holds(found, $0) } ?? false
        guard isOtherPlaces || rule.mayDelete(found, at: place(role), takesUnreadable: removal.takesUnreadable) else {
            if role == .current {
                note(finding(standing(found, at: role)), at: role)
                // Another device uses this place, so the backup that was to be deleted is gone.
                knowledge.isDeleting = false
            }
            if case .unauthentic = found { return fail(.unreadable(role)) }
            return fail(Self.conflict(found, at: role))
        }
        guard let survivor else { return performDeletion(removal) }
        perform(proof(write: survivor, look: role, for: role) + [.judgeProbe(.beforeDeletion(removal))])
    }

    private func needsProof(_ removal: Removal, from survivor: Role) -> Bool {
        place(survivor).backup == place(removal.role).backup
    }

    private func holds(_ found: Found, _ role: Role) -> Bool {
        guard let digest = found.digest else { return false }
        return digest == place(role).last || place(role).journal.contains(digest)
    }

    /// The probe has proven that they are two places.
    private mutating func deleteProven(_ removal: Removal) {
        let (found, role) = (work.found[removal.role] ?? .nothing, removal.role)
        if let survivor = removal.survivor, let digest = found.digest, digest == place(survivor).last {
            // One place may be a copy of the other that follows its deletions.
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
        // The upload of the survivor took time, so the place is read again.
        guard !work.isLookDue else {
            work.isLookDue = false
            return remove(removal)
        }
        let found = work.found[removal.role] ?? .nothing
        if standing(found, at: removal.role) == .foreign {
            outcome.replaced = .foreign
            outcome.progress.hasReplacedForeign = true
        }
        let keep: [Step] = found.digest == nil ? [] : [.keep(removal.role)]
        perform(keep + [.announceRemoval(removal), .delete(removal)])
    }

    /// Checks that the survivor exists before anything is deleted, unless this run has just seen it.
    private func looks(before removal: Removal) -> [Step] {
        guard let survivor = removal.survivor else { return [] }
        if let digest = work.found[survivor]?.digest, digest == place(survivor).last { return [] }
        return [.look(survivor, .survivorBefore)]
    }

    /// The steps after a deletion that the server has accepted.
    func looks(after removal: Removal) -> [Step] {
        let survivor: [Step] = removal.survivor.map { [.look($0, .survivor)] } ?? []
        return [.look(removal.role, .gone(removal))] + survivor
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
        case .foreign: fail(Self.overtaking(found, at: removal.role))
        case .unreadable, .last, .known, .own: fail(.notRemoved(removal.role))
        }
    }

    /// Before or after a deletion at another place: checks that the survivor exists.
    mutating func judgeSurvivor(_ found: Found, at role: Role, isAfter: Bool) {
        switch standing(found, at: role) {
        case .last:
            note(nil, at: role)
            let time = time
            update(role) { $0.see(at: time) }
        case .foreign, .own:
            note(.foreign, at: role)
            fail(isAfter ? Self.overtaking(found, at: role) : Self.conflict(found, at: role))
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
    /// The purpose of the probe.
    enum Proof: Equatable, Sendable {
        case beforeDeletion(Removal)
        /// At the beginning of a change.
        case ofChange
        /// Of another spelling of the address.
        case ofAddress
        /// Of another login or other trust at the same address.
        case ofOtherWay
    }

    /// - Parameter place: the place that is named if the probe cannot be stored.
    func proof(write: Role, look: Role, for place: Role) -> [Step] {
        [.storeProbe(write, blamed: place), .fetchProbe(look), .removeProbe(write)]
    }

    mutating func judge(_ proof: Proof) {
        let isOnePlace = work.isProbeThere
        work.isProbeThere = nil
        switch (proof, isOnePlace) {
        case (.beforeDeletion(let removal), false?): deleteProven(removal)
        // Both are one place, so the backup there is the survivor. What was sent to it under the other name is known.
        case (.beforeDeletion(let removal), true?): judgeOnePlace(removal)
        case (.beforeDeletion(let removal), nil): fail(work.probeFailure ?? .unsettled(removal.role))
        case (.ofChange, true?), (.ofAddress, true?):
            perform([.look(.current, .presentAddress), .look(.next, .otherAddress)])
        case (.ofChange, _): perform([.look(.next, .newPlace)])
        case (.ofAddress, _), (.ofOtherWay, false?): fail(.otherPlace)
        case (.ofOtherWay, true?): readdress(noting: finding(standing(work.found[.next] ?? .nothing, at: .current)))
        // The present address or login does not work any more, which is why there is a new one.
        case (.ofOtherWay, nil): readdress(noting: .unproven)
        }
    }

    /// Both are one place, so the backup there is the survivor. What was sent to it under the other name is known.
    private mutating func judgeOnePlace(_ removal: Removal) {
        let survivor = removal.survivor ?? .current
        // Another place can show the probe without being the same place.
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
