internal import Encodings
internal import Keystore
internal import ObservedTime
internal import Primitives
internal import SafeRules
internal import SafeWire
internal import SecureMemory
internal import Threema
internal import ThreemaRecords
internal import ThreemaSafe

/// Carries out the actions of `SafeMachine` for one place: reads and writes its records, seals and opens backups,
/// sends requests. It makes no decisions.
struct SafeRun: ~Copyable {
    let place: SafePlace
    let keeper: SafeKeeper
    let holding: Holding
    private let stateKey: SecureBytes
    private let profile: OwnProfile
    let publicKey: PublicKey
    private(set) var setup: SafeSetup
    var state: UploadState
    /// The wall clock at the last write of the state.
    private var writtenAt: Timestamp?
    let verb: SafeVerb
    /// The new place of a change, or another address or login of the current one.
    let candidate: SafeTarget?
    /// Whether to prepare the new place before the first request to it.
    private let isPreparing: Bool
    /// Whether the verb only looks. Then it does not fail if it cannot save.
    private let isLooking: Bool

    var servers: [Role: any SafeExchange] = [:]
    var found: [Role: StoredBackup] = [:]
    var sealed: [UInt8] = []
    /// The last two hashed backups and their digests.
    private var hashed: [(bytes: [UInt8], digest: Digest)] = []
    /// The contents of `sealed`, and its place.
    private var sealedContents: (role: Role, digest: Digest, contents: Found.Contents)?
    var probe: (id: BackupID, bytes: [UInt8])?
    /// The lock of a directory against other writers on this machine.
    var hold: (any Sendable)?
    /// The identity's other places whose backups have to be read again, because one with their id was deleted here.
    var survivors: [SafePlace] = []
    /// Whether new knowledge could not be saved.
    private(set) var isUnsaved = false

    /// - Throws: `SafeKeepingError.noSetup`; `KeystoreError.damaged`; what `job` throws.
    init(
        _ keeper: SafeKeeper, _ place: SafePlace, _ holding: consuming Holding, isLooking: Bool,
        _ job: (borrowing SafeSetup) throws -> SafeKeeper.Job
    ) throws {
        let content = try holding.read(place.name, keeper.stateKey)
        let job = try job(content.setup)
        self.keeper = keeper
        self.place = place
        self.holding = holding
        self.isLooking = isLooking
        verb = job.verb
        isPreparing = job.isPreparing
        candidate = job.candidate
        stateKey = keeper.stateKey
        publicKey = content.publicKey
        state = content.state
        writtenAt = content.state.clock.wall
        setup = content.setup
        profile = content.profile
    }

    /// Whether the run works without the identity's lock.
    var isUnlocked: Bool {
        switch holding {
        case .locked: false
        case .unlocked: true
        }
    }

    /// The backup that was last fetched from the current place.
    var foundBytes: [UInt8]? { found[.current]?.bytes }

    // MARK: Driving

    /// Runs the machine to its end.
    /// - Parameter progress: from an earlier try of the same command.
    /// - Throws: errors of files, keys and backups; as `prepareNewPlace`. Other failures of servers are in the outcome.
    mutating func drive(_ progress: Progress) throws -> Outcome {
        state.clock.read(keeper.now())
        updateHistory()
        var knowledge = knowledge()
        if case .mirror = verb, knowledge.current.mirror == nil { knowledge.current.mirror = mirrorOfHistory() }
        var machine = SafeMachine(
            verb, knowledge, candidate: candidateState(), contacts: profile.contacts, progress: progress)
        var answer = Answer.start
        while true {
            let action = machine.next(answer, at: state.clock.read(keeper.now()))
            if case .finish(let outcome) = action {
                hold = nil
                if outcome.failure != nil { writeClock() }
                return outcome
            }
            answer = try carryOut(action)
        }
    }

