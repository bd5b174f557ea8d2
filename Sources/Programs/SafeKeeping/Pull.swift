package import Keystore
internal import ObservedTime
internal import Primitives
internal import SafeRules
package import SafeWire
package import SecureMemory
package import Threema
internal import ThreemaRecords
package import ThreemaSafe

/// The access to one Safe backup: server, place and key.
package struct SafeAccess: ~Copyable {
    /// The ID of the Safe.
    package let id: ThreemaID
    let target: SafeTarget
    private let server: any SafeExchange
    /// Whether a person has just entered the password.
    package let isFromPassword: Bool
    /// Whether the place is set up for reading only, so that no push can upload to it.
    private let isReadOnly: Bool

    init(
        id: ThreemaID, target: consuming SafeTarget, server: any SafeExchange, isFromPassword: Bool,
        isReadOnly: Bool = false
    ) {
        self.id = id
        self.target = target
        self.server = server
        self.isFromPassword = isFromPassword
        self.isReadOnly = isReadOnly
    }

    /// Derives the access from ID, server and password, for a restore on an empty machine.
    /// - Throws: `KeyDerivationError`.
    package init(
        to id: ThreemaID, at server: consuming SafeEndpoint, password: borrowing SecureBytes,
        connect: SafeKeeper.Connect
    ) throws {
        let target = try SafeTarget(server: server, password: password, id: id)
        let exchange = connect(target.server, target.keys.backupID)
        self.init(id: id, target: target, server: exchange, isFromPassword: true)
    }

    /// This access; if it leads to the place that is set up, with that place's name.
    fileprivate func placed(by setup: borrowing SafeSetup?) -> SafeAccess {
        var target = target.copy
        switch setup {
        case .some(let setup) where setup.current.isSame(as: target):
            target = setup.current.approached(as: target.server.copy)
        default: break
        }
        return SafeAccess(id: id, target: target, server: server, isFromPassword: isFromPassword)
    }

    /// The address of the server.
    package var address: SafeServerAddress { target.address }

    /// A copy of the server, with its login and trust.
    package var endpoint: SafeEndpoint { target.server.copy }

    /// The same backup and key by another login or trust of the same server.
    package func reached(as server: consuming SafeEndpoint, connect: SafeKeeper.Connect) -> SafeAccess {
        let target = target.approached(as: server)
        let exchange = connect(target.server, target.keys.backupID)
        return SafeAccess(id: id, target: target, server: exchange, isFromPassword: isFromPassword)
    }

    /// Fetches the encrypted backup, without opening it.
    /// - Throws: `SafeKeepingError.noBackup`; `SafeExchangeError`.
    package func fetchEncrypted() throws -> [UInt8] {
        guard let blob = try server.fetch(target.keys.backupID)?.bytes else {
            guard !isReadOnly else {
                throw SafeKeepingError.refused(
                    .mirror(.absent), id: id.text, server: target.address.text, stage: .readOnly)
            }
            throw SafeKeepingError.noBackup(
                id: id.text, server: target.address.text, isFromPassword: isFromPassword)
        }
        return blob
    }

    /// Fetches and opens the backup.
    /// - Throws: as `fetchEncrypted`; `SafeBackupError`.
    package func fetch() throws -> FetchedSafe {
        let blob = try fetchEncrypted()
        return FetchedSafe(
            id: id, backup: try SafeBackup.open(blob.span, keys: target.keys), digest: BLAKE2b.hash(blob.span),
            bytes: blob.count, limits: try? SafeKeeper.limits(of: server))
    }
}

