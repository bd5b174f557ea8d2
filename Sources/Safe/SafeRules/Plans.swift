internal import Encodings
internal import SafeWire

// The plan of each verb, which is its steps in order.

extension SafeMachine {
    mutating func plan() {
        guard !knowledge.isReadOnly || !verb.isWriting else { return fail(.readOnly) }
        switch verb {
        case .push(let push): plan(push)
        case .change: planChange()
        case .readdress(let isSame):
            guard knowledge.next == nil else { return fail(.changeUnfinished) }
            perform(
                [.askLimits(.next)]
                    + (isSame
                        ? [.look(.next, .otherWay)]
                        : proof(write: .next, look: .current, for: .next) + [.judgeProbe(.ofAddress)]))
        case .abort: planAbort()
        case .forgetOld:
            if knowledge.retiring != nil { outcome.result = .ended }
            perform([.drop(.retiring)])
        case .delete(let delete): plan(delete)
        case .check: perform([.askLimits(.current), .look(.current, .check)])
        case .pull: perform([.askLimits(.current), .attempt(.limits), .look(.current, .pull)])
        case .mirror: planMirror()
        }
    }

    // MARK: push

    private mutating func plan(_ push: SafeVerb.Push) {
        if knowledge.isDeleting {
            guard push.isResumingDeleted else { return fail(.deletionInterrupted) }
        }
        guard !push.isDryRun else { return decide() }
        if knowledge.isDeleting {
            knowledge.isDeleting = false
            knowledge.current.hasFailed = true
        }
        // Last, because an old server that does not answer must not use up the time for the present one.
        perform([.finishChange, .decide, .attempt(.push), .retireOld])
    }

    /// Continues an unfinished change.
    mutating func finishChange() {
        guard let next = knowledge.next else { return }
        if let wait = UploadDecision.endOfWait(next.notBefore, now: now) {
            outcome.stuck = .waiting(until: wait, loss: nil)
            return
        }
        work.firstLook = nil
        let steps: [Step] = next.isAbandoned ? [Self.abandonment, .drop(.next)] : [.upload(.next), .completeChange]
        perform(steps + [.attempt(.change)])
    }

    mutating func decide() {
        guard case .push(let push) = verb else { return }
        work.firstLook = nil
        // A dry run does not change the state.
        let isForced = push.isForced || push.isOverwriting || knowledge.isDeleting
        switch UploadDecision.decide(knowledge.current.past, isForced: isForced, now: now) {
        case .unchanged: outcome.result = outcome.upload == nil ? .unchanged : .uploaded
        case .deferred(let timestamp): outcome.result = .deferred(until: timestamp)
        case .wait(let timestamp): fail(.waiting(until: timestamp, loss: knowledge.current.finding))
        case .confirm where push.isDryRun: outcome.result = .wouldConfirm
        case .upload where push.isDryRun:
            if let failure = lossOfContacts(at: .current) { return fail(failure) }
            outcome.result = .wouldUpload
        case .confirm:
            outcome.result = .nothing
            perform([.look(.current, .confirm)])
        case .upload(let reason):
            outcome.result = reason == .refresh ? .refreshed : .uploaded
            work.isRestoring = knowledge.current.finding == .missing || knowledge.current.finding == .damaged
            perform([.upload(.current)])
        }
    }

    // MARK: change and abort

    private mutating func planChange() {
        guard var candidate else { return goOnWithChange() }
        // The check for lost contacts compares with the backup at the old place.
        candidate.contacts = max(candidate.contacts, knowledge.current.contacts)
        candidate.generation = max(candidate.generation, knowledge.current.generation)
        self.candidate = candidate
        let isSameBackup = candidate.backup == knowledge.current.backup
        let proof =
            isSameBackup
            ? self.proof(write: .next, look: .current, for: .next) + [.judgeProbe(.ofChange)]
            : [.look(.next, .newPlace)]
        perform(
            [.settleEarlierChange, .look(.current, .oldPlace), .compareContacts, .askLimits(.next), .measureChange]
                + proof
                + [.beginChange, .upload(.next), .completeChange, .retireOld])
    }

    /// The same change, requested again.
    private mutating func goOnWithChange() {
        guard case .change(let change) = verb else { return }
        if change.isLeavingOld, change.isContinuation { knowledge.isLeavingOld = true }
        // Only the deletion of the old backup is left.
        guard knowledge.next != nil || !change.isContinuation else { return perform([.retireOld]) }
        if change.isContinuation, !knowledge.isDeleting { knowledge.next?.isAbandoned = false }
        perform([.settleEarlierChange, .look(.current, .oldPlace), .upload(.next), .completeChange, .retireOld])
    }

