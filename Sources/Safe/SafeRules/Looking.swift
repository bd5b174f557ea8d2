internal import Encodings

// Judges the result of a look by its purpose.

extension SafeMachine {
    /// Time between the two looks that must show the same before a missing or damaged backup is replaced.
    package static let secondLookDelay = Duration.seconds(5)
    /// Time between two tries of a write whose condition was refused although the backup seems unchanged.
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
        case .mirror: mirror(found)
        }
    }

    /// The finding if this is not the backup that was last uploaded; nil if it is.
    func finding(_ standing: ReplacementRule.Standing) -> Finding? {
        switch standing {
        case .last: nil
        case .nothing: .missing
        case .unreadable: .damaged
        case .known: .older
        case .own, .foreign: .foreign
        }
    }

    /// Whether this look is enough, or a second one has to show the same first.
    /// - Returns: false if the steps of the second look were pushed on the stack.
    mutating func isSettled(_ found: Found, at role: Role, _ purpose: Purpose) -> Bool {
        guard work.firstLook != found else { return true }
        work.firstLook = found
        if place(role).expectsBackup { note(finding(standing(found, at: role)), at: role) }
        perform([.save(.stay), .wait(Self.secondLookDelay), .look(role, purpose)])
        return false
    }

    /// If nothing is due: checks that the backup is still there.
    private mutating func confirm(_ found: Found, at role: Role) {
        let standing = standing(found, at: role)
        switch standing {
        case .last:
            note(nil, at: role)
            let time = time
            update(role) {
                $0.see(at: time)
                $0.pushedAt = time
            }
            if outcome.result == .nothing { outcome.result = .confirmed }
        case .foreign, .own:
            note(.foreign, at: role)
            fail(Self.conflict(found, at: role))
        case .nothing, .unreadable, .known:
            note(finding(standing), at: role)
            work.firstLook = found
            work.isRestoring = true
            // A second look 5 seconds later must show the same before it is replaced.
            perform([.wait(Self.secondLookDelay), .upload(role)])
        }
    }

    /// After an upload: checks that the server returns what was sent.
    private mutating func verify(_ found: Found, at role: Role, _ tries: Int) {
        if found.digest == work.sealed.digest { return perform([.finishUpload(role)]) }
        let standing = standing(found, at: role)
        if standing == .foreign || standing == .own {
            note(.foreign, at: role)
            return fail(Self.overtaking(found, at: role))
        }
        guard tries < Self.maxVerifications else {
            note(finding(standing) ?? .older, at: role)
            return fail(.notVerified(role))
        }
        perform([.look(role, .verify(tries: tries + 1))])
    }

    /// For `check`, and for `status` if it asks the server.
    private mutating func check(_ found: Found) {
        guard !knowledge.isReadOnly else { return checkMirrored(found) }
        let standing = standing(found, at: .current)
        let isExpected = knowledge.current.expectsBackup
        switch standing {
        case .last:
            note(nil, at: .current)
            knowledge.current.see(at: time)
        case .own:
            // From now on this backup is expected there.
            guard case .authentic(let digest, let contents) = found else { break }
            knowledge.current.take(digest, contents, retentionDays: nil, at: time)
        case .known where !isOlder(found, at: .current):
            // An upload that was never acknowledged has arrived.
            note(nil, at: .current)
            knowledge.current.last = found.digest
            knowledge.current.generation = max(knowledge.current.generation, found.generation)
            knowledge.current.see(at: time)
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
            // Another device uses this place, so the backup that was to be deleted is gone.
            knowledge.isDeleting = false
            fail(found.isUnderstood ? Self.conflict(found, at: .current) : .notUnderstood)
        }
    }

    func isOlder(_ found: Found, at role: Role) -> Bool {
        guard let digest = found.digest else { return false }
        return place(role).journal.isOlder(digest, than: place(role).last)
    }
}