/// A Safe backup that was fetched and opened.
package struct FetchedSafe: ~Copyable {
    /// The ID of the Safe.
    package let id: ThreemaID
    /// The opened backup.
    package let backup: SafeBackup
    /// Digest of the encrypted backup.
    let digest: [UInt8]
    /// Length of the encrypted backup in bytes.
    let bytes: Int
    /// The limits of the server; nil if it has none.
    let limits: ServerLimits?
    /// What the backup replaced; nil before it is stored.
    package var replaced: Replaced?

    /// What a restored backup has replaced.
    package struct Replaced: Equatable, Sendable {
        /// The place that is set up for the backup; nil if none is.
        package var place: PlaceName?
        /// Number of contacts in the former profile; nil if the identity is new, or if its profile was damaged.
        package var contacts: Int?
        /// The names of the damaged records.
        package var damaged: [String] = []
        /// The server of the place's setup, if the backup came from another one: that setup stayed.
        package var otherServer: SafeServerAddress?
        /// Whether that is the same server, and the Safe password another one.
        package var isOtherPassword = false
    }
}

extension SafeKeeper {
    /// The access to the Safe that is set up, without a password.
    /// - Throws: `SafeKeepingError.noSetup`.
    package func access(to place: SafePlace) throws -> SafeAccess {
        let setup = try keystore.identity(.threema(place.id)).requiredSetup(at: place.name)
        let target = setup.current.copy
        let server = connect(target)
        return SafeAccess(
            id: place.id, target: target, server: server, isFromPassword: false, isReadOnly: setup.isReadOnly)
    }

    /// The options of restoring a backup.
    package struct KeepOptions: Sendable {
        /// Accept a lower generation than was seen, and the loss of changes that were not uploaded and of damaged
        /// records.
        package var isReplacing = false
        /// Replace another private key.
        package var isReplacingKey = false
        /// Store server and Safe key, so that `push` works, if no Safe is set up.
        package var isKeepingSetup = true
        /// Whether that setup is for reading only. If a Safe is set up at the same place, `.readOnly` changes it.
        package var access = SafeKeeper.Access.readAndWrite

        /// Refuses every loss, and stores the setup.
        package init() {}
    }

    /// Fetches the backup of a Safe that is set up, and restores it: private key, profile and state change at once.
    /// - Throws: `SafeKeepingError.refused`, then nothing was changed; `SafeBackupError`; `SafeExchangeError`.
    package func pull(_ place: SafePlace, _ options: KeepOptions) throws -> FetchedSafe {
        let id = place.id
        let records = try keystore.identity(.threema(id))
        let damage = options.isReplacing ? try Damage(of: records, at: place.name) : Damage()
        // The profile is lost, so the rules have nothing to compare the backup with.
        if damage.isProfile || damage.isIdentity {
            let access = try access(to: place)
            var fetched = try access.fetch()
            fetched.replaced = try keep(fetched, from: access, as: place.name, options)
            return fetched
        }
        var target = try records.requiredSetup(at: place.name).current.copy
        var contacts = 0
        // Called at each try, under the lock: another process may have changed the profile before it.
        let result = try run(place) { setup in
            let records = try keystore.identity(.threema(id))
            let profile = try records.profile()
            var pull = SafeVerb.Pull()
            (pull.isReplacing, pull.isReplacingKey) = (options.isReplacing, options.isReplacingKey)
            pull.isHereEmpty = profile.document == .empty
            pull.isOutdatedElsewhere = try records.isOutdated(profile, otherThanAt: place.name, key: stateKey)
            target = setup.current.copy
            contacts = profile.document.contactCount
            return Job(verb: .pull(pull))
        }
        let bytes = result.bytes ?? []
        switch result.outcome.failure {
        // Opening the backup throws the layer that failed.
        case .damaged, .notUnderstood: _ = try SafeBackup.open(bytes.span, keys: target.keys)
        // No push can replace or upload it.
        case .absent where result.knowledge.isReadOnly:
            throw SafeKeepingError.refused(.mirror(.absent), id: id.text, server: result.address.text, stage: .readOnly)
        case .tooLong where result.knowledge.isReadOnly:
            throw SafeKeepingError.refused(.mirror(.tooLong), id: id.text, server: result.address.text)
        case .absent:
            throw SafeKeepingError.noBackup(id: id.text, server: result.address.text, isFromPassword: false)
        default: break
        }
        try check(result, at: place)
        return FetchedSafe(
            id: id, backup: try SafeBackup.open(bytes.span, keys: target.keys), digest: BLAKE2b.hash(bytes.span),
            bytes: bytes.count, limits: result.outcome.limits,
            replaced: .init(place: place.name, contacts: contacts))
    }

