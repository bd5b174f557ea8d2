internal import Encodings

// A change of password or place. Whichever action the process dies at, the next push or the same command goes on:
//
//   current: old                 old backup
//   current: old, next: new      old backup, perhaps the new one
//   current: new, retiring: old  both                              <- the one save that switches
//   current: new                 new backup

extension SafeMachine {
    /// An earlier change has to be over before another begins.
    mutating func settleEarlierChange() {
        guard !knowledge.isDeleting else { return fail(.deletionInterrupted) }
        guard case .change(let change) = verb else { return }
        guard knowledge.next == nil || change.isUnfinishedOne else { return fail(.changeUnfinished) }
        guard knowledge.retiring != nil else { return }
        perform([.remove(.init(role: .retiring, survivor: .current)), .drop(.retiring), .attempt(.earlierChange)])
    }

    mutating func judgeOldPlace(_ found: Found) {
        let standing = standing(found, at: .current)
        switch standing {
        case .last:
            note(nil, at: .current)
            knowledge.current.seenAt = now
        case .own: break
        case .foreign:
            // Also where its loss is agreed to: the change may not come to that.
            note(.foreign, at: .current)
            guard rule.mayDelete(found, at: knowledge.current, takesUnreadable: false) else {
                return fail(Self.conflict(found, at: .current))
            }
        case .nothing, .unreadable, .known:
            if knowledge.current.expectsBackup { note(finding(standing), at: .current) }
        }
    }

    mutating func judgeNewPlace(_ found: Found) {
        guard case .change(let change) = verb, var candidate else { return }
        let isSameBackup = candidate.backup == knowledge.current.backup
        if isSameBackup, let digest = found.digest, knowledge.current.journal.contains(digest) {
            // Our own bytes, and no proof that this is the same place: it may be a copy that follows the old place, its
            // deletions included.
            guard change.isLeavingOld || !clauses.contains(.provesPlaces) else { return fail(.replica) }
            candidate.journal.merge(knowledge.current.journal)
            self.candidate = candidate
        }
        guard rule.mayReplace(found, at: candidate) != .refused else { return fail(Self.conflict(found, at: .next)) }
    }

    /// What the new place would refuse for good is no change to begin.
    mutating func measureChange() -> Action? {
        if let failure = lossOfContacts(at: .next) {
            fail(failure)
            return nil
        }
        return .seal(.next, generation: nextGeneration(.next))
    }

    /// Writes the change down: from here on it is unfinished.
    mutating func beginChange() -> Action? {
        guard case .change(let change) = verb, let candidate else { return nil }
        knowledge.next = candidate
        knowledge.consents = outcome.progress.agreed.filter { $0 != ReplacementRule.tooLong }
        knowledge.isLeavingOld = change.isLeavingOld
        return save(.begin)
    }

    mutating func completeChange() -> Action? {
        guard var next = knowledge.next else { return nil }
        if next.backup == knowledge.current.backup { next.journal.merge(knowledge.current.journal) }
        next.passwordProvenAt = next.backup == knowledge.current.backup ? knowledge.current.passwordProvenAt : nil
        knowledge.retiring = knowledge.current
        knowledge.current = next
        knowledge.next = nil
        outcome.progress.completeChange()
        candidate = nil
        work.found = [.current: work.found[.next] ?? .nothing]
        work.limits = work.limits[.next].map { [.current: $0] } ?? [:]
        return save(.complete)
    }

    /// Deletes the backup at the old place.
    mutating func retireOld() {
        guard let retiring = knowledge.retiring else { return endChange() }
        if knowledge.isLeavingOld {
            outcome.left.append(.init(role: .retiring, reason: .leftAsAsked))
            return perform([.drop(.retiring)])
        }
        if let wait = retiring.notBefore, now < wait, wait <= now + UploadDecision.longestWait {
            outcome.left.append(.init(role: .retiring, reason: .waiting(until: wait, loss: nil)))
            return
        }
        perform([.remove(.init(role: .retiring, survivor: .current)), .drop(.retiring), .attempt(.leave(.retiring))])
    }

    /// Gives a place up; nothing is deleted there.
    mutating func drop(_ role: Role) -> Action? {
        switch role {
        case .current: return nil
        case .next:
            guard let next = knowledge.next else { return nil }
            // What was sent there may stand at the current place, if both are one.
            if next.backup == knowledge.current.backup { knowledge.current.journal.merge(next.journal) }
            knowledge.next = nil
            endChange()
            return save(.dropNext)
        case .retiring:
            guard knowledge.retiring != nil else { return nil }
            knowledge.retiring = nil
            endChange()
            return save(.dropRetiring)
        }
    }

    private mutating func endChange() {
        guard knowledge.next == nil, knowledge.retiring == nil else { return }
        knowledge.consents = []
        knowledge.isLeavingOld = false
    }

    // MARK: Another address of the same place

    /// The same address with another login, other authorities or pins.
    mutating func judgeOtherWay(_ found: Found) {
        // Whether these bytes are known is judged by the current place: the other way has no journal.
        switch rule.standing(of: found, at: knowledge.current) {
        case .last: readdress(noting: nil)
        case .known where !isOlder(found, at: .current): readdress(noting: nil)
        case .nothing where !knowledge.current.expectsBackup, .own: readdress(noting: knowledge.current.finding)
        // Another login may lead to another directory.
        default: perform(proof(write: .next, look: .current, for: .next) + [.judgeProbe(.ofOtherWay)])
        }
    }

    /// One place: does the other address show what the present one does, too?
    mutating func judgeOtherAddress(_ found: Found) {
        // What is inside is judged by the place: only the bytes tell.
        let present = work.found[.current] ?? .nothing
        guard found.digest == present.digest, (found == .nothing) == (present == .nothing) else {
            if case .change = verb { return fail(.notVerified(.next)) }
            return fail(.otherPlace)
        }
        readdress(noting: finding(standing(found, at: .current)))
    }

    mutating func readdress(noting finding: Finding?) {
        outcome.result = .readdressed
        if finding == nil || knowledge.current.expectsBackup || finding == .foreign { note(finding, at: .current) }
        skipRest()
        perform([.save(.readdress)])
    }
}
