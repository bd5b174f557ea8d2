import Encodings
import SafeRules
import SafeWire

/// What goes wrong with one request.
package enum Fault: Hashable, Sendable, CaseIterable {
    /// It is not carried out; the sender waits in vain.
    case lost
    /// It is carried out, and the answer is lost.
    case answerLost
    /// It is not carried out now, but later; the sender waits in vain.
    case late
    /// The server refuses it.
    case refused
    /// A look is answered "nothing there"; a write is answered "done" and not carried out.
    case lie
    /// A look is answered with damaged bytes.
    case damagedAnswer
    /// An app writes in the moment before it.
    case interloper
    /// The process dies before it, or after it.
    case killBefore, killAfter

    package var isKill: Bool { self == .killBefore || self == .killAfter }

    /// Whether it differs from the other faults at such a request.
    func isPossible(at request: Request) -> Bool {
        switch self {
        case .lost, .killBefore: true
        case .lie: request != .limits
        case .damagedAnswer: request == .fetch
        case .interloper: request == .fetch || request == .write
        case .answerLost, .killAfter, .late, .refused: request == .write
        }
    }
}

/// What kind of request a fault befalls.
package enum Request: Sendable {
    case limits, fetch, probe, write

    init(_ action: Action) {
        self =
            switch action {
            case .askLimits: .limits
            case .fetch: .fetch
            case .store, .remove: .write
            default: .probe
            }
    }
}

/// A violation of what must hold, in words.
package struct Violation: Error, Hashable, Sendable {
    package var words: String
}

/// What a run told and did.
package struct Report: Sendable {
    /// Nil if the process died.
    package var outcome: Outcome?
    /// The requests that it sent.
    package var requests: [Request] = []
    package var violations: [Violation] = []
    /// What could not be prevented, by its reason.
    package var exceptions: [String] = []
}

