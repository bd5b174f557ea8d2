package import Encodings
internal import SafeWire

/// One run of a verb as a machine: what is known and the last answer go in, the next action comes out.
///
/// It touches no file, key, clock or server. Whoever drives it carries out one action after the other and answers
/// each; the driver of the program is `SafeRun`, that of the tests a model of keystores and servers. A run may end at
/// any action (the process dies): what the next run needs was saved before.
///
/// The machine is a stack of steps. A step does its work at once and puts other steps on the stack, or it is one
/// action: then its answer is judged before the stack goes on. A failure takes steps off the stack down to the next
/// `attempt`, which says what becomes of it, or to the end of the run. Whatever changed is saved at the end.
package struct SafeMachine: Sendable {
    package internal(set) var knowledge: Knowledge
    /// What was last saved.
    var saved: Knowledge
    let verb: SafeVerb
    let clauses: Clauses
    /// Contacts in the document as it is now.
    let contacts: Int
    /// The place of a change or of another address until it is written down.
    var candidate: PlaceState?
    var now = Timestamp(milliseconds: 0)
    var outcome = Outcome()
    var work = Work()
    private var steps: [Step]
    /// The step whose action is under way.
    private var asked: Step?

    /// - Parameters:
    ///   - candidate: the place of the role `next`, for `change` and `readdress`.
    ///   - contacts: in the document as the keystore holds it.
    ///   - progress: of an earlier try of the same command.
    package init(
        _ verb: SafeVerb, _ knowledge: Knowledge, candidate: PlaceState? = nil, contacts: Int,
        progress: Progress = Progress(), clauses: Clauses = .all
    ) {
        self.verb = verb
        self.knowledge = knowledge
        saved = knowledge
        self.candidate = candidate
        self.contacts = contacts
        self.clauses = clauses
        outcome.progress = progress
        steps = [.begin]
    }

    /// One step of a run. Steps with an action stand in the comment of their file.
    enum Step: Equatable, Sendable {
        /// The verb's own plan.
        case begin
        /// What becomes of a failure of the steps above; without one it does nothing.
        case attempt(Attempt)
        case fail(SafeFailure)
        case wait(Duration)
        case save(Shift)
        case hold(Role)
        case askLimits(Role)
        case look(Role, Purpose)
        // Upload
        case upload(Role)
        case seal(Role)
        case keep(Role)
        case announce(Role)
        case store(Role)
        case finishUpload(Role)
        // Removal
        case remove(Removal)
        case carryOut(Removal)
        case announceRemoval(Removal)
        case delete(Removal)
        case drop(Role)
        // Proof of two places
        /// What fails is `blamed` on the place that the proof is for.
        case storeProbe(Role, blamed: Role)
        case fetchProbe(Role)
        case removeProbe(Role)
        case judgeProbe(Proof)
        // Verbs
        case finishChange
        case decide
        case settleEarlierChange
        case measureChange
        case beginChange
        case completeChange
        case retireOld
        case forget
        case adopt
    }

    /// Whose look it is.
    enum Purpose: Equatable, Sendable {
        case confirm, replace, verify(tries: Int)
        case removal(Removal), gone(Removal), survivor, survivorBefore
        case oldPlace, newPlace, otherWay, presentAddress, otherAddress
        case check, pull
    }

    /// Where a failure ends.
    enum Attempt: Equatable, Sendable {
        /// The change stays unfinished; the push goes on.
        case change
        /// The push has failed.
        case push
        /// The backup of this place stays.
        case leave(Role)
        /// The same, if another device has written it; any other failure goes on.
        case leaveForeign(Role)
        /// The backup of this place stays, whatever the failure is about.
        case giveUp(Role)
        /// The deletion is over.
        case deletion
        /// An earlier change is not over.
        case earlierChange
        /// Only whether this is a Safe server; a backup may be there nevertheless.
        case limits
    }

    /// What a run knows for itself.
    struct Work: Sendable {
        var found: [Role: Found] = [:]
        var limits: [Role: ServerLimits] = [:]
        /// The look before the second one.
        var firstLook: Found?
        var looks = 0
        var conditionFailures = 0
        /// What was there by the last look when a condition was refused.
        var refused: Found?
        var sealed: (digest: Digest, bytes: Int) = (Digest(number: 0), 0)
        /// Whether the probe was there; nil if nobody could look.
        var isProbeThere: Bool?
        var probeFailure: SafeFailure?
        /// What is to stay was uploaded again before a deletion elsewhere.
        var hasRestoredSurvivor = false
        /// And where that is to be has to be looked at again first.
        var isLookDue = false
        /// A look before this upload did not find the backup.
        var isRestoring = false
    }

    /// Takes the answer to the last action.
    /// - Returns: the next action; after `.finish` there is none.
    package mutating func next(_ answer: Answer, at now: Timestamp) -> Action {
        self.now = now
        if let step = asked {
            asked = nil
            judge(answer, to: step)
        }
        while let step = steps.popLast() {
            guard let action = begin(step) else { continue }
            asked = step
            return action
        }
        // What was learned is saved, whatever the end.
        if knowledge != saved { return save(.stay) }
        return .finish(outcome)
    }

    // MARK: The stack

    /// These steps come next, in this order.
    mutating func perform(_ next: [Step]) { steps += next.reversed() }

    /// Nothing more is to be done.
    mutating func skipRest() { steps = [] }

    mutating func fail(_ failure: SafeFailure) {
        while let step = steps.popLast() {
            guard case .attempt(let attempt) = step else { continue }
            return end(attempt, failure)
        }
        outcome.failure = failure
    }

    mutating func save(_ shift: Shift) -> Action {
        saved = knowledge
        return .save(knowledge, shift)
    }

    // MARK: Places

    func place(_ role: Role) -> PlaceState { knowledge[role] ?? candidate ?? knowledge.current }

    mutating func update(_ role: Role, _ change: (inout PlaceState) -> Void) {
        if knowledge[role] == nil, role == .next, candidate != nil {
            change(&candidate!)
        } else if var place = knowledge[role] {
            change(&place)
            knowledge[role] = place
        }
    }

    mutating func note(_ finding: Finding?, at role: Role) {
        guard finding == nil || clauses.contains(.remembersFindings) else { return }
        update(role) { $0.finding = finding }
    }

    var rule: ReplacementRule { ReplacementRule(consents: knowledge.consents + outcome.progress.agreed) }

    func standing(_ found: Found, at role: Role) -> ReplacementRule.Standing {
        rule.standing(of: found, at: place(role))
    }

    /// `--overwrite` agrees to lose what the first look at a place shows: these bytes, at this place, and no others
    /// that are written there while the command runs.
    mutating func agree(to found: Found, at role: Role) {
        guard isOverwriting(at: role), !outcome.progress.hasAgreed(at: role) else { return }
        let isLoss = [.foreign, .unreadable].contains(standing(found, at: role))
        let digest = isLoss ? found.digest ?? ReplacementRule.tooLong : nil
        outcome.progress.agree(to: digest, at: role)
        // The change may be finished by another process.
        if let digest, digest != ReplacementRule.tooLong, case .change = verb, knowledge.next != nil {
            knowledge.consents.append(digest)
        }
    }

    private func isOverwriting(at role: Role) -> Bool {
        switch verb {
        case .push(let push): push.isOverwriting && role == .current
        case .change(let change): change.isOverwriting && role != .retiring
        default: false
        }
    }

    static func conflict(_ found: Found, at role: Role) -> SafeFailure {
        guard case .authentic(_, let contents) = found else { return .tooLong(role) }
        return .conflict(role, isOtherKey: contents.isOtherKey)
    }

    // MARK: Failures

    private mutating func end(_ attempt: Attempt, _ failure: SafeFailure) {
        switch attempt {
        case .limits:
            // Who is not let in, or gets no answer, need not ask again.
            switch failure {
            case .badLimits, .exchange(_, .notPrepared), .exchange(_, .unexpectedStatus), .exchange(_, .tooLarge): break
            default: fail(failure)
            }
        case .change: outcome.stuck = failure
        case .earlierChange: fail(.oldBackupLeft)
        case .push:
            knowledge.current.hasFailed = true
            fail(failure)
        case .leave(let role):
            // A failure at the place that is to survive says nothing about the one that is left.
            guard failure.role == role || failure == .replica else { return fail(failure) }
            outcome.left.append(.init(role: role, reason: failure))
        case .giveUp(let role):
            outcome.left.append(.init(role: role, reason: failure))
            // Losing the backup that is to stay says nothing about the place that is abandoned.
            if failure == .survivorLost { steps.insert(.fail(failure), at: 0) }
        case .leaveForeign(let role):
            guard case .conflict(role, _) = failure else { return fail(failure) }
            outcome.left.append(.init(role: role, reason: failure))
        case .deletion:
            knowledge.isDeleting = false
            fail(failure)
        }
    }
}
