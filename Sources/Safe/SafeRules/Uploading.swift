internal import Encodings
internal import ObservedTime
internal import SafeWire

// An upload, in the order of its requests:
//
//   limits → hold → look → the rule → (5 seconds, look, the rule) → seal → keep what is there → announce → store →
//   verify
//
// The digest of a backup is saved before it is sent (`announce`).

extension SafeMachine {
    mutating func upload(to role: Role) {
        if let failure = lossOfContacts(at: role) { return fail(failure) }
        work.looks = 0
        work.conditionFailures = 0
        let limits: [Step] = work.limits[role] == nil ? [.askLimits(role)] : []
        perform(limits + [.hold(role), .look(role, .replace)])
    }

    /// Refuses to upload a profile that lost most of its contacts.
    func lossOfContacts(at role: Role) -> SafeFailure? {
        let before = Int(clamping: place(role).contacts)
        return contacts * 2 >= before || isAcceptingLoss ? nil : .losesContacts(before: before, now: contacts)
    }

    /// Judges the present backup before an upload.
    mutating func replace(_ found: Found, at role: Role) {
        switch rule.mayReplace(found, at: place(role)) {
        case .refused:
            note(found == .tooLong ? .damaged : .foreign, at: role)
            fail(Self.conflict(found, at: role))
        case .afterSecondLook where !isSettled(found, at: role, .replace): break
        case .afterSecondLook, .granted:
            let standing = standing(found, at: role)
            outcome.replaced = replaced(found, standing, at: role)
            if standing == .foreign { outcome.progress.hasReplacedForeign = true }
            // The result says that a missing, damaged or older backup was replaced. An upload that was never
            // acknowledged is none of these.
            if place(role).expectsBackup, let lost = outcome.replaced, lost != .foreign { work.isRestoring = true }
            work.replaced[role] = max(work.replaced[role] ?? 0, found.generation)
            perform([.seal(role)])
        }
    }

    private func replaced(_ found: Found, _ standing: ReplacementRule.Standing, at role: Role) -> Outcome.Replaced? {
        switch standing {
        case .nothing: place(role).expectsBackup ? .missing : nil
        case .unreadable: .damaged
        case .foreign: .foreign
        case .known where isOlder(found, at: role):
            .older(generation: found.generation)
        case .last, .known, .own: nil
        }
    }

    func nextGeneration(_ role: Role) -> Int64 {
        // More uploads than there are milliseconds to make them in is nobody's count.
        min(max(place(role).generation, work.replaced[role] ?? 0) + 1, 1 << 53)
    }

    mutating func sealed(_ role: Role, _ digest: Digest, _ bytes: Int) {
        work.sealed = (digest, bytes)
        let isSomethingThere = work.found[role]?.digest != nil
        perform((isSomethingThere ? [.keep(role)] : []) + [.announce(role), .store(role)])
        checkSize(bytes, for: role)
    }

    mutating func checkSize(_ bytes: Int, for role: Role) {
        // What could not be read back must not be sent, whatever the server would take.
        let limit = min(work.limits[role]?.maxBackupBytes ?? maxFetchedBytes, maxFetchedBytes)
        if bytes > limit { fail(.tooLarge(role, bytes: bytes, limit: limit)) }
    }

    /// What follows a store that the server accepted. After a refused condition the upload begins again, and so does
    /// this.
    func verification(_ role: Role) -> [Step] {
        [isVerifying ? .look(role, .verify(tries: 1)) : .finishUpload(role)]
    }

    mutating func announceUpload(to role: Role) -> Action {
        let digest = work.sealed.digest
        update(role) {
            $0.journal.enterSent(digest)
            $0.hasFailed = true
        }
        return save(.stay)
    }

    mutating func finishUpload(to role: Role) {
        let limits = work.limits[role] ?? .standard
        let generation = nextGeneration(role)
        let (digest, bytes) = work.sealed
        let (time, contacts, isVerifying) = (time, contacts, isVerifying)
        update(role) { place in
            place.last = digest
            place.content = place.document
            place.generation = generation
            place.contacts = Int64(contacts)
            place.uploadedAt = time.wall
            place.seenAt = isVerifying ? time.wall : nil
            place.knownAt = time
            place.pushedAt = time
            place.bytes = Int64(bytes)
            place.retentionDays = Int64(limits.retentionDays)
            place.notBefore = nil
            place.hasFailed = false
            place.finding = nil
        }
        outcome.upload = .init(
            limits: limits, bytes: bytes, generation: generation, isVerified: isVerifying)
        if work.isRestoring { outcome.result = .restored }
        if outcome.result == .nothing || outcome.result == .confirmed { outcome.result = .uploaded }
        work.firstLook = nil
        work.isRestoring = false
    }

    // MARK: What the verb says

    private var isAcceptingLoss: Bool {
        switch verb {
        case .push(let push): push.isAcceptingLoss
        case .change(let change): change.isAcceptingLoss
        default: false
        }
    }

    private var isVerifying: Bool {
        guard case .push(let push) = verb else { return true }
        return push.isVerifying
    }
}
