internal import Encodings
internal import Keystore
internal import Primitives
public import SafeWire
public import SecureMemory
public import Threema

extension SafeKeeper {
    public struct PullOptions: Sendable {
        /// Put the backup over a newer one that was seen, over changes that were not uploaded, and over another key.
        public var isReplacing = false
        /// Keep server and Safe key, so that `push` goes on from here. Only where none is set up.
        public var isKeepingSetup = true

        public init() {}
    }

    public struct PullResult: Equatable, Sendable {
        public let id: ThreemaID
        public let publicKey: PublicKey
        public let document: SafeDocument
        /// Who wrote it when, where that was keytool.
        public let stamp: SafeBackup.Stamp?
        public let server: String
    }

    /// Fetches the Safe backup of an identity that is set up, and takes it over. Needs no password.
    /// - Throws: `SafeKeepingError.noSetup`, `.noBackup`, `.otherKey`, `.olderBackup`, `.unpushedChanges`;
    ///   `SafeBackupError`; `SafeExchangeError`. Then nothing was changed.
    public func pull(_ id: ThreemaID, _ options: PullOptions) throws -> PullResult {
        let setup = try keystore.identity(id.text).requiredSetup()
        return try pull(id, setup, options)
    }

    /// Fetches a Safe backup with ID, server and password alone, and takes over identity, profile and setup:
    /// the way back on an empty machine.
    /// - Throws: as the other `pull`; `KeyDerivationError`.
    public func pull(
        _ id: ThreemaID, from address: SafeServerAddress, password: borrowing SecureBytes, _ options: PullOptions
    ) throws -> PullResult {
        let keys = try password.withBytes { (password) throws(KeyDerivationError) in
            try SafeKeys(password: password, id: id)
        }
        return try pull(id, SafeSetup(address: address, keys: keys), options)
    }

    private func pull(
        _ id: ThreemaID, _ setup: borrowing SafeSetup, _ options: PullOptions
    ) throws -> PullResult {
        guard let blob = try connect(setup.address).fetch(setup.keys.backupID) else {
            throw SafeKeepingError.noBackup(id: id.text, server: setup.address.text)
        }
        let backup = try SafeBackup.open(blob.span, keys: setup.keys)
        let result = PullResult(
            id: id, publicKey: backup.clientKey.publicKey, document: backup.document, stamp: backup.stamp,
            server: setup.address.text)
        let arrival = Arrival(digest: BLAKE2b.hash(blob.span), document: backup.document, stamp: backup.stamp)
        let identity = backup.identity(id)
        do {
            try keystore.add(id.text) { new in
                try new.write(arrival.document)
                try new.write(identity)
                if options.isKeepingSetup {
                    try new.write(setup)
                    try remember(arrival, setup, new)
                }
            }
        } catch KeystoreError.exists {
            try takeOver(identity, arrival, setup, options)
        }
        return result
    }

    /// What came from the server.
    private struct Arrival {
        let digest: [UInt8]
        let document: SafeDocument
        let stamp: SafeBackup.Stamp?
    }

    /// Puts the backup into an identity that the keystore holds already.
    private func takeOver(
        _ identity: borrowing Identity, _ arrival: Arrival, _ setup: borrowing SafeSetup, _ options: PullOptions
    ) throws {
        let id = identity.id.text
        let held = try keystore.lockedIdentity(id, wait: Self.lockWait)
        let isSame = try held.records.identity().isSame(as: identity)
        if !options.isReplacing {
            guard isSame else { throw SafeKeepingError.otherKey(id: id) }
            try refuseLoss(held, arrival, setup)
        }
        // A push that comes between these steps finds a state that does not fit, and looks at the server.
        try held.write(arrival.document)
        if !isSame { try held.write(identity) }
        let heldSetup = try held.records.setup()
        if heldSetup == nil && options.isKeepingSetup { try held.write(setup) }
        let isOwnTarget = heldSetup?.isSame(as: setup) ?? options.isKeepingSetup
        if isOwnTarget { try remember(arrival, setup, held) }
    }

    /// - Throws: `.olderBackup`, `.unpushedChanges`.
    private func refuseLoss(
        _ held: borrowing LockedIdentity, _ arrival: Arrival, _ setup: borrowing SafeSetup
    ) throws {
        let key = keystore.digestKey(UploadState.digestPurpose)
        let profile = try held.records.profile()
        let safe = try UploadState(of: held.records, key: key).safe
        if let found = arrival.stamp?.generation, let seen = safe?.generation, found < seen {
            throw SafeKeepingError.olderBackup(found: found, seen: seen)
        }
        if profile == arrival.document || profile == .empty { return }
        // Without a setup there was no upload, and what is here is nowhere else.
        guard let heldSetup = try held.records.setup() else {
            throw SafeKeepingError.unpushedChanges(id: held.records.id)
        }
        let digests = TargetDigests(
            address: heldSetup.address, backupID: heldSetup.keys.backupID, document: profile, key: key)
        guard safe?.content == digests.content else {
            throw SafeKeepingError.unpushedChanges(id: held.records.id)
        }
    }

    /// The backup that arrived is from now on the one that was last seen.
    private func remember(
        _ arrival: Arrival, _ setup: borrowing SafeSetup, _ identity: borrowing LockedIdentity
    ) throws {
        let key = keystore.digestKey(UploadState.digestPurpose)
        let digests = TargetDigests(
            address: setup.address, backupID: setup.keys.backupID, document: arrival.document, key: key)
        var state = try UploadState(of: identity.records, key: key)
        var safe = UploadState.Safe(target: digests.target)
        safe.content = digests.content
        safe.seen = arrival.digest
        safe.seenAt = now()
        // An app's backup does not say when it was uploaded: unknown, so the next push uploads.
        safe.uploadedAt = arrival.stamp?.writtenAt
        safe.generation = arrival.stamp?.generation ?? 0
        state.safe = safe
        try state.write(to: identity, key: key)
    }
}
