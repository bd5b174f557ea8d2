import Encodings
import ObservedTime
import SafeRules
import SafeWire

/// Drives the real machine against a world: one command, which may try a verb again, with what goes wrong at its
/// requests.
package struct ModelRun {
    var world: World
    let terms: Terms
    let index: Int
    let faults: [Int: Fault]
    var targets: [Role: Target] = [:]
    var found: [Role: Blob?] = [:]
    /// The places that hold the newest probe; each probe has an id of its own.
    var probes: Set<Int> = []
    var sealed: Blob?
    var report = Report()
    /// What the first look at each place showed, under `--overwrite`: these bytes are agreed to.
    var agreed: Set<UInt16> = []
    /// The places that were looked at for that.
    var agreedAt: Set<Target> = []
    /// Where the server lied, and how often; about a probe, everywhere.
    var lies: [Target?: Int] = [:]
    /// What apps wrote between two requests.
    var interlopers: Set<UInt16> = []
    var looks: [Role: (good: Bool, at: Timestamp)] = [:]
    var lastLook: (good: Bool, at: Timestamp)? { looks[.current] }
    /// What was asked for.
    let command: SafeVerb
    /// What this try does.
    var verb: SafeVerb
    /// The old place of a change that this run has completed.
    var retired: Target?

    private init(
        _ world: World, _ terms: Terms, _ index: Int, _ faults: [Int: Fault], _ verb: SafeVerb
    ) {
        command = verb
        self.verb = verb
        self.world = world
        self.terms = terms
        self.index = index
        self.faults = faults
    }

    /// One command.
    /// - Parameter target: where a change, or another address, leads.
    package static func run(
        _ verb: SafeVerb, by index: Int, target: Target? = nil, in world: inout World, _ terms: Terms,
        faults: [Int: Fault] = [:]
    ) -> Report {
        var run = ModelRun(world, terms, index, faults, verb)
        if case .change = verb, target == run.keystore.setup?.next { run.world.keystores[index].hasCancelled = false }
        run.drive(target)
        if run.keystore.setup?.next == nil { run.world.keystores[index].hasCancelled = false }
        world = run.world
        return run.report
    }

    var keystore: KeystoreModel { world.keystores[index] }

    // MARK: The run

    /// As `SafeKeeper.run` does it: from the beginning after each failure that may pass.
    private mutating func drive(_ target: Target?) {
        var progress = Progress()
        for tries in 0...terms.retries {
            guard let setup = keystore.setup else { return }
            let candidate = judgeJob(target, setup)
            targets = [.current: setup.current]
            targets[.next] = setup.next ?? candidate
            targets[.retiring] = setup.retiring
            found = [:]
            looks = [:]
            var machine = SafeMachine(
                verb, setup.knowledge, candidate: candidate.map { world.freshState(index, $0) }, contacts: 10,
                progress: progress)
            guard let outcome = drive(&machine) else { return }
            progress = outcome.progress
            if case .exchange(_, let error)? = outcome.failure, error.isWorthTrying, tries < terms.retries { continue }
            return finish(outcome)
        }
    }

    /// As `SafeKeeper.change` judges it: an earlier try may have begun the change.
    private mutating func judgeJob(_ target: Target?, _ setup: KeystoreModel.Setup) -> Target? {
        guard case .change(var change) = command else { return command.isChange && setup.next == nil ? target : nil }
        if target == setup.current {
            change.isContinuation = true
            verb = .change(change)
            return nil
        }
        change.isContinuation = setup.next != nil && target == setup.next
        verb = .change(change)
        return setup.next == nil ? target : nil
    }

    /// - Returns: nil if the process died.
    private mutating func drive(_ machine: inout SafeMachine) -> Outcome? {
        var answer = Answer.start
        for _ in 0..<200 {
            let action = machine.next(answer, at: ObservedTimestamp(sum: .zero, wall: world.now))
            if case .finish(let outcome) = action { return outcome }
            guard let next = perform(action) else { return nil }
            answer = next
        }
        report.violations.append(Violation(words: "the machine does not end"))
        return nil
    }

    /// - Returns: nil if the process dies.
    mutating func perform(_ action: Action) -> Answer? {
        switch action {
        case .hold, .thin: return .done
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
        case .adopt(_, let knowledge, _):
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

    mutating func save(_ knowledge: Knowledge, _ shift: Shift) {
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

    mutating func request(_ action: Action) -> Answer? {
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
        case .lost: return .failed(.unavailable("", .connection(.timeout)))
        case .answerLost:
            _ = carryOut(action)
            return .failed(.unavailable("", .connection(.timeout)))
        case .refused: return .failed(.full)
        case .throttled: return .failed(.throttled("", seconds: 3600, status: 429))
        case .late:
            postpone(action)
            return .failed(.unavailable("", .connection(.timeout)))
        case .lie: return lie(action)
        case .damagedAnswer:
            guard case .fetch(let role) = action else { return carryOut(action) }
            lies[targets[role], default: 0] += 1
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

    func slot(_ role: Role) -> (place: Int, password: Int) {
        let target = targets[role]!
        return (world.place(target.address, terms), Int(target.password))
    }

    func blob(_ role: Role) -> Blob? {
        let slot = slot(role)
        return world.stored[slot.place][slot.password]
    }

    mutating func carryOut(_ action: Action) -> Answer {
        judgeReadOnly(action)
        switch action {
        case .askLimits(let role):
            let isTooSmall = terms.isSecondTooSmall && targets[role]?.address == 1
            return .limits(isTooSmall ? ServerLimits(maxBackupBytes: 200, retentionDays: 180) : .standard)
        case .fetch(let role):
            let blob = blob(role)
            found[role] = .some(blob)
            look(role, blob)
            guard blob?.isTooLong != true else { return .failed(.tooLarge(limit: 1)) }
            return .found(describe(blob))
        case .store(let role, let condition):
            guard mayWrite(role, condition) else { return .failed(.changed("")) }
            guard blob(role) != nil || !world.isFull.contains(slot(role).place) else { return .failed(.full) }
            write(sealed, at: role)
            return .done
        case .remove(let role, let condition):
            guard mayWrite(role, condition) else { return .failed(.changed("")) }
            write(nil, at: role)
            return .done
        case .storeProbe(let role):
            guard !world.isFull.contains(slot(role).place) else { return .failed(.full) }
            probes = [slot(role).place]
            return .done
        case .fetchProbe(let role): return .probe(isThere: probes.contains(slot(role).place))
        case .removeProbe(let role):
            probes.remove(slot(role).place)
            return .done
        default: return .done
        }
    }

    func mayWrite(_ role: Role, _ condition: Action.Condition) -> Bool {
        guard terms.honoursConditions, condition == .unchanged, let seen = found[role] else { return true }
        return seen?.number == blob(role)?.number
    }

    mutating func lie(_ action: Action) -> Answer {
        switch action {
        case .fetch(let role), .store(let role, _), .remove(let role, _): lies[targets[role], default: 0] += 1
        default: lies[nil, default: 0] += 1
        }
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

    mutating func postpone(_ action: Action) {
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
    mutating func interlope(_ action: Action) {
        switch action {
        case .store(let role, _), .remove(let role, _), .fetch(let role):
            let slot = slot(role)
            let blob = world.makeBlob(key: 1, document: world.documents, writer: nil)
            world.documents += 1
            world.stored[slot.place][slot.password] = blob
            interlopers.insert(blob.number)
        default: break
        }
    }
}

extension SafeExchangeError {
    /// Whether a command tries again.
    fileprivate var isWorthTrying: Bool {
        switch self {
        case .unavailable, .changed: true
        default: false
        }
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