    /// The knowledge about the places of the setup.
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
        knowledge.isReadOnly = setup.isReadOnly
        return knowledge
    }

    func placeState(_ target: borrowing SafeTarget) -> PlaceState {
        state.state(at: target, profile.digests(target))
    }

    private mutating func carryOut(_ action: Action) throws -> Answer {
        switch action {
        case .seal(let role, let generation): return try seal(role, generation)
        case .keep(let role): return try keep(role)
        case .save(let knowledge, let shift): return try save(knowledge, shift)
        case .adopt(let role, let knowledge, let kept): return try adopt(role, knowledge, keeping: kept)
        case .thin(_, let retention): return thin(retention)
        case .wait(let duration):
            keeper.sleep(duration)
            return .done
        case .finish: return .done
        // Not earlier: an action before this one may end in a refusal, and then nothing may have been created.
        case .askLimits(.next) where isPreparing: try prepareNewPlace()
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

    // MARK: Backups

    mutating func describe(_ backup: StoredBackup?, _ role: Role) -> Found {
        guard let backup else { return .nothing }
        let digest = digest(of: backup.bytes)
        if let contents = knownContents(digest, role) { return .authentic(digest: digest, contents) }
        return withTarget(role) { target in
            do throws(SafeBackupError) {
                let opened = try SafeBackup.open(backup.bytes.span, keys: target.keys)
                return .authentic(digest: digest, contents(opened, target))
            } catch {
                switch error {
                case .tooShort, .notAuthentic: return .unauthentic(digest: digest)
                // It was sealed with the Safe key.
                default: return .authentic(digest: digest, .init(.notUnderstood, document: .none))
                }
            }
        }
    }

    /// The digest of a backup. Most backups of a run were fetched or sealed in it before, and comparing is ten times as
    /// fast as hashing.
    mutating func digest(of bytes: [UInt8]) -> Digest {
        if let known = hashed.first(where: { $0.bytes == bytes }) { return known.digest }
        let digest = Digest(BLAKE2b.hash(bytes.span)) ?? .none
        hashed = [(bytes, digest)] + hashed.prefix(1)
        return digest
    }

    /// The contents of a backup that is known by its digest and need not be opened: the one that this run has sealed
    /// and opened; and, in a push, the one that is expected at its place. A push replaces that one in any case, and the
    /// state has its generation.
    private func knownContents(_ digest: Digest, _ role: Role) -> Found.Contents? {
        if let sealedContents, sealedContents.role == role, sealedContents.digest == digest {
            return sealedContents.contents
        }
        guard case .push = verb else { return nil }
        let place = withTarget(role) { placeState($0) }
        guard place.last == digest, let content = place.content else { return nil }
        return Found.Contents(
            content == place.document ? .same : .otherDocument, document: content,
            contacts: Int(clamping: place.contacts))
    }

    private func contents(_ backup: borrowing SafeBackup, _ target: borrowing SafeTarget) -> Found.Contents {
        let own = profile.digests(target)
        let theirs = TargetDigests(target, backup.profile, key: stateKey)
        let isSameKey = backup.clientKey.publicKey == publicKey
        return Found.Contents(
            !isSameKey ? .otherKey : theirs.content == own.content ? .same : .otherDocument, document: theirs.content,
            writer: backup.writerInfo.map {
                .init(
                    isThisKeystore: $0.writer == own.writer, generation: $0.generation, writtenAt: $0.writtenAt)
            }, contacts: backup.document.contactCount, groups: backup.document.groupCount)
    }

    mutating func seal(_ role: Role, _ generation: Int64) throws -> Answer {
        let own = try holding.identity()
        let timestamp = keeper.now()
        let (bytes, contents) = try withTarget(role) { target in
            let digests = profile.digests(target)
            let writerInfo = SafeBackup.WriterInfo(generation: generation, writtenAt: timestamp, writer: digests.writer)
            let contents = Found.Contents(
                .same, document: digests.content,
                writer: .init(isThisKeystore: true, generation: generation, writtenAt: timestamp),
                contacts: profile.contacts)
            return (try profile.seal(own.clientKey, writerInfo, target.keys), contents)
        }
        let digest = digest(of: bytes)
        sealed = bytes
        sealedContents = (role, digest, contents)
        return .sealed(digest: digest, bytes: bytes.count)
    }

    // MARK: Records

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
                    changes.remove(.safe(at: place.name))
                    changes.forgetPlaces(state, of: place, key: stateKey, now: keeper.now())
                } else if !isSame {
                    record.withBytes { changes.set(.safe(at: place.name), $0) }
                }
            }
            writtenAt = state.clock.wall
        } catch {
            guard isLooking else { throw error }
            isUnsaved = true
        }
        return .done
    }

    /// A run that fails again and again changes no knowledge, and its age is still to be observed. Best effort.
    private mutating func writeClock() {
        let now = keeper.now()
        let isRecent = writtenAt.map { $0 <= now && now - $0 < Self.clockInterval } ?? false
        guard !isRecent, !isLooking else { return }
        _ = try? commit { _ in }
    }

    /// Time between two writes of the state by runs that fail.
    private static let clockInterval = Duration.hours(12)

    /// Writes the state and the changes of `body`, all at once.
    /// - Returns: false without the lock. Then nothing was written.
    private func commit(_ body: (inout RecordChanges) throws -> Void) throws -> Bool {
        switch holding {
        case .locked(let identity):
            var changes = identity.changes()
            let now = keeper.now()
            changes.setState(
                state.encoded(for: place.id.text, at: place.name, key: stateKey, now: now), of: place.name)
            try body(&changes)
            try identity.commit(changes)
            return true
        case .unlocked: return false
        }
    }

    /// Fetched and opened backups move with their places.
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
        func known(_ role: Role) -> UploadState.Known? {
            guard var place = knowledge[role] else { return nil }
            if let bytes = found[role]?.bytes, let digest = hashed.first(where: { $0.bytes == bytes })?.digest,
                place.last == digest || place.mirror?.isNewest(digest) == true
            {
                place.bytes = Int64(bytes.count)
            }
            let digests = withTarget(role) { profile.digests($0) }
            (place.document, place.backup) = (.none, .none)
            return .init(target: digests.target, state: place)
        }
        state.safe = shift == .forget ? nil : known(.current)
        state.next = shift == .forget || setup.next == nil ? nil : known(.next)
        state.retiring = shift == .forget || setup.retiring == nil ? nil : known(.retiring)
    }

    /// Stores private key, document and knowledge at once.
    private mutating func adopt(_ role: Role, _ knowledge: Knowledge, keeping kept: Int64?) throws -> Answer {
        guard let bytes = found[role]?.bytes else { return .done }
        if let kept {
            do {
                _ = try seal(role, max(1, kept))
                try keep(sealed, role, origin: .replaced)
            } catch SafeBackupError.gzip(.tooLarge) {
                // No backup can hold it.
            }
        }
        let backup = try withTarget(role) { target in
            try SafeBackup.open(bytes.span, keys: target.keys)
        }
        setup.apply(.stay, knowledge, candidate: candidate)
        remember(knowledge)
        let isOtherKey = backup.clientKey.publicKey != publicKey
        // A code of another private key proves nothing.
        if isOtherKey { state.codeProvenAt = nil }
        let record = setup.encoded()
        _ = try commit { changes in
            changes.set(backup, place.id)
            if isOtherKey {
                try changes.forgetStates(of: holding, except: place.name, key: stateKey, now: keeper.now())
            }
            record.withBytes { changes.set(.safe(at: place.name), $0) }
        }
        return .done
    }
}
