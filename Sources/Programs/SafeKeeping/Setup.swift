package import HTTP
internal import Keystore
internal import SafeRules
package import SafeWire
package import SecureMemory
package import Threema
internal import ThreemaRecords
internal import ThreemaSafe

extension SafeKeeper {
    /// Refuses a keystore in which nothing can be stored of this Safe, before its server or directory is prepared.
    /// - Throws: `FileError`; `KeystoreError`.
    package func requireWritable(_ place: SafePlace) throws {
        try keystore.requireWritable(for: .threema(place.id), at: place.name)
    }

    /// The result of testing a server.
    package struct ServerTest: Equatable, Sendable {
        package let limits: ServerLimits
        /// Whether the server refuses a write exactly if its condition does not hold; nil if nothing was written.
        package let honoursConditions: Bool?
    }

    /// What a Safe that is set up may do to its place.
    package enum Access: Sendable {
        case readAndWrite
        /// Another device writes the backup. No verb of this keystore does.
        case readOnly
    }

    /// Tests a server: `config`, then PUT, GET and DELETE of 64 random bytes under a random id. The keystore is not
    /// changed.
    /// - Parameters:
    ///   - preparing: whether to turn an empty directory into a Safe server first.
    ///   - access: with `.readOnly`, only `config` is fetched.
    /// - Throws: `SafeKeepingError.badLimits`, `.notVerified`; `SafeExchangeError`.
    package func test(_ server: borrowing SafeEndpoint, preparing: Bool, access: Access = .readAndWrite) throws
        -> ServerTest
    {
        let id = BackupID(Random.bytes(BackupID.count).span)
        let exchange = connect(server, id)
        var tries = 0
        while true {
            tries += 1
            do {
                if preparing { try exchange.prepare(.standard) }
                let limits = try Self.limits(of: exchange)
                guard access == .readAndWrite else { return ServerTest(limits: limits, honoursConditions: nil) }
                guard let honoursConditions = try exchange.probe(Random.bytes(64), at: id) else {
                    throw SafeKeepingError.notVerified(server: server.address.text)
                }
                return ServerTest(limits: limits, honoursConditions: honoursConditions)
            } catch let error as SafeExchangeError {
                guard exchange.pause(after: tries, error) else { throw error }
            }
        }
    }

    /// The certificate that a server shows, trusted or not; nil for a directory, or if it cannot be parsed.
    package func presentCertificate(of server: borrowing SafeEndpoint) throws -> PresentedCertificate? {
        try connect(server, BackupID(Random.bytes(BackupID.count).span)).presentCertificate()
    }

    /// Sets up a Safe place of an identity: derives its key once and seals it with the server. The password is not kept.
    /// Other places of the identity stay as they are.
    ///
    /// Another place with the same backup id must be another place (see `prove`), which is tested in any case.
    /// - Parameter test: the result of a test; nil if the server was not tested. Then no request is sent.
    ///   With `.readOnly` the backup has to exist and to hold the identity's private key, if the server was tested: the
    ///   password may be mistyped.
    /// - Returns: whether the server already holds a backup under this ID and password; nil if no request was sent.
    /// - Throws: `SafeKeepingError.setupExists`, `.tooManyPlaces`, `.samePlace`, `.noBackup`, `.refused`;
    ///   `SafeExchangeError`; `SafeBackupError`; `KeyDerivationError`. Then nothing was stored here.
    package func setUpSafe(
        _ place: SafePlace, at server: borrowing SafeEndpoint, password: borrowing SecureBytes, test: ServerTest?,
        access: Access = .readAndWrite
    ) throws -> Bool? {
        let identity = try lockForSetup(place)
        let target = try SafeTarget(server: server.copy, password: password, id: place.id)
        return try setUp(place, target, test, access, in: identity)
    }

    /// As above, with the Safe key of another place. No key is derived.
    /// - Parameter source: the place whose key is used, from `keySource`.
    package func setUpSafe(
        _ place: SafePlace, at server: borrowing SafeEndpoint, withKeyOf source: SafePlace, test: ServerTest?,
        access: Access = .readAndWrite
    ) throws -> Bool? {
        let identity = try lockForSetup(place)
        // Its password may be about to be another one by now.
        guard try keySource(of: place.id) == source else { throw SafeKeepingError.differentKeys(id: place.id.text) }
        let target = try identity.records.requiredSetup(at: source.name).current
            .moved(to: server.copy, placeName: SafeTarget.freshPlaceName)
        return try setUp(place, target, test, access, in: identity)
    }

    /// The place whose Safe key another place can share: `main`, or without it any, if all have the same key.
    /// - Throws: `SafeKeepingError.noSetup`; `.differentKeys`; `.refused(.changeUnfinished)` for one of the password.
    package func keySource(of id: ThreemaID) throws -> SafePlace {
        let records = try keystore.identity(.threema(id))
        let places = try records.safePlaces()
        guard let first = places.first else { throw SafeKeepingError.noSetup(id: id.text) }
        let setup = try records.requiredSetup(at: first)
        // Its password is about to be another one.
        guard !setup.isChangingPassword else {
            let server = setup.current.address.text
            throw SafeKeepingError.refused(.changeUnfinished, id: id.text, server: server, stage: .changeUnfinished)
        }
        for name in first == .main ? [] : places.dropFirst()
        where try records.requiredSetup(at: name).current.keys.backupID != setup.current.keys.backupID {
            throw SafeKeepingError.differentKeys(id: id.text)
        }
        return SafePlace(id, first)
    }

