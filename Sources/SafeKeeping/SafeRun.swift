internal import Encodings
internal import Keystore
internal import Primitives
internal import SafeRules
internal import SafeWire
internal import SecureMemory
internal import Threema

/// Carries out what `SafeMachine` decides for one identity: reads and writes its records, seals and opens backups, asks
/// the servers. It decides nothing.
struct SafeRun: ~Copyable {
    let id: ThreemaID
    private let keeper: SafeKeeper
    private let holding: Holding
    private let stateKey: SecureBytes
    private let profile: Profile
    private let publicKey: PublicKey
    private(set) var setup: SafeSetup
    private var state: UploadState
    private let verb: SafeVerb
    /// The place of a change, or another way to the present one.
    private let candidate: SafeTarget?
    /// What cannot be written down is no failure of a verb that only looks.
    private let isLooking: Bool

    private var servers: [Role: any SafeExchange] = [:]
    private var found: [Role: StoredBackup] = [:]
    private var sealed: [UInt8] = []
    private var probe: (id: BackupID, bytes: [UInt8])?
    /// Keeps other writers of this machine away from a folder.
    private var hold: (any Sendable)?
    /// Whether what was learned could not be written down.
    private(set) var isUnsaved = false

    /// - Throws: `SafeKeepingError.noSetup`; `KeystoreError.damaged`.
    static func begin(
        _ keeper: SafeKeeper, _ id: ThreemaID, _ holding: consuming Holding, _ job: consuming SafeKeeper.Job,
        isLooking: Bool = false
    ) throws -> SafeRun {
        let content = try holding.read(keeper.stateKey)
        return SafeRun(keeper, id, holding, content, job, isLooking: isLooking)
    }

    private init(
        _ keeper: SafeKeeper, _ id: ThreemaID, _ holding: consuming Holding, _ content: consuming Content,
        _ job: consuming SafeKeeper.Job, isLooking: Bool
    ) {
        self.keeper = keeper
        self.id = id
        self.holding = holding
        self.isLooking = isLooking
        verb = job.verb
        candidate = job.candidate
        stateKey = keeper.stateKey
        publicKey = content.publicKey
        state = content.state
        setup = content.setup
        profile = content.profile
    }

    /// Whether another process holds the identity's lock, or nobody can.
    var isUnlocked: Bool {
        switch holding {
        case .locked: false
        case .unlocked: true
        }
    }

    /// What the present place was last seen to hold.
    var foundBytes: [UInt8]? { found[.current]?.bytes }

    // MARK: Driving

    /// Runs the machine to its end.
    /// - Parameter progress: of an earlier try of the same command.
    /// - Throws: what files, keys and backups throw that are not the machine's matter. A server's failures are in the
    ///   outcome.
    mutating func drive(_ progress: Progress) throws -> Outcome {
        var machine = SafeMachine(
            verb, knowledge(), candidate: candidateState(), contacts: profile.document.contactCount,
            progress: progress)
        var answer = Answer.start
        while true {
            let action = machine.next(answer, at: keeper.now())
            if case .finish(let outcome) = action {
                hold = nil
                return outcome
            }
            answer = try carryOut(action)
        }
    }

    /// What is known of the setup's places.
    func knowledge() -> Knowledge {
        var knowledge = Knowledge(current: placeState(setup.current))
        switch setup.next {
        case .some(let next): knowledge.next = placeState(next)
        case .none: break
        }
        switch setup.retiring {
        case .some(let retiring): knowledge.retiring = placeState(retiring)
        case .none: break
        }
        knowledge.isDeleting = setup.isDeleting
        knowledge.consents = setup.consents
        knowledge.isLeavingOld = setup.isLeavingOld
        return knowledge
    }

    private func placeState(_ target: borrowing SafeTarget) -> PlaceState {
        state.state(at: target, TargetDigests(target, profile, key: stateKey))
    }

    private func candidateState() -> PlaceState? {
        switch candidate {
        case .some(let candidate): placeState(candidate)
        case .none: nil
        }
    }

    private mutating func carryOut(_ action: Action) throws -> Answer {
        switch action {
        case .seal(let role, let generation): return try seal(role, generation)
        case .keep(let role): return try keep(role)
        case .save(let knowledge, let shift): return try save(knowledge, shift)
        case .adopt(let role, let knowledge): return try adopt(role, knowledge)
        case .wait(let duration):
            keeper.sleep(duration)
            return .done
        case .finish: return .done
        default: break
        }
        do {
            return try ask(action)
        } catch let error as SafeExchangeError {
            return .failed(error)
        } catch SafeKeepingError.badLimits(let error) {
            return .badLimits(error)
        }
    }

    // MARK: Servers

    /// The way to a place's server; the same one for the whole run.
    mutating func server(_ role: Role) -> any SafeExchange {
        if let server = servers[role] { return server }
        let server = withTarget(role) { keeper.connect($0) }
        servers[role] = server
        return server
    }