    /// Stores identity, profile and setup of a backup that was fetched with ID, server and password.
    /// - Parameter name: the place; nil for the one that is set up with this server and password, otherwise `main`.
    /// - Throws: `SafeKeepingError.otherKey`, `.refused`, `.samePlace`, `.tooManyPlaces`; `KeystoreError.damaged` unless
    ///   damaged records may be replaced. Then nothing was changed.
    @discardableResult
    package func keep(
        _ fetched: borrowing FetchedSafe, from access: borrowing SafeAccess, as name: PlaceName? = nil,
        _ options: KeepOptions
    ) throws -> FetchedSafe.Replaced {
        do {
            try keystore.add(.threema(fetched.id)) { new in
                var changes = new.changes()
                changes.set(fetched.backup, fetched.id)
                if options.isKeepingSetup {
                    try add(
                        fetched, access, .unknown, to: &changes, UploadState(), at: name ?? .main, as: options.access)
                }
                try new.commit(changes)
            }
            return .init(place: options.isKeepingSetup ? name ?? .main : nil)
        } catch KeystoreError.exists {
            return try takeOver(fetched, access, name, options)
        }
    }

    /// Restores the backup into an identity that the keystore holds.
    private func takeOver(
        _ fetched: borrowing FetchedSafe, _ given: borrowing SafeAccess, _ named: PlaceName?, _ options: KeepOptions
    ) throws -> FetchedSafe.Replaced {
        let held = try keystore.lockedIdentity(.threema(fetched.id), wait: LockedIdentity.usualWait)
        let identity = fetched.backup.identity(fetched.id)
        let isSame = try held.records.isHolding(identity, orDamaged: options.isReplacingKey)
        guard isSame || options.isReplacingKey else { throw SafeKeepingError.otherKey(id: fetched.id.text) }
        let key = stateKey
        let name = try named ?? held.records.place(of: given.target) ?? .main
        let damage = options.isReplacing ? try Damage(of: held.records, at: name) : Damage()
        let profile = damage.isProfile ? .empty : try held.records.profile()
        let access = given.placed(by: damage.isSetup ? nil : try held.records.setup(at: name))
        // The private key is another one, so the state of earlier uploads is not about it.
        var state = try UploadState(of: held.records, at: name, key: key)
        if !isSame { state = state.withoutTargets(keepingProof: false) }
        // The same for a place whose name is lost with the setup.
        if damage.isSetup { (state.safe, state.next, state.retiring) = (nil, nil, nil) }
        let place = state.state(at: access.target, TargetDigests(access.target, profile, key: key))
        if !options.isReplacing { try refuseLoss(fetched, access, place, profile, held.records) }
        var changes = held.changes()
        var otherServer: SafeServerAddress?
        changes.set(fetched.backup, fetched.id)
        if !isSame { try changes.forgetStates(of: held.records, except: nil, key: key, now: now()) }
        if damage.isSetup {
            changes.remove(.safe(at: name))
            changes.setState(state.encoded(for: fetched.id.text, at: name, key: key, now: now()), of: name)
        }
        if !damage.isSetup, var setup = try held.records.setup(at: name) {
            if options.access == .readOnly { try Self.makeReadOnly(&setup, access.target, fetched.id) }
            if setup.current.isSame(as: access.target) {
                try add(fetched, access, place, to: &changes, state, at: name, as: nil)
                setup.endDeletion()
                let record = setup.encoded()
                record.withBytes { changes.set(.safe(at: name), $0) }
            } else {
                otherServer = setup.current.address
            }
        } else if options.isKeepingSetup {
            if !damage.isSetup { try held.records.requireRoomForPlace() }
            let isMirrored =
                try damage.isSetup && held.records.history(of: name).contains { $0.origin == .mirrored }
            try prove(access.target, options.access, isNot: SafePlace(fetched.id, name), in: held.records)
            try add(fetched, access, place, to: &changes, state, at: name, as: isMirrored ? .readOnly : options.access)
        }
        if !damage.isProfile { try keepReplaced(profile, by: fetched.backup, isOtherKey: !isSame, held) }
        try held.commit(changes)
        let setUp = try otherServer == nil && held.records.contains(.safe(at: name)) ? name : nil
        return .init(
            place: setUp, contacts: damage.isProfile ? nil : profile.document.contactCount, damaged: damage.names,
            otherServer: otherServer, isOtherPassword: otherServer == access.target.address)
    }

