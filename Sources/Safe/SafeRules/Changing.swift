internal import Encodings

// A change of password or place. If the process dies at any action, the next push or the same command continues:
//
//   current: old                 old backup
//   current: old, next: new      old backup, perhaps the new one
//   current: new, retiring: old  both                              <- the one save that switches
//   current: new                 new backup

extension SafeMachine {
    /// An earlier change must end before another begins.
    mutating func settleEarlierChange() {
        guard !knowledge.isDeleting else { return fail(.deletionInterrupted) }
        guard case .change(let change) = verb else { return }
        guard knowledge.next == nil || change.isContinuation else { return fail(.changeUnfinished) }
        guard knowledge.retiring != nil else { return }
        perform([.remove(.init(role: .retiring, survivor: .current)), .drop(.retiring), .attempt(.earlierChange)])
    }

    mutating func judgeOldPlace(_ found: Found) {
        let standing = standing(found, at: .current)
        switch standing {
        case .last:
            note(nil, at: .current)
            knowledge.current.see(at: time)
        case .own: break
        case .foreign:
            // Also if its loss was agreed to, because the change may not get that far.
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
            // These are our own bytes, but the probe did not prove that this is the same place. It may be a copy that
            // follows the old place, including its deletions.
            guard change.isLeavingOld else { return fail(.replica) }
            candidate.journal.merge(knowledge.current.journal)
            self.candidate = candidate
        }
        guard rule.mayReplace(found, at: candidate) != .refused else { return fail(Self.conflict(found, at: .next)) }
    }

    /// A change must not begin if most contacts are gone. Judged before the first request to the new place, which may
    /// create it.
    mutating func compareContacts() {
        if let failure = lossOfContacts(at: .next) { fail(failure) }
    }

    /// A change must not begin if the new place would refuse the backup.
    mutating func measureChange() -> Action { .seal(.next, generation: nextGeneration(.next)) }

    /// Saves the change. From here on it is unfinished.
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
        if let wait = UploadDecision.endOfWait(retiring.notBefore, now: now) {
            outcome.left.append(.init(role: .retiring, reason: .waiting(until: wait, loss: nil)))
            return
        }
        perform([.remove(.init(role: .retiring, survivor: .current)), .drop(.retiring), .attempt(.leave(.retiring))])
    }

    /// Abandons a place. Nothing is deleted there.
    mutating func drop(_ role: Role) -> Action? {
        switch role {
        case .current: return nil
        case .next:
            guard let next = knowledge.next else { return nil }
            // If both are one place, the current place may hold what was sent there.
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

    /// Judges another address, login, or trust of the same place.
    mutating func judgeOtherWay(_ found: Found) {
        // The current place tells whether these bytes are known, because the other one has no journal.
        switch rule.standing(of: found, at: knowledge.current) {
        case .last: readdress(noting: nil)
        case .known where !isOlder(found, at: .current): readdress(noting: nil)
        case .nothing where !knowledge.current.expectsBackup, .own: readdress(noting: knowledge.current.finding)
        // Another device writes there, and a probe would be a write: only a backup that opens proves the place.
        case let standing where knowledge.isReadOnly:
            guard case .authentic = found else { return fail(found == .nothing ? .absent : .damaged) }
            readdress(noting: standing == .foreign ? knowledge.current.finding : finding(standing))
        // Another login can lead to another directory.
        default: perform(proof(write: .next, look: .current, for: .next) + [.judgeProbe(.ofOtherWay)])
        }
    }

    /// The probe found one place. Checks that the other address shows the same backup as the present one.
    mutating func judgeOtherAddress(_ found: Found) {
        // Contents are judged by place, so only the bytes are compared.
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
