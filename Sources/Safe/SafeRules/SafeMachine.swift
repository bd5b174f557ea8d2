internal import Encodings
package import ObservedTime
internal import SafeWire

/// One run of a verb as a state machine: it takes the last answer and returns the next action.
///
/// It uses no file, key, clock or server. A driver carries out one action after the other and returns an answer to
/// each. The driver of the program is `SafeRun`; that of the tests is a model of keystores and servers. A run may end
/// at any action, because the process may die: what the next run needs was saved before.
///
/// The machine is a stack of steps. A step either works at once and may push other steps, or it is one action, whose
/// answer is handled before the next step. A failure pops steps down to the next `attempt`, which handles it, or ends
/// the run. Changed state is saved at the end.
package struct SafeMachine: Sendable {
    package internal(set) var knowledge: Knowledge
    /// The knowledge that was last saved.
    var saved: Knowledge
    let verb: SafeVerb
    /// Number of contacts in the keystore's document.
    let contacts: Int
    /// The new place of a change or readdressing, until it is saved.
    var candidate: PlaceState?
    /// When the last answer came.
    var time = ObservedTimestamp(sum: .zero, wall: Timestamp(milliseconds: 0))
    var now: Timestamp { time.wall }
    var outcome = Outcome()
    var work = Work()
    private var steps: [Step]
    /// The step whose action is being carried out.
    private var asked: Step?

    /// - Parameters:
    ///   - candidate: the new place, for `change` and `readdress`.
    ///   - contacts: number of contacts in the keystore's document.
    ///   - progress: from an earlier try of the same command.
    package init(
        _ verb: SafeVerb, _ knowledge: Knowledge, candidate: PlaceState? = nil, contacts: Int,
        progress: Progress = Progress()
    ) {
        self.verb = verb
        self.knowledge = knowledge
        saved = knowledge
        self.candidate = candidate
        self.contacts = contacts
        outcome.progress = progress
        steps = [.begin]
    }

    /// One step of a run. The comment of each file has the order of its steps.
    enum Step: Equatable, Sendable {
        /// The plan of the verb.
        case begin
        /// Handles a failure of the steps above it. Does nothing without a failure.
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
        /// A failure is reported for the place `blamed`.
        case storeProbe(Role, blamed: Role)
        case fetchProbe(Role)
        case removeProbe(Role)
        case judgeProbe(Proof)
        // Verbs
        case finishChange
        case decide
        case settleEarlierChange
        case compareContacts
        case measureChange
        case beginChange
        case completeChange
        case retireOld
        case forget
        case adopt(keeping: Int64?)
        case endMirroring(MirrorRule.Judgement)
        case thin(Retention)
    }

    /// The purpose of a look.
    enum Purpose: Equatable, Sendable {
        case confirm, replace, verify(tries: Int)
        case removal(Removal), gone(Removal), survivor, survivorBefore
        case oldPlace, newPlace, otherWay, presentAddress, otherAddress
        case check, pull, mirror
    }

    /// How a failure is handled.
    enum Attempt: Equatable, Sendable {
        /// The change stays unfinished; the push goes on.
        case change
        /// The push has failed.
        case push
        /// The backup of this place stays.
        case leave(Role)
        /// The backup of this place stays if it is foreign; other failures are passed on.
        case leaveForeign(Role)
        /// The backup of this place stays after any failure.
        case giveUp(Role)
        /// The deletion has failed.
        case deletion
        /// An earlier change is unfinished.
        case earlierChange
        /// The server has no valid limits; it may have a backup.
        case limits
    }

    /// The working state of a run, which is not saved.
    struct Work: Sendable {
        var found: [Role: Found] = [:]
        var limits: [Role: ServerLimits] = [:]
        /// The highest generation that is to be replaced at a place. It counts as seen when that is done.
        var replaced: [Role: Int64] = [:]
        /// The result of the first of two looks.
        var firstLook: Found?
        var looks = 0
        var conditionFailures = 0
        /// The last look before a condition was refused.
        var refused: Found?
        var sealed: (digest: Digest, bytes: Int) = (Digest(number: 0), 0)
        /// Whether the probe was found; nil if the server did not answer.
        var isProbeThere: Bool?
        var probeFailure: SafeFailure?
        /// The survivor was uploaded again before a deletion.
        var hasRestoredSurvivor = false
        /// The place of the deletion has to be read again.
        var isLookDue = false
        /// A look before the upload did not find the backup.
        var isRestoring = false
    }

    /// Handles the answer to the last action.
    /// - Returns: the next action. Do not call it again after `.finish`.
    package mutating func next(_ answer: Answer, at time: ObservedTimestamp) -> Action {
        self.time = time
        if let step = asked {
            asked = nil
            judge(answer, to: step)
        }
        while let step = steps.popLast() {
            guard let action = begin(step) else { continue }
            asked = step
            return action
        }
        // New knowledge is saved at any end of a run.
        if knowledge != saved { return save(.stay) }
        return .finish(outcome)
    }

    // MARK: The stack

    /// Pushes steps, which are executed next in this order.
    mutating func perform(_ next: [Step]) { steps += next.reversed() }

    /// Ends the run.
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
        update(role) { $0.finding = finding }
    }

    var rule: ReplacementRule { ReplacementRule(consents: knowledge.consents + outcome.progress.agreed) }

    func standing(_ found: Found, at role: Role) -> ReplacementRule.Standing {
        rule.standing(of: found, at: place(role))
    }

    /// `--overwrite` is consent to the loss of what the first look at a place shows: of these bytes at this place, and
    /// not of others that are written there while the command runs.
    mutating func agree(to found: Found, at role: Role) {
        guard isOverwriting(at: role), !outcome.progress.hasAgreed(at: role) else { return }
        let isLoss = [.foreign, .unreadable].contains(standing(found, at: role))
        let digest = isLoss ? found.digest ?? ReplacementRule.tooLong : nil
        outcome.progress.agree(to: digest, at: role)
        // Another process may finish the change, so the consent is saved.
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
        return .conflict(role, isOtherKey: contents.relation == .otherKey)
    }

    /// The same after a write of this run.
    static func overtaking(_ found: Found, at role: Role) -> SafeFailure {
        let failure = conflict(found, at: role)
        guard case .conflict(.current, let isOtherKey) = failure else { return failure }
        return .overtaken(isOtherKey: isOtherKey)
    }

    // MARK: Failures

    private mutating func end(_ attempt: Attempt, _ failure: SafeFailure) {
        switch attempt {
        case .limits:
            // After a refused login or a connection failure, another request would fail, too.
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
            // A failure at the survivor's place is not about the place that is left.
            guard failure.role == role || failure == .replica else { return fail(failure) }
            outcome.left.append(.init(role: role, reason: failure))
        case .giveUp(let role):
            outcome.left.append(.init(role: role, reason: failure))
            // The loss of the survivor is not about the place that is abandoned.
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