    /// - Throws: `.setupExists` for a setup of another place; `.refused` if a change of it is not finished.
    private static func makeReadOnly(
        _ setup: inout SafeSetup, _ target: borrowing SafeTarget, _ id: ThreemaID
    ) throws {
        guard setup.current.isSame(as: target) else { throw SafeKeepingError.setupExists(id: id.text) }
        guard !setup.isChanging else {
            throw SafeKeepingError.refused(.changeUnfinished, id: id.text, server: target.address.text)
        }
        setup.makeReadOnly()
    }

    /// - Throws: `.refused` with `.olderBackup`, `.unpushedChanges` or `.otherProfile`.
    private func refuseLoss(
        _ fetched: borrowing FetchedSafe, _ access: borrowing SafeAccess, _ place: PlaceState,
        _ profile: borrowing Profile, _ records: borrowing IdentityRecords
    ) throws {
        var pull = SafeVerb.Pull()
        pull.isHereEmpty = profile.document == .empty
        // Generations of different places cannot be compared.
        pull.isPlaceUnknown = place.last == nil
        var place = place
        // The states of the places that are set up tell whether the profile was uploaded.
        place.content = try records.isUnsaved(profile, key: stateKey) ? nil : place.document
        guard let contents = contents(fetched, access, profile == fetched.backup.profile ? .same : .otherDocument),
            let failure = SafeMachine.refusal(contents.contents, contents.digest, at: place, pull)
        else { return }
        throw SafeKeepingError.refused(failure, id: fetched.id.text, server: access.address.text, stage: .named)
    }

    private func contents(
        _ fetched: borrowing FetchedSafe, _ access: borrowing SafeAccess, _ relation: Found.Relation
    ) -> (digest: Digest, contents: Found.Contents)? {
        guard let digest = Digest(fetched.digest) else { return nil }
        let digests = TargetDigests(access.target, fetched.backup.profile, key: stateKey)
        return (
            digest,
            .init(
                relation, document: digests.content,
                writer: fetched.backup.writerInfo.map {
                    .init(
                        isThisKeystore: $0.writer == digests.writer, generation: $0.generation, writtenAt: $0.writtenAt)
                }, contacts: fetched.backup.document.contactCount)
        )
    }

    /// Stores the setup, and the backup as the one that was last seen.
    /// - Parameter setup: nil if it is stored already.
    private func add(
        _ fetched: borrowing FetchedSafe, _ access: borrowing SafeAccess, _ place: PlaceState,
        to changes: inout RecordChanges, _ state: UploadState, at name: PlaceName, as setup: Access?
    ) throws {
        guard let (digest, contents) = contents(fetched, access, .same) else { return }
        var (place, state) = (place, state)
        let time = state.clock.read(now())
        place.take(digest, contents, retentionDays: fetched.limits?.retentionDays, at: time)
        place.bytes = Int64(fetched.bytes)
        if access.isFromPassword { place.passwordProvenAt = place.passwordProvenAt ?? now() }
        (place.document, place.backup) = (.none, .none)
        let key = stateKey
        let digests = TargetDigests(access.target, fetched.backup.profile, key: key)
        state.safe = .init(target: digests.target, state: place)
        if let setup {
            let record = SafeSetup(access.target.copy, isReadOnly: setup == .readOnly).encoded()
            record.withBytes { changes.set(.safe(at: name), $0) }
        }
        changes.setState(state.encoded(for: fetched.id.text, at: name, key: key, now: now()), of: name)
    }
}
