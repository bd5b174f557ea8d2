internal import Encodings
internal import Keystore
internal import Primitives
public import SafeWire
public import SecureMemory
public import Threema

/// The way to one Safe backup: server, place and key.
public struct SafeAccess: ~Copyable {
    /// The ID whose Safe it is.
    public let id: ThreemaID
    let target: SafeTarget
    private let server: any SafeExchange
    /// Whether a person has just given the password.
    let isFromPassword: Bool

    init(id: ThreemaID, target: consuming SafeTarget, server: any SafeExchange, isFromPassword: Bool) {
        self.id = id
        self.target = target
        self.server = server
        self.isFromPassword = isFromPassword
    }

    /// With ID, server and password alone: the way back on an empty machine.
    /// - Throws: `KeyDerivationError`.
    public init(
        to id: ThreemaID, at server: consuming SafeServer, password: borrowing SecureBytes,
        connect: SafeKeeper.Connect
    ) throws {
        let target = try SafeTarget(server: server, password: password, id: id)
        let exchange = connect(target.server, target.keys.backupID)
        self.init(id: id, target: target, server: exchange, isFromPassword: true)
    }

    /// Where the server is.
    public var address: SafeServerAddress { target.address }

    /// The encrypted backup as the server has it, unread.
    /// - Throws: `SafeKeepingError.noBackup`; `SafeExchangeError`.
    public func fetchEncrypted() throws -> [UInt8] {
        guard let blob = try server.fetch(target.keys.backupID)?.bytes else {
            throw SafeKeepingError.noBackup(
                id: id.text, server: target.address.text, isFromPassword: isFromPassword)
        }
        return blob
    }

    /// Fetches and opens the backup.
    /// - Throws: also `SafeBackupError`.
    public func fetch() throws -> FetchedSafe {
        let blob = try fetchEncrypted()
        return FetchedSafe(
            id: id, backup: try SafeBackup.open(blob.span, keys: target.keys), digest: BLAKE2b.hash(blob.span),
            limits: try? SafeKeeper.limits(of: server))
    }
}

/// A Safe backup that was fetched and opened.
public struct FetchedSafe: ~Copyable {
    /// The ID whose Safe it was.
    public let id: ThreemaID
    /// What it holds.
    public let backup: SafeBackup
    /// Digest of the encrypted backup.
    let digest: [UInt8]
    /// What the server allows, where it said so.
    let limits: ServerLimits?
}

extension SafeKeeper {
    /// The way to the Safe of an identity that is set up. Needs no password.
    /// - Throws: `SafeKeepingError.noSetup`.
    public func access(to id: ThreemaID) throws -> SafeAccess {
        let target = try keystore.identity(id.text).requiredSetup().takeCurrent()
        let server = connect(target)
        return SafeAccess(id: id, target: target, server: server, isFromPassword: false)
    }

    /// How to take over a backup.
    public struct KeepOptions: Sendable {
        /// Put the backup over a newer one that was seen, over changes that were not uploaded, and over another key.
        public var isReplacing = false
        /// Keep server and Safe key, so that `push` goes on from here. Only where none is set up.
        public var isKeepingSetup = true

        /// Refuses every loss, and keeps the setup.
        public init() {}
    }

    /// Takes over identity, profile and setup of a fetched backup.
    /// - Throws: `SafeKeepingError.otherKey`, `.olderBackup`, `.unpushedChanges`. Then nothing was changed.
    public func keep(
        _ fetched: borrowing FetchedSafe, from access: borrowing SafeAccess, _ options: KeepOptions
    ) throws {
        let identity = fetched.backup.identity(fetched.id)
        do {
            try keystore.add(fetched.id.text) { new in
                try new.write(fetched.backup.document)
                try new.write(identity)
                if options.isKeepingSetup {
                    try new.write(setup: SafeSetup.encode(access.target))
                    try remember(fetched, access, new)
                }
            }
        } catch KeystoreError.exists {
            try takeOver(fetched, access, identity, options)
        }
    }

    /// Puts the backup into an identity that the keystore holds already.
    private func takeOver(
        _ fetched: borrowing FetchedSafe, _ access: borrowing SafeAccess, _ identity: borrowing Identity,
        _ options: KeepOptions
    ) throws {
        let held = try keystore.lockedIdentity(fetched.id.text, wait: Self.lockWait)
        let isSame = try held.records.isHolding(identity, orDamaged: options.isReplacing)
        if !options.isReplacing {
            guard isSame else { throw SafeKeepingError.otherKey(id: fetched.id.text) }
            try refuseLoss(held, fetched, access)
        }
        // Another key: nothing that was remembered of uploads is about it.
        if !isSame { try held.removeState() }
        try held.write(fetched.backup.document)
        if !isSame { try held.write(identity) }
        let isOwnTarget: Bool
        if let setup = try held.records.setup() {
            isOwnTarget = setup.current.isSame(as: access.target)
        } else {
            isOwnTarget = options.isKeepingSetup
            if isOwnTarget { try held.write(setup: SafeSetup.encode(access.target)) }
        }
        if isOwnTarget { try remember(fetched, access, held) }
    }

    /// - Throws: `.olderBackup`, `.unpushedChanges`.
    private func refuseLoss(
        _ held: borrowing LockedIdentity, _ fetched: borrowing FetchedSafe, _ access: borrowing SafeAccess
    ) throws {
        let key = stateKey
        let profile = try held.records.profile()
        let state = try UploadState(of: held.records, key: key)
        // Each target counts on its own; of one that is not known, the last known number is better than none.
        let safe = state.safe(at: TargetDigests(access.target, profile, key: key)) ?? state.safe
        if let found = fetched.backup.stamp?.generation, let seen = safe?.generation, found < seen,
            fetched.digest != safe?.seen
        {
            throw SafeKeepingError.olderBackup(found: found, seen: seen)
        }
        if profile == fetched.backup.document || profile == .empty { return }
        // Without a setup there was no upload, and what is here is nowhere else.
        guard let setup = try held.records.setup() else {
            throw SafeKeepingError.unpushedChanges(id: held.records.id)
        }
        let digests = TargetDigests(setup.current, profile, key: key)
        guard state.safe(at: digests)?.content == digests.content else {
            throw SafeKeepingError.unpushedChanges(id: held.records.id)
        }
    }

    /// The backup that arrived is from now on the one that was last seen.
    private func remember(
        _ fetched: borrowing FetchedSafe, _ access: borrowing SafeAccess, _ identity: borrowing LockedIdentity
    ) throws {
        let key = stateKey
        let digests = TargetDigests(access.target, fetched.backup.document, key: key)
        var state = try UploadState(of: identity.records, key: key)
        let known = state.safe(at: digests)
        var safe = UploadState.Safe(target: digests.target)
        safe.content = digests.content
        safe.seen = fetched.digest
        safe.seenAt = now()
        // An app's backup does not say when it was uploaded, and without its limits nobody knows how long the server
        // keeps it: unknown, so the next push uploads.
        if let limits = fetched.limits {
            safe.uploadedAt = fetched.backup.stamp?.writtenAt
            safe.retentionDays = Int64(limits.retentionDays)
        }
        // An app's backup has no number; the count goes on all the same.
        safe.generation = max(known?.generation ?? 0, fetched.backup.stamp?.generation ?? 0)
        safe.passwordProvenAt = known?.passwordProvenAt
        safe.contacts = Int64(fetched.backup.document.contactCount)
        state.safe = safe
        try state.write(to: identity, key: key)
    }
}
