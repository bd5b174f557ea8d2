internal import Encodings

// `mirror`, in the order of its actions:
//
//   look → the rule of the mirror → keep (unless an older one came back) → save → thin out (without an alarm)
//
// No request writes.

extension SafeMachine {
    mutating func planMirror() {
        if let wait = UploadDecision.endOfWait(knowledge.current.notBefore, now: now) {
            return fail(.waiting(until: wait, loss: knowledge.current.finding))
        }
        perform([.look(.current, .mirror)])
    }

    mutating func mirror(_ found: Found) {
        guard case .mirror(let mirror) = verb else { return }
        noteWhatPushExpects(found)
        let judgement = MirrorRule(isAcceptingLoss: mirror.isAcceptingLoss)
            .judge(found, knowledge.current.mirror ?? MirrorState(), at: time)
        // Also if it was stored before: its copy may be lost or damaged.
        perform((judgement.isToBeHeld ? [.keep(.current)] : []) + [.endMirroring(judgement)])
    }

    /// If this keystore uploads to the place, too, the next push knows what was found.
    private mutating func noteWhatPushExpects(_ found: Found) {
        guard knowledge.current.expectsBackup, !knowledge.isReadOnly else { return }
        let finding = finding(standing(found, at: .current))
        note(finding, at: .current)
        if finding == nil { knowledge.current.see(at: time) }
    }

    mutating func endMirroring(_ judgement: MirrorRule.Judgement) {
        guard case .mirror(let mirror) = verb else { return }
        knowledge.current.mirror = judgement.state
        knowledge.current.notBefore = nil
        if knowledge.isReadOnly { note(judgement.alarm?.finding, at: .current) }
        outcome.result = judgement.isNew ? .mirrored : .unchanged
        if let alarm = judgement.alarm { return fail(.mirror(alarm)) }
        perform([.save(.stay)] + (mirror.retention.map { [.thin($0)] } ?? []))
    }

    /// For `check` and `status` of a place that is set up for reading only: compares with the newest backup in the
    /// history. A newer one is in order.
    mutating func checkMirrored(_ found: Found) {
        let judgement = noteMirrored(found)
        outcome.result = judgement.isNew ? .nothing : .unchanged
        if let alarm = judgement.alarm { fail(.mirror(alarm)) }
    }

    /// What is wrong at a place for reading only is what the next mirror will report, and not what a push would.
    @discardableResult
    mutating func noteMirrored(_ found: Found) -> MirrorRule.Judgement {
        let judgement = MirrorRule().judge(found, knowledge.current.mirror ?? MirrorState(), at: time)
        note(judgement.alarm?.finding, at: .current)
        return judgement
    }
}