/// Drives the real machine against a world: one run of a verb, with what goes wrong at its requests.
package struct ModelRun {
    package private(set) var world: World
    private let terms: Terms
    private let index: Int
    private let faults: [Int: Fault]
    private let clauses: Clauses
    private var targets: [Role: Target] = [:]
    private var found: [Role: Blob?] = [:]
    /// The places that hold the newest probe; each probe has an id of its own.
    private var probes: Set<Int> = []
    private var sealed: Blob?
    private var report = Report()
    /// Foreign bytes that were shown under `--overwrite`.
    private var shown: Set<UInt16> = []
    private var lies = 0
    private var wasInterrupted = false
    private var looks: [Role: (good: Bool, at: Timestamp)] = [:]
    private var lastLook: (good: Bool, at: Timestamp)? { looks[.current] }
    private var isConsenting = false
    private let verb: SafeVerb
    /// The old place of a change that this run has completed.
    private var retired: Target?

    private init(
        _ world: World, _ terms: Terms, _ index: Int, _ faults: [Int: Fault], _ clauses: Clauses, _ verb: SafeVerb
    ) {
        self.verb = verb
        self.world = world
        self.terms = terms
        self.index = index
        self.faults = faults
        self.clauses = clauses
    }

    /// One run.
    /// - Parameter candidate: the place of the role `next` for a change.
    package static func run(
        _ verb: SafeVerb, by index: Int, candidate: Target? = nil, in world: inout World, _ terms: Terms,
        faults: [Int: Fault] = [:], clauses: Clauses = .all
    ) -> Report {
        var run = ModelRun(world, terms, index, faults, clauses, verb)
        run.drive(verb, candidate)
        world = run.world
        return run.report
    }

    private var keystore: KeystoreModel { world.keystores[index] }

    // MARK: The run

    private mutating func drive(_ verb: SafeVerb, _ candidate: Target?) {
        guard let setup = keystore.setup else { return }
        targets = [.current: setup.current]
        targets[.next] = setup.next ?? candidate
        targets[.retiring] = setup.retiring
        isConsenting = verb.isOverwriting
        let place = setup.next == nil ? candidate.map { world.freshState(index, $0) } : nil
        var machine = SafeMachine(
            verb, setup.knowledge, candidate: verb.isChange ? place : nil, contacts: 10, clauses: clauses)
        var answer = Answer.start
        for _ in 0..<200 {
            let action = machine.next(answer, at: world.now)
            if case .finish(let outcome) = action { return finish(verb, outcome) }
            guard let next = perform(action) else { return }
            answer = next
        }
        report.violations.append(Violation(words: "the machine does not end"))
    }

    /// - Returns: nil if the process dies.
    private mutating func perform(_ action: Action) -> Answer? {
        switch action {
        case .hold: return .done
        case .wait(let duration):
            world.now = world.now + duration
            return .done
        case .seal(_, let generation):
            let blob = world.makeBlob(
                key: keystore.key, document: keystore.document, writer: UInt8(index), generation: generation)
            sealed = blob
            return .sealed(digest: blob.digest, bytes: 1000)
        case .keep(let role):
            if case .some(.some(let blob)) = found[role] { world.keystores[index].history.insert(blob.number) }
            return .done
        case .save(let knowledge, let shift):
            save(knowledge, shift)
            return .done
        case .adopt(_, let knowledge):
            if case .some(.some(let blob)) = found[.current] {
                world.keystores[index].key = blob.key
                world.keystores[index].document = blob.document
                world.keystores[index].isOwn.insert(blob.number)
                looks[.current] = (true, world.now)
            }
            save(knowledge, .stay)
            return .done
        case .finish: return nil
        default: return request(action)
        }
    }

    private mutating func save(_ knowledge: Knowledge, _ shift: Shift) {
        defer {
            // A good look counts as soon as it is written down; a bad one when somebody is told.
            if let lastLook, lastLook.good, knowledge.current.seenAt == lastLook.at { noteLook() }
        }
        switch shift {
        case .stay: break
        case .begin: world.keystores[index].setup?.next = targets[.next]
        case .complete:
            targets = [.current: targets[.next]!, .retiring: targets[.current]!]
            retired = targets[.retiring]
            found[.current] = found[.next]
            looks[.current] = looks[.next]
            world.keystores[index].setup?.current = targets[.current]!
            world.keystores[index].setup?.next = nil
            world.keystores[index].setup?.retiring = targets[.retiring]
        case .dropNext:
            targets[.next] = nil
            world.keystores[index].setup?.next = nil
        case .dropRetiring:
            targets[.retiring] = nil
            world.keystores[index].setup?.retiring = nil
        case .dropOthers:
            targets = [.current: targets[.current]!]
            world.keystores[index].setup?.next = nil
            world.keystores[index].setup?.retiring = nil
        case .readdress:
            targets[.current] = targets[.next]
            targets[.next] = nil
            world.keystores[index].setup?.current = targets[.current]!
        case .forget:
            world.keystores[index].setup = nil
            return
        }
        world.keystores[index].setup?.knowledge = knowledge
    }

    // MARK: Requests

    private mutating func request(_ action: Action) -> Answer? {
        if case .storeProbe = action { probes = [] }
        let planned = faults[report.requests.count]
        report.requests.append(Request(action))
        // An answer that is lost changes something only where the request does: a look without an answer is no look.
        let fault = planned == .answerLost && Request(action) == .fetch ? .lost : planned
        switch fault {
        case .killBefore: return nil
        case .killAfter:
            if Request(action) != .fetch { _ = carryOut(action) }
            return nil
        case .lost: return .failed(.unavailable("", .timeout))
        case .answerLost:
            _ = carryOut(action)
            return .failed(.unavailable("", .timeout))
        case .refused: return .failed(.full)
        case .late:
            postpone(action)
            return .failed(.unavailable("", .timeout))
        case .lie: return lie(action)
        case .damagedAnswer:
            guard case .fetch(let role) = action else { return carryOut(action) }
            lies += 1
            var blob = world.makeBlob(key: 0, document: 0, writer: nil)
            blob.isDamaged = true
            found[role] = blob
            look(role, blob)
            return .found(.unauthentic(digest: blob.digest))
        case .interloper:
            interlope(action)
            return carryOut(action)
        case nil: return carryOut(action)
        }
    }

    private func slot(_ role: Role) -> (place: Int, password: Int) {
        let target = targets[role]!
        return (world.place(target.address, terms), Int(target.password))
    }

    private func blob(_ role: Role) -> Blob? {
        let slot = slot(role)
        return world.stored[slot.place][slot.password]
    }

    private mutating func carryOut(_ action: Action) -> Answer {
        switch action {
        case .askLimits(let role):
            let isTooSmall = terms.isSecondTooSmall && targets[role]?.address == 1
            return .limits(isTooSmall ? ServerLimits(maxBackupBytes: 200, retentionDays: 180) : .standard)
        case .fetch(let role):
            let blob = blob(role)
            found[role] = .some(blob)
            look(role, blob)
            return .found(describe(blob))
        case .store(let role, let condition):
            guard mayWrite(role, condition) else { return .failed(.changed("")) }
            write(sealed, at: role)
            return .done
        case .remove(let role, let condition):
            guard mayWrite(role, condition) else { return .failed(.changed("")) }
            write(nil, at: role)
            return .done
        case .storeProbe(let role):
            probes = [slot(role).place]
            return .done
        case .fetchProbe(let role): return .probe(isThere: probes.contains(slot(role).place))
        case .removeProbe(let role):
            probes.remove(slot(role).place)
            return .done
        default: return .done
        }
    }

    private func mayWrite(_ role: Role, _ condition: Action.Condition) -> Bool {
        guard terms.honoursConditions, condition == .unchanged, let seen = found[role] else { return true }
        return seen?.number == blob(role)?.number
    }

    private mutating func lie(_ action: Action) -> Answer {
        lies += 1
        switch action {
        case .fetch(let role):
            found[role] = .some(nil)
            look(role, nil)
            return .found(.nothing)
        case .fetchProbe: return .probe(isThere: false)
        case .askLimits: return .badLimits(.notJSON)
        case .store, .remove:
            if case .store = action, let sealed { world.keystores[index].isOwn.insert(sealed.number) }
            return .done
        default: return .done
        }
    }

    private mutating func postpone(_ action: Action) {
        switch action {
        case .store(let role, let condition) where mayWrite(role, condition):
            if let sealed { world.keystores[index].isOwn.insert(sealed.number) }
            let slot = slot(role)
            world.late.append(.init(place: slot.place, password: UInt8(slot.password), blob: sealed, sender: index))
        case .remove(let role, let condition) where mayWrite(role, condition):
            let slot = slot(role)
            world.late.append(.init(place: slot.place, password: UInt8(slot.password), blob: nil, sender: index))
        default: break
        }
    }

    /// An app writes where the request is about to write.
    private mutating func interlope(_ action: Action) {
        switch action {
        case .store(let role, _), .remove(let role, _), .fetch(let role):
            let slot = slot(role)
            let blob = world.makeBlob(key: 1, document: world.documents, writer: nil)
            world.documents += 1
            world.stored[slot.place][slot.password] = blob
            if case .fetch = action { break }
            wasInterrupted = true
        default: break
        }
    }

    // MARK: What is judged

    private func describe(_ blob: Blob?) -> Found {
        guard let blob else { return .nothing }
        guard !blob.isDamaged else { return .unauthentic(digest: blob.digest) }
        return .authentic(
            digest: blob.digest,
            .init(
                isSame: blob.key == keystore.key && blob.document == keystore.document,
                document: world.documentDigest(blob.document), isOtherKey: blob.key != keystore.key,
                writer: blob.writer.map {
                    .init(isThisKeystore: Int($0) == index, generation: blob.generation, writtenAt: world.now)
                }, contacts: 10))
    }

    private mutating func look(_ role: Role, _ blob: Blob?) {
        if let blob, isConsenting { shown.insert(blob.number) }
        let isEqual = blob.map { $0.key == keystore.key && $0.document == keystore.document } ?? false
        looks[role] = (
            blob.map { !$0.isDamaged && (keystore.isOwn.contains($0.number) || isEqual) } ?? false, world.now
        )
    }

    /// A write arrives: (a) nothing is replaced or deleted that this keystore did not send or pull, or whose loss
    /// nobody agreed to; and it lies in the history.
    private mutating func write(_ new: Blob?, at role: Role) {
        let slot = slot(role)
        let victim = world.stored[slot.place][slot.password]
        world.stored[slot.place][slot.password] = new
        if let new { world.keystores[index].isOwn.insert(new.number) }
        if new == nil, role == .current, case .push = verb {
            report.violations.append(Violation(words: "(e) a push carries out a deletion"))
        }
        guard let victim, victim.number != new?.number else { return }
        let journalIsEmpty = keystore.setup?.knowledge[role]?.journal.sent.count ?? 0 <= 1
        let isOurs =
            victim.isDamaged || keystore.isOwn.contains(victim.number) || shown.contains(victim.number)
            || new != nil && journalIsEmpty && victim.key == keystore.key && victim.document == keystore.document
            || keystore.setup?.knowledge.consents.contains(victim.digest) ?? false
        guard !isOurs || !keystore.history.contains(victim.number) else { return }
        let what =
            "\(new == nil ? "deleted" : "replaced") \(isOurs ? "without keeping" : "foreign") \(victim.number) at \(role)"
        // What no rule closes.
        if wasInterrupted, !terms.honoursConditions {
            report.exceptions.append("a write between our look and ours, on a server that ignores conditions")
        } else if lies > 1 {
            report.exceptions.append("a server that lies consistently")
        } else if lies == 1, !terms.honoursConditions, !expectedBackup(role) {
            report.exceptions.append("a lie where nothing is expected, on a server that ignores conditions")
        } else {
            report.violations.append(Violation(words: "(a) \(what)"))
        }
    }

    private func expectedBackup(_ role: Role) -> Bool {
        keystore.setup?.knowledge[role]?.expectsBackup ?? false
    }

    /// (b) and (c): who says 0 tells the truth.
    private mutating func finish(_ verb: SafeVerb, _ outcome: Outcome) {
        report.outcome = outcome
        judgeDeletion(outcome)
        guard outcome.failure == nil else {
            noteLook()
            return
        }
        switch verb {
        case .push, .check, .change:
            guard keystore.setup != nil, outcome.result != .readdressed else { break }
            if let lastLook {
                if !lastLook.good {
                    report.violations.append(Violation(words: "(b) \(verb.word) says 0 after a look that was not good"))
                }
            } else if case .push = verb {
                let isRecent = keystore.goodLook.map { world.now - $0 <= .days(7) } ?? false
                if keystore.hasBadLook || !isRecent {
                    report.violations.append(
                        Violation(
                            words: "(b) push says 0 unasked, "
                                + (keystore.hasBadLook ? "after a look that failed" : "7 days after the last look")))
                }
            }
            judgeTruth(verb, outcome)
        default: break
        }
        noteLook()
    }

    /// (c) What a run says of the server is so, unless somebody lied to it.
    private mutating func judgeTruth(_ verb: SafeVerb, _ outcome: Outcome) {
        guard lies == 0, lastLook != nil, !wasInterrupted, faults.isEmpty else { return }
        guard let blob = blob(.current), keystore.isOwn.contains(blob.number) || verb == .check else {
            report.violations.append(Violation(words: "(c) \(verb.word) says 0, and there is no good backup"))
            return
        }
        _ = blob
    }

    /// (f) What is said to be deleted is gone.
    private mutating func judgeDeletion(_ outcome: Outcome) {
        guard outcome.failure == nil, outcome.left.isEmpty, lies < 2, !wasInterrupted else { return }
        var gone = retired
        if case .delete = verb { gone = targets[.current] }
        guard let gone, let blob = world.stored[world.place(gone.address, terms)][Int(gone.password)],
            !blob.isDamaged, keystore.isOwn.contains(blob.number),
            keystore.setup.map({ isOther(gone, $0.current) }) ?? true
        else { return }
        report.violations.append(
            Violation(words: "(f) \(verb.word) says that the old backup is deleted, and it is there"))
    }

    private func isOther(_ target: Target, _ current: Target) -> Bool {
        target.password != current.password
            || world.place(target.address, terms) != world.place(current.address, terms)
    }

    private mutating func noteLook() {
        guard let lastLook else { return }
        world.keystores[index].hasBadLook = !lastLook.good
        if lastLook.good { world.keystores[index].goodLook = lastLook.at }
    }
}

extension SafeVerb {
    var isOverwriting: Bool {
        switch self {
        case .push(let push): push.isOverwriting
        case .change(let change): change.isOverwriting
        default: false
        }
    }

    var isChange: Bool {
        switch self {
        case .change, .readdress: true
        default: false
        }
    }

    package var word: String { String("\(self)".prefix { $0 != "(" }) }
}