    private func lockForSetup(_ place: SafePlace) throws -> LockedIdentity {
        let identity = try keystore.lockedIdentity(.threema(place.id), wait: LockedIdentity.usualWait)
        guard try identity.records.setup(at: place.name) == nil else {
            throw SafeKeepingError.setupExists(id: place.id.text, place: place.name.text)
        }
        try identity.records.requireRoomForPlace()
        return identity
    }

    private func setUp(
        _ safe: SafePlace, _ target: borrowing SafeTarget, _ test: ServerTest?, _ access: Access,
        in identity: borrowing LockedIdentity
    ) throws -> Bool? {
        let id = safe.id
        try prove(target, access, isNot: safe, in: identity.records)
        var isTooLong = false
        var backup: StoredBackup??
        do {
            backup = try test.map { _ in try connect(target).fetch(target.keys.backupID) }
        } catch SafeExchangeError.tooLarge where access == .readAndWrite {
            isTooLong = true
        }
        if access == .readOnly, let backup {
            try requireOwnBackup(backup, target, identity.records, id, stage: .settingUp)
        }
        let key = stateKey
        var state = try UploadState(of: identity.records, at: safe.name, key: key)
        var place = PlaceState.unknown
        place.honoursConditions = test?.honoursConditions
        if access == .readAndWrite, let stored = backup ?? nil {
            place.finding = try finding(stored, target, identity.records)
        }
        if isTooLong { place.finding = .damaged }
        let digests = TargetDigests(target, try identity.records.profile(), key: key)
        state.safe = .init(target: digests.target, state: place)
        try store(SafeSetup(target.copy, isReadOnly: access == .readOnly), state, at: safe.name, in: identity)
        return isTooLong ? true : backup.map { $0 != nil }
    }

    /// - Throws: `SafeKeepingError.noBackup`, `.refused(.mirror(.otherKey))`; `SafeBackupError`.
    func requireOwnBackup(
        _ backup: StoredBackup?, _ target: borrowing SafeTarget, _ records: borrowing IdentityRecords, _ id: ThreemaID,
        stage: SetupStage = .usual
    ) throws {
        guard let backup else {
            throw SafeKeepingError.noBackup(id: id.text, server: target.address.text, isFromPassword: true)
        }
        let opened = try SafeBackup.open(backup.bytes.span, keys: target.keys)
        guard try opened.clientKey.publicKey == records.identity().clientKey.publicKey else {
            throw SafeKeepingError.refused(.mirror(.otherKey), id: id.text, server: target.address.text, stage: stage)
        }
    }

    /// Whether the place is set up for reading only.
    /// - Throws: `SafeKeepingError.noSetup`.
    package func isReadOnly(_ place: SafePlace) throws -> Bool {
        try keystore.identity(.threema(place.id)).requiredSetup(at: place.name).isReadOnly
    }

    /// Removes the setup of a Safe place from the keystore. No request is sent: the backup stays on its server.
    /// - Throws: `SafeKeepingError.noSetup`; `.refused` while a change is not finished, because backups in other places
    ///   would be forgotten.
    package func removeSetup(of place: SafePlace) throws -> SafeServerAddress {
        let identity = try keystore.lockedIdentity(.threema(place.id), wait: LockedIdentity.usualWait)
        let setup = try identity.records.requiredSetup(at: place.name)
        guard !setup.isChanging else {
            throw SafeKeepingError.refused(
                setup.isRetiring ? .oldBackupLeft : .changeUnfinished, id: place.id.text,
                server: setup.current.address.text)
        }
        try forgetSetup(of: place, in: identity)
        return setup.current.address
    }

    /// Stores a setup and the state, both at once.
    func store(
        _ setup: borrowing SafeSetup, _ state: UploadState, at place: PlaceName,
        in identity: borrowing LockedIdentity
    ) throws {
        let record = setup.encoded()
        var changes = identity.changes()
        record.withBytes { changes.set(.safe(at: place), $0) }
        changes.setState(
            state.encoded(for: identity.records.owner.id, at: place, key: stateKey, now: now()), of: place)
        try identity.commit(changes)
    }

    /// Removes the record of the setup, and what the state knows of its places.
    func forgetSetup(of place: SafePlace, in identity: borrowing LockedIdentity) throws {
        var changes = identity.changes()
        changes.remove(.safe(at: place.name))
        let state = try UploadState(of: identity.records, at: place.name, key: stateKey)
        changes.forgetPlaces(state, of: place, key: stateKey, now: now())
        try identity.commit(changes)
    }

    /// The finding for a backup that exists before anything was sent there. A push does not replace it without a look.
    private func finding(
        _ backup: StoredBackup, _ target: borrowing SafeTarget, _ records: borrowing IdentityRecords
    ) throws -> Finding? {
        guard let opened = try? SafeBackup.open(backup.bytes.span, keys: target.keys) else { return .damaged }
        let isOwn = try opened.clientKey.publicKey == records.identity().clientKey.publicKey
        return try isOwn && opened.profile == records.profile() ? nil : .foreign
    }

    /// The limits of a server.
    static func limits(of server: any SafeExchange) throws -> ServerLimits {
        let config: [UInt8]
        do throws(SafeExchangeError) {
            config = try server.config()
        } catch {
            if case .tooLarge = error { throw SafeKeepingError.badLimits(.notJSON) }
            throw error
        }
        do throws(ServerLimitsError) {
            return try ServerLimits(config: config.span)
        } catch {
            throw SafeKeepingError.badLimits(error)
        }
    }
}
