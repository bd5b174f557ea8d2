internal import Encodings

// What a look at a place means to who looked.

extension SafeMachine {
    /// Between two looks that have to show the same before what is missing or damaged is replaced.
    package static let secondLookDelay = Duration.seconds(5)
    /// Between two tries of a write whose condition was refused although nothing seems to have changed.
    static let pauseAfterRefusedCondition = Duration.seconds(2)
    private static let maxLooks = 8
    private static let maxVerifications = 3

    mutating func judge(_ found: Found, at role: Role, for purpose: Purpose) {
        work.looks += 1
        guard work.looks < Self.maxLooks * 3 else { return fail(.unsettled(role)) }
        work.found[role] = found
        agree(to: found, at: role)
        if role == .current {
            outcome.found = found
            outcome.standing = standing(found, at: role)
        }
        switch purpose {
        case .confirm: confirm(found, at: role)
        case .replace: replace(found, at: role)
        case .verify(let tries): verify(found, at: role, tries)
        case .removal(let removal): judge(found, for: removal)
        case .gone(let removal): judgeGone(found, removal)
        case .survivor: judgeSurvivor(found, at: role, isAfter: true)
        case .survivorBefore: judgeSurvivor(found, at: role, isAfter: false)
        case .oldPlace: judgeOldPlace(found)
        case .newPlace: judgeNewPlace(found)
        case .otherWay: judgeOtherWay(found)
        case .presentAddress:
            if place(role).expectsBackup { note(finding(standing(found, at: role)), at: role) }
        case .otherAddress: judgeOtherAddress(found)
        case .check: check(found)
        case .pull: pull(found)
        }
    }

    /// What a look found that is not what was last uploaded.
    func finding(_ standing: ReplacementRule.Standing) -> Finding? {
        switch standing {
        case .last: nil
        case .nothing: .missing
        case .unreadable: .damaged
        case .known: .older
        case .own, .foreign: .foreign
        }
    }

    /// Whether this look is enough, or a second one that shows the same has to come first.
    /// - Returns: false if the steps for the second look are on the stack.
    mutating func isSettled(_ found: Found, at role: Role, _ purpose: Purpose) -> Bool {
        guard work.firstLook != found else { return true }
        work.firstLook = found
        if place(role).expectsBackup { note(finding(standing(found, at: role)), at: role) }
        perform([.save(.stay), .wait(Self.secondLookDelay), .look(role, purpose)])
        return false
    }

    /// Nothing is due: is the backup still there?
    private mutating func confirm(_ found: Found, at role: Role) {
        let standing = standing(found, at: role)
        switch standing {
        case .last:
            note(nil, at: role)
            let timestamp = now
            update(role) { $0.seenAt = timestamp }
            if outcome.result == .nothing { outcome.result = .confirmed }
        case .foreign, .own:
            note(.foreign, at: role)
            fail(Self.conflict(found, at: role))
        case .nothing, .unreadable, .known:
            note(finding(standing), at: role)
            work.firstLook = found
            work.isRestoring = true
            // A second look 5 seconds later has to show the same before it is replaced.
            perform([.wait(Self.secondLookDelay), .upload(role)])
        }
    }

    /// After an upload: does the server return what was sent?
    private mutating func verify(_ found: Found, at role: Role, _ tries: Int) {
        if found.digest == work.sealed.digest { return perform([.finishUpload(role)]) }
        let standing = standing(found, at: role)
        if standing == .foreign || standing == .own {
            note(.foreign, at: role)
            return fail(Self.conflict(found, at: role))
        }
        guard tries < Self.maxVerifications else {
            note(finding(standing) ?? .older, at: role)
            return fail(.notVerified(role))
        }
        perform([.look(role, .verify(tries: tries + 1))])
    }

    /// `check`, and `status` that asks the server.
    private mutating func check(_ found: Found) {
        let standing = standing(found, at: .current)
        let isExpected = knowledge.current.expectsBackup
        switch standing {
        case .last:
            note(nil, at: .current)
            knowledge.current.seenAt = now
        case .own:
            // From now on it is missed if it goes away.
            guard case .authentic(let digest, let contents) = found else { break }
            knowledge.current.take(digest, contents, retentionDays: nil, at: now)
        case .known where !isOlder(found, at: .current):
            // What was sent and never acknowledged has arrived.
            note(nil, at: .current)
            knowledge.current.last = found.digest
            knowledge.current.generation = max(knowledge.current.generation, found.generation)
            knowledge.current.seenAt = now
        case .nothing:
            if isExpected { note(.missing, at: .current) }
            fail(.absent)
        case .unreadable:
            if isExpected { note(.damaged, at: .current) }
            fail(found == .tooLong ? .tooLong(.current) : .damaged)
        case .known:
            note(.older, at: .current)
            fail(.older)
        case .foreign:
            note(.foreign, at: .current)
            // Somebody uses this place: what was to be deleted here is not here any more.
            knowledge.isDeleting = false
            fail(found.isUnderstood ? Self.conflict(found, at: .current) : .notUnderstood)
        }
    }

    func isOlder(_ found: Found, at role: Role) -> Bool {
        guard let digest = found.digest else { return false }
        return place(role).journal.isOlder(digest, than: place(role).last)
    }
}
