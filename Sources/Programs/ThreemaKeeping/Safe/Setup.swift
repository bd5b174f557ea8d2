package import HTTP
internal import Keystore
internal import Primitives
internal import SafeRules
package import SafeWire
package import SecureMemory
package import Threema
internal import ThreemaSafe

extension SafeKeeper {
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
                return ServerTest(
                    limits: limits, honoursConditions: try Self.probe(exchange, id, address: server.address.text))
            } catch let error as SafeExchangeError {
                guard exchange.pause(after: tries, error) else { throw error }
            }
        }
    }

    /// The certificate that a server shows, trusted or not; nil for a directory, or if it cannot be parsed.
    package func presentCertificate(of server: borrowing SafeEndpoint) throws -> PresentedCertificate? {
        try connect(server, BackupID(Random.bytes(BackupID.count).span)).presentCertificate()
    }

    /// - Returns: whether the server accepted a write whose condition held, and refused one whose condition did not.
    private static func probe(_ server: any SafeExchange, _ id: BackupID, address: String) throws -> Bool {
        let content = Random.bytes(64)
        let hold = try server.hold()
        defer { withExtendedLifetime(hold) {} }
        do {
            var honoursConditions = try isAccepted { () throws(SafeExchangeError) in
                try server.store(content, at: id, if: .absent)
            }
            if !honoursConditions { try server.store(content, at: id, if: .none) }
            let isReturned = try server.fetch(id)?.bytes == content
            if try isAccepted({ () throws(SafeExchangeError) in try server.store(content, at: id, if: .absent) }) {
                honoursConditions = false
            }
            try server.remove(id, if: .none)
            guard isReturned, try server.fetch(id) == nil else {
                throw SafeKeepingError.notVerified(server: address)
            }
            return honoursConditions
        } catch {
            try? server.remove(id, if: .none)
            throw error
        }
    }

    private static func isAccepted(_ write: () throws(SafeExchangeError) -> Void) throws(SafeExchangeError) -> Bool {
        do throws(SafeExchangeError) {
            try write()
            return true
        } catch .changed {
            return false
        }
    }

    /// Sets up the Safe of an identity: derives its key once and seals it with the server. The password is not kept.
    /// - Parameter test: the result of a test; nil if the server was not tested. Then no request is sent.
    ///   With `.readOnly` the backup has to exist and to hold the identity's private key, if the server was tested: the
    ///   password may be mistyped.
    /// - Returns: whether the server already holds a backup under this ID and password; nil if no request was sent.
    /// - Throws: `SafeKeepingError.setupExists`, `.noBackup`, `.refused`; `SafeExchangeError`; `SafeBackupError`;
    ///   `KeyDerivationError`. Then nothing was stored here.
    package func setUpSafe(
        of id: ThreemaID, at server: consuming SafeEndpoint, password: borrowing SecureBytes, test: ServerTest?,
        access: Access = .readAndWrite
    ) throws -> Bool? {
        let identity = try keystore.lockedIdentity(.threema(id), wait: ThreemaKeeper.lockWait)
        guard try identity.records.setup() == nil else { throw SafeKeepingError.setupExists(id: id.text) }
        let target = try SafeTarget(server: server, password: password, id: id)
        let backup = try test.map { _ in try connect(target).fetch(target.keys.backupID) }
        if access == .readOnly, let backup { try requireOwnBackup(backup, target, identity.records, id) }
        let key = stateKey
        var state = try UploadState(of: identity.records, key: key)
        var place = PlaceState.unknown
        place.honoursConditions = test?.honoursConditions
        if access == .readAndWrite, let stored = backup ?? nil {
            place.finding = try finding(stored, target, identity.records)
        }
        let digests = TargetDigests(target, try identity.records.profile(), key: key)
        state.safe = .init(target: digests.target, state: place)
        try store(SafeSetup(target.copy, isReadOnly: access == .readOnly), state, in: identity)
        return backup.map { $0 != nil }
    }

    /// - Throws: `SafeKeepingError.noBackup`, `.refused(.mirror(.otherKey))`; `SafeBackupError`.
    func requireOwnBackup(
        _ backup: StoredBackup?, _ target: borrowing SafeTarget, _ records: borrowing IdentityRecords, _ id: ThreemaID
    ) throws {
        guard let backup else {
            throw SafeKeepingError.noBackup(id: id.text, server: target.address.text, isFromPassword: true)
        }
        let opened = try SafeBackup.open(backup.bytes.span, keys: target.keys)
        guard try opened.clientKey.publicKey == records.identity().clientKey.publicKey else {
            throw SafeKeepingError.refused(.mirror(.otherKey), id: id.text, server: target.address.text)
        }
    }

    /// Whether the Safe is set up for reading only.
    /// - Throws: `SafeKeepingError.noSetup`.
    package func isReadOnly(_ id: ThreemaID) throws -> Bool {
        try keystore.identity(.threema(id)).requiredSetup().isReadOnly
    }

    /// Removes the setup of a Safe from the keystore. No request is sent: the backup stays on its server.
    /// - Throws: `SafeKeepingError.noSetup`; `.refused` while a change is not finished, because backups in other places
    ///   would be forgotten.
    package func removeSetup(of id: ThreemaID) throws {
        let identity = try keystore.lockedIdentity(.threema(id), wait: ThreemaKeeper.lockWait)
        let setup = try identity.records.requiredSetup()
        guard !setup.isChanging else {
            throw SafeKeepingError.refused(
                setup.isRetiring ? .oldBackupLeft : .changeUnfinished, id: id.text, server: setup.current.address.text)
        }
        try forgetSetup(in: identity)
    }

    /// Stores a setup and the state, both at once.
    func store(
        _ setup: borrowing SafeSetup, _ state: UploadState, in identity: borrowing LockedIdentity
    ) throws {
        let record = setup.encoded()
        var changes = identity.changes()
        record.withBytes { changes.set(.safe, $0) }
        changes.setState(state.encoded(for: identity.records.owner.id, key: stateKey), of: .main)
        try identity.commit(changes)
    }

    /// Removes the record of the setup, and what the state knows of its places.
    func forgetSetup(in identity: borrowing LockedIdentity) throws {
        let key = stateKey
        var state = UploadState()
        state.codeProvenAt = try UploadState(of: identity.records, key: key).codeProvenAt
        var changes = identity.changes()
        changes.remove(.safe)
        changes.setState(state.encoded(for: identity.records.owner.id, key: key), of: .main)
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