    private func withTarget<Result: ~Copyable>(
        _ role: Role, _ body: (borrowing SafeTarget) throws -> Result
    ) rethrows -> Result {
        switch role {
        case .current: break
        case .next:
            switch setup.next {
            case .some(let next): return try body(next)
            case .none: break
            }
            switch candidate {
            case .some(let candidate): return try body(candidate)
            case .none: break
            }
        case .retiring:
            switch setup.retiring {
            case .some(let retiring): return try body(retiring)
            case .none: break
            }
        }
        return try body(setup.current)
    }

    /// The place's address, for words.
    func address(_ role: Role) -> SafeServerAddress { withTarget(role) { $0.address } }

    private func backupID(_ role: Role) -> BackupID { withTarget(role) { $0.keys.backupID } }

    private mutating func ask(_ action: Action) throws -> Answer {
        switch action {
        case .askLimits(let role): return .limits(try SafeKeeper.limits(of: server(role)))
        case .hold(let role):
            // One at a time: both addresses may lead to one folder.
            hold = nil
            hold = try server(role).hold()
        case .fetch(let role):
            let backup = try server(role).fetch(backupID(role))
            found[role] = backup
            return .found(describe(backup, role))
        case .store(let role, let condition):
            try server(role).store(sealed, at: backupID(role), if: writeCondition(role, condition))
        case .remove(let role, let condition):
            try server(role).remove(backupID(role), if: writeCondition(role, condition))
        case .storeProbe(let role):
            let bytes = Random.bytes(64)
            // On the same machine as the backup, if the first byte of an id is part of the address.
            let id = BackupID(sharingFirstByteOf: backupID(role), Random.bytes(BackupID.count - 1).span)
            probe = (id, bytes)
            try server(role).store(bytes, at: id, if: .none)
        case .fetchProbe(let role):
            guard let probe else { return .probe(isThere: false) }
            return .probe(isThere: try server(role).fetch(probe.id)?.bytes == probe.bytes)
        case .removeProbe(let role):
            if let probe { try server(role).remove(probe.id, if: .none) }
        default: break
        }
        return .done
    }

    private func writeCondition(_ role: Role, _ condition: Action.Condition) -> WriteCondition {
        guard condition == .unchanged else { return .none }
        guard let backup = found[role] else { return .absent }
        return backup.tag.map { .unchanged(tag: $0) } ?? .none
    }

    // MARK: Backups

    private func describe(_ backup: StoredBackup?, _ role: Role) -> Found {
        guard let backup else { return .nothing }
        let digest = Digest(BLAKE2b.hash(backup.bytes.span)) ?? .none
        return withTarget(role) { target in
            do throws(SafeBackupError) {
                let opened = try SafeBackup.open(backup.bytes.span, keys: target.keys)
                return .authentic(digest: digest, contents(opened, target))
            } catch {
                switch error {
                case .tooShort, .notAuthentic: return .unauthentic(digest: digest)
                // Somebody wrote it who has the key.
                default: return .authentic(digest: digest, .init(isSame: false, document: .none, isUnderstood: false))
                }
            }
        }
    }

    private func contents(_ backup: borrowing SafeBackup, _ target: borrowing SafeTarget) -> Found.Contents {
        let own = TargetDigests(target, profile, key: stateKey)
        let theirs = TargetDigests(target, backup.profile, key: stateKey)
        let isSameKey = backup.clientKey.publicKey == publicKey
        return Found.Contents(
            isSame: isSameKey && backup.profile == profile, document: theirs.content, isOtherKey: !isSameKey,
            writer: backup.stamp.map {
                .init(
                    isThisKeystore: $0.writer == own.writer, generation: $0.generation, writtenAt: $0.writtenAt)
            }, contacts: backup.document.contactCount, groups: backup.document.groupCount)
    }

    private mutating func seal(_ role: Role, _ generation: Int64) throws -> Answer {
        let own = try holding.identity()
        sealed = try withTarget(role) { target in
            let digests = TargetDigests(target, profile, key: stateKey)
            let stamp = SafeBackup.Stamp(generation: generation, writtenAt: keeper.now(), writer: digests.writer)
            return try SafeBackup.seal(own.clientKey, profile, stamp: stamp, keys: target.keys)
        }
        return .sealed(digest: Digest(BLAKE2b.hash(sealed.span)) ?? .none, bytes: sealed.count)
    }

    // MARK: Records

    private func keep(_ role: Role) throws -> Answer {
        guard let bytes = found[role]?.bytes else { return .done }
        let moment = keeper.now()
        switch holding {
        case .locked(let identity):
            try identity.keepHistory(bytes, digest: BLAKE2b.hash(bytes.span), at: moment.milliseconds)
            // Best effort: an entry too many is no failure.
            try? identity.thinHistory(
                olderThan: (moment + .days(-SafeKeeper.historyDays)).milliseconds,
                keepingNewest: SafeKeeper.leastHistory)
        case .unlocked: break
        }
        return .done
    }