    private mutating func planAbort() {
        guard let next = knowledge.next else { return }
        outcome.result = .ended
        // Nothing was ever sent there, unless the state is lost.
        guard !next.journal.isEmpty || knowledge.current.journal.isEmpty else { return perform([.drop(.next)]) }
        // If the process dies, the next push goes on with this, and not with the change.
        knowledge.next?.isAbandoned = true
        perform([.save(.stay), Self.abandonment, .attempt(.giveUp(.next)), .drop(.next)])
    }

    /// Deletes what was uploaded for a change that is cancelled.
    private static let abandonment = Step.remove(.init(role: .next, survivor: .current))

    // MARK: delete

    private mutating func plan(_ delete: SafeVerb.Delete) {
        func removal(_ role: Role) -> [Step] {
            [
                .remove(.init(role: role, takesUnreadable: true)),
                .attempt(delete.isForced ? .leave(role) : .leaveForeign(role)),
            ]
        }
        // The current place is the last one, so that a failure elsewhere leaves its backup.
        var steps: [Step] = []
        if knowledge.next != nil { steps += removal(.next) }
        if knowledge.retiring != nil { steps += removal(.retiring) }
        steps.append(.remove(.init(role: .current, takesUnreadable: true)))
        if delete.isForced { steps.append(.attempt(.leave(.current))) }
        perform(steps + [.forget, .attempt(.deletion)])
    }

    mutating func forget() -> Action? {
        guard case .delete(let delete) = verb, delete.isKeepingSetup else { return save(.forget) }
        knowledge.isDeleting = false
        knowledge.current.forgetUpload()
        knowledge.next = nil
        knowledge.retiring = nil
        knowledge.consents = []
        knowledge.isLeavingOld = false
        return save(.dropOthers)
    }

    // MARK: pull

    mutating func pull(_ found: Found) {
        guard case .pull(let pull) = verb else { return }
        switch found {
        case .nothing:
            if knowledge.current.expectsBackup { note(.missing, at: .current) }
            fail(.absent)
        case .tooLong:
            if knowledge.current.expectsBackup { note(.damaged, at: .current) }
            fail(.tooLong(.current))
        case .unauthentic:
            if knowledge.current.expectsBackup { note(.damaged, at: .current) }
            fail(.damaged)
        case .authentic(let digest, let contents):
            if let failure = Self.refusal(contents, digest, at: knowledge.current, pull) {
                let standing = standing(found, at: .current)
                if knowledge.isReadOnly {
                    noteMirrored(found)
                } else if standing != .own {
                    note(finding(standing), at: .current)
                }
                return fail(failure)
            }
            let kept = isOtherHere(than: contents, pull) ? knowledge.current.generation : nil
            knowledge.current.take(
                digest, contents, retentionDays: work.limits[.current]?.retentionDays, at: time)
            // Another private key is that of the keystore from now on.
            if knowledge.isReadOnly, contents.relation != .otherKey { noteMirrored(found) }
            knowledge.isDeleting = false
            perform([.adopt(keeping: kept)])
        }
    }

    /// Whether the keystore holds another key or document, which a pull takes away. A copy is kept wherever the document
    /// came from: the server does not have it any more, and who wrote over it there may have lost it, too.
    private func isOtherHere(than contents: Found.Contents, _ pull: SafeVerb.Pull) -> Bool {
        contents.relation == .otherKey
            || !pull.isHereEmpty && contents.relation != .same && contents.document != knowledge.current.document
    }

    /// Why a pull is refused; nil if nothing would be lost.
    package static func refusal(
        _ contents: Found.Contents, _ digest: Digest, at place: PlaceState, _ pull: SafeVerb.Pull
    ) -> SafeFailure? {
        guard contents.relation != .notUnderstood else { return .notUnderstood }
        guard contents.relation != .otherKey || pull.isReplacingKey else { return .otherKey }
        guard !pull.isReplacing else { return nil }
        if let found = contents.writer?.generation, found < place.generation, digest != place.last {
            return .olderBackup(found: found, seen: place.generation)
        }
        guard contents.relation != .same, contents.document != place.document, !pull.isHereEmpty else { return nil }
        // Another keystore has counted on from an earlier backup, for example after the server was restored. What was
        // pulled from there and not changed may be what it has counted on from.
        let isOwn = place.last != place.journal.pulled
        if isOwn, let found = contents.writer?.generation, found == place.generation, digest != place.last,
            !place.journal.contains(digest)
        {
            return .olderBackup(found: found, seen: place.generation)
        }
        // A profile that was pulled from here and not changed has nothing that another place could lack.
        guard place.content == place.document, !(pull.isOutdatedElsewhere && isOwn) else { return .unpushedChanges }
        return pull.isPlaceUnknown ? .otherProfile : nil
    }

    mutating func adopt(keeping generation: Int64?) -> Action {
        saved = knowledge
        return .adopt(.current, knowledge, keeping: generation)
    }
}
