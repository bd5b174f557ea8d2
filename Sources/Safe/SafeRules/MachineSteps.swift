internal import HTTP
internal import Encodings
internal import SafeWire

// Dispatches steps and answers. The steps of one topic are in a file of their own.

extension SafeMachine {
    /// Executes a step, or returns its action.
    mutating func begin(_ step: Step) -> Action? {
        switch step {
        case .begin: plan()
        case .attempt: break
        case .fail(let failure): fail(failure)
        case .wait(let duration): return .wait(duration)
        case .save(let shift): return save(shift)
        case .hold(let role): return .hold(role)
        case .askLimits(let role): return .askLimits(role)
        case .look(let role, _): return .fetch(role)
        case .upload(let role): upload(to: role)
        case .seal(let role): return .seal(role, generation: nextGeneration(role))
        case .keep(let role): return .keep(role)
        case .announce(let role): return announceUpload(to: role)
        case .store(let role): return .store(role, condition(at: role))
        case .finishUpload(let role): finishUpload(to: role)
        case .remove(let removal): remove(removal)
        case .carryOut(let removal): carryOut(removal)
        case .announceRemoval(let removal): return announce(removal)
        case .delete(let removal): return .remove(removal.role, condition(at: removal.role))
        case .drop(let role): return drop(role)
        case .storeProbe(let role, _): return .storeProbe(role)
        case .fetchProbe(let role): return .fetchProbe(role)
        case .removeProbe(let role): return .removeProbe(role)
        case .judgeProbe(let proof): judge(proof)
        case .finishChange: finishChange()
        case .decide: decide()
        case .settleEarlierChange: settleEarlierChange()
        case .compareContacts: compareContacts()
        case .measureChange: return measureChange()
        case .beginChange: return beginChange()
        case .completeChange: return completeChange()
        case .retireOld: retireOld()
        case .forget: return forget()
        case .adopt(let generation): return adopt(keeping: generation)
        case .endMirroring(let judgement): endMirroring(judgement)
        case .thin(let retention): return .thin(.current, retention)
        }
        return nil
    }

    /// Handles the answer to a step's action.
    mutating func judge(_ answer: Answer, to step: Step) {
        switch (step, answer) {
        case (_, .failed(let error)): failed(step, error)
        case (.askLimits(let role), .badLimits(let error)): fail(.badLimits(role, error))
        case (.askLimits(let role), .limits(let limits)):
            work.limits[role] = limits
            if role == .current { outcome.limits = limits }
        case (.look(let role, let purpose), .found(let found)): judge(found, at: role, for: purpose)
        case (.seal(let role), .sealed(let digest, let bytes)): sealed(role, digest, bytes)
        case (.measureChange, .sealed(_, let bytes)): checkSize(bytes, for: .next)
        case (.store(let role), _): perform(verification(role))
        case (.delete(let removal), _):
            if removal.role == .current { outcome.progress.hasSentDeletion = true }
            perform(looks(after: removal))
        case (.fetchProbe, .probe(let isThere)): work.isProbeThere = isThere
        default: break
        }
    }

    private mutating func failed(_ step: Step, _ error: SafeExchangeError) {
        switch (step, error) {
        // The 64 random bytes of the probe stay there.
        case (.removeProbe, _): break
        case (.look(let role, let purpose), .tooLarge): judge(.tooLong, at: role, for: purpose)
        case (.look(let role, .oldPlace), _):
            // The old place of a change cannot be reached. It is judged when it is back.
            noteWait(role, error)
        // Without an answer nothing is proven. The step that needs the proof fails.
        case (.fetchProbe(let role), _): work.probeFailure = .exchange(role, error)
        case (.store(let role), .changed): lookAgain(role, .look(role, .replace))
        case (.delete(let removal), .changed): lookAgain(removal.role, .look(removal.role, .removal(removal)))
        case (.store(let role), _): writeFailed(role, error)
        case (.delete(let removal), _):
            if error.isUncertain {
                if removal.role == .current { outcome.progress.hasSentDeletion = true }
            } else if let survivor = removal.survivor {
                // Nothing was removed, and the surviving backup was seen just before.
                note(nil, at: survivor)
            }
            writeFailed(removal.role, error)
        case (.storeProbe(let role, let blamed), _):
            noteWait(role, error)
            // The probe may have been stored.
            perform([.removeProbe(role), .fail(.exchange(blamed, error))])
        case (.askLimits(let role), _), (.hold(let role), _), (.look(let role, _), _):
            noteWait(role, error)
            fail(.exchange(role, error))
        default: fail(.exchange(.current, error))
        }
    }

    /// If a server asks to wait, later runs wait, too, counted from its answer.
    mutating func noteWait(_ role: Role, _ error: SafeExchangeError) {
        guard case .throttled(_, let seconds?, _) = error else { return }
        let timestamp = now + min(.seconds(max(1, seconds)), UploadDecision.longestWait)
        update(role) { $0.notBefore = timestamp }
    }

    /// A condition did not hold: looks and judges again. The look may show the same as the last one, because Apache
    /// refuses the tags of files that are younger than a second, and a cache may return an old backup.
    private mutating func lookAgain(_ role: Role, _ look: Step) {
        work.conditionFailures += 1
        guard work.conditionFailures < 5 else { return fail(.unsettled(role)) }
        let isUnchanged = work.refused == work.found[role]
        work.refused = work.found[role]
        work.firstLook = work.found[role]
        perform((isUnchanged ? [.wait(Self.pauseAfterRefusedCondition)] : []) + [look])
    }

    /// The condition of a write. It is omitted only if a test has shown that the server refuses conditions that hold.
    private func condition(at role: Role) -> Action.Condition {
        work.conditionFailures > 1 && place(role).honoursConditions == false ? .none : .unchanged
    }

    /// Handles a failed write, which may have been executed or may still arrive.
    private mutating func writeFailed(_ role: Role, _ error: SafeExchangeError) {
        noteWait(role, error)
        if error.isUncertain {
            let timestamp = now + UploadDecision.settling
            update(role) { $0.lookUntil = timestamp }
        }
        fail(.exchange(role, error))
    }
}

extension SafeExchangeError {
    /// The resource is locked (RFC 4918), the request came too early (RFC 8470), or it was one of too many (RFC 6585).
    private static let didNotBegin: Set = [423, 425, 429]

    /// Whether a write with this error may have been executed, now or later.
    fileprivate var isUncertain: Bool {
        switch self {
        case .unavailable(_, .connection(.unknownHost)), .unavailable(_, .connection(.noNameServer)),
            .unavailable(_, .connection(.notConnected)), .unavailable(_, .connection(.proxy(_))):
            false
        case .unavailable(_, .status(let status)), .throttled(_, _, let status): !Self.didNotBegin.contains(status)
        case .unavailable, .redirected, .unexpectedStatus: true
        default: false
        }
    }
}