    private mutating func save(_ knowledge: Knowledge, _ shift: Shift) throws -> Answer {
        let before = setup.encoded()
        setup.apply(shift, knowledge, candidate: candidate)
        move(shift)
        remember(knowledge, shift)
        let record = setup.encoded()
        let isSame = before.withBytes { before in record.withBytes { ConstantTime.areEqual(before, $0) } }
        do {
            isUnsaved = try !commit { changes in
                if shift == .forget {
                    changes.remove(.safe)
                } else if !isSame {
                    record.withBytes { changes.set(.safe, $0) }
                }
            }
        } catch {
            guard isLooking else { throw error }
            isUnsaved = true
        }
        return .done
    }

    /// Writes the state and what `body` adds to it, all at once.
    /// - Returns: false without the lock: then nothing is written.
    private func commit(_ body: (inout RecordChanges) throws -> Void) throws -> Bool {
        switch holding {
        case .locked(let identity):
            var changes = identity.changes()
            try body(&changes)
            changes.setState(state.encoded(for: id.text, key: stateKey))
            try identity.commit(changes)
            return true
        case .unlocked: return false
        }
    }

    /// What was fetched and opened moves along with the places.
    private mutating func move(_ shift: Shift) {
        switch shift {
        case .complete:
            servers = [.current: servers[.next], .retiring: servers[.current]].compactMapValues { $0 }
            found = [.current: found[.next]].compactMapValues { $0 }
        case .readdress:
            servers = [.current: servers[.next]].compactMapValues { $0 }
            found = [:]
        default: break
        }
    }

    private mutating func remember(_ knowledge: Knowledge, _ shift: Shift = .stay) {
        func known(_ target: borrowing SafeTarget, _ place: PlaceState?) -> UploadState.Known? {
            guard var place else { return nil }
            let digests = TargetDigests(target, profile, key: stateKey)
            (place.document, place.backup) = (.none, .none)
            return .init(target: digests.target, state: place)
        }
        state.safe = shift == .forget ? nil : known(setup.current, knowledge.current)
        state.next = nil
        state.retiring = nil
        guard shift != .forget else { return }
        switch setup.next {
        case .some(let next): state.next = known(next, knowledge.next)
        case .none: break
        }
        switch setup.retiring {
        case .some(let retiring): state.retiring = known(retiring, knowledge.retiring)
        case .none: break
        }
    }

    /// Private key, document and what is known change at once.
    private mutating func adopt(_ role: Role, _ knowledge: Knowledge) throws -> Answer {
        guard let bytes = found[role]?.bytes else { return .done }
        let backup = try withTarget(role) { target in
            try SafeBackup.open(bytes.span, keys: target.keys)
        }
        setup.apply(.stay, knowledge, candidate: candidate)
        remember(knowledge)
        let record = setup.encoded()
        _ = try commit { changes in
            changes.set(backup, id)
            record.withBytes { changes.set(.safe, $0) }
        }
        return .done
    }
}

/// The records of an identity, with its lock or, for looking only, without.
enum Holding: ~Copyable {
    case locked(LockedIdentity)
    case unlocked(IdentityRecords)

    /// - Throws: `SafeKeepingError.noSetup`; `KeystoreError.damaged`.
    fileprivate func read(_ stateKey: borrowing SecureBytes) throws -> Content {
        switch self {
        case .locked(let identity): try Content(identity.records, stateKey)
        case .unlocked(let records): try Content(records, stateKey)
        }
    }

    fileprivate func identity() throws -> Identity {
        switch self {
        case .locked(let identity): try identity.records.identity()
        case .unlocked(let records): try records.identity()
        }
    }
}

/// What a run reads at its beginning.
private struct Content: ~Copyable {
    let setup: SafeSetup
    let publicKey: PublicKey
    let profile: Profile
    let state: UploadState

    init(_ records: borrowing IdentityRecords, _ stateKey: borrowing SecureBytes) throws {
        let setup = try records.requiredSetup()
        // A push that has nothing to do must not hide that the private key is gone.
        let publicKey = try records.identity().clientKey.publicKey
        let profile = try records.profile()
        let state = try UploadState(of: records, key: stateKey)
        self.setup = setup
        self.publicKey = publicKey
        self.profile = profile
        self.state = state
    }

}

extension RecordChanges {
    /// Private key and document of a backup.
    mutating func set(_ backup: borrowing SafeBackup, _ id: ThreemaID) {
        set(backup.profile)
        let identity = backup.identity(id).encoded()
        identity.withBytes { set(.identity, $0) }
    }
}
