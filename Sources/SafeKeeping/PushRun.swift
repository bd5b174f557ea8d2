internal import SafeRules
internal import Encodings
internal import Keystore
internal import Primitives
internal import SafeWire
internal import SecureMemory
internal import Threema

/// One run of `push`: what was remembered, what is here, and the way to the server.
struct PushRun: ~Copyable {
    let id: String
    let now: Timestamp
    let document: SafeDocument
    let publicKey: PublicKey
    let target: SafeTarget
    let server: any SafeExchange
    let digests: TargetDigests
    var state: UploadState.Safe

    /// Whether this is the target of a change that is not finished.
    private let isNext: Bool

    private var wholeState: UploadState
    private let stateKey: SecureBytes
    private static let verifyTries = 3

    init(
        identity: borrowing LockedIdentity, keeper: SafeKeeper, target: consuming SafeTarget, isNext: Bool = false
    ) throws {
        // A push that has nothing to do must not hide that the private key is gone.
        let publicKey = try identity.records.identity().clientKey.publicKey
        let document = try identity.records.profile()
        let stateKey = keeper.stateKey
        let wholeState = try UploadState(of: identity.records, key: stateKey)
        let digests = TargetDigests(target, document, key: stateKey)
        id = identity.records.id
        now = keeper.now()
        server = keeper.connect(target)
        state = wholeState.safe(at: digests) ?? UploadState.Safe(target: digests.target)
        self.isNext = isNext
        self.document = document
        self.publicKey = publicKey
        self.digests = digests
        self.wholeState = wholeState
        self.stateKey = stateKey
        self.target = target
    }

    /// Does what is due.
    mutating func run(
        _ identity: borrowing LockedIdentity, _ options: SafeKeeper.PushOptions
    ) throws -> SafeKeeper.PushResult {
        let past = state.past(content: digests.content)
        switch UploadDecision.decide(past, isForced: options.isForced || options.isOverwriting, now: now) {
        case .unchanged: return result(.unchanged)
        case .deferred(let moment): return result(.deferred(until: moment))
        case .wait(let moment): throw SafeKeepingError.waiting(until: moment)
        case .confirm where options.isDryRun: return result(.wouldConfirm)
        case .upload where options.isDryRun: return result(.wouldUpload)
        case .confirm: return try recordingFailure(identity) { run in try run.confirm(identity, options) }
        case .upload(let reason):
            let upload = try recordingFailure(identity) { run in try run.upload(identity, options) }
            return result(reason == .refresh ? .refreshed : .uploaded, upload)
        }
    }

    /// After a run that failed, whatever the reason, the next one uploads as if the content had changed.
    mutating func recordingFailure<Result>(
        _ identity: borrowing LockedIdentity, _ body: (inout PushRun) throws -> Result
    ) throws -> Result {
        do {
            return try body(&self)
        } catch {
            state.hasFailed = true
            // What the server asks for, the next run of this command respects.
            if case SafeExchangeError.throttled(_, let seconds?) = error {
                state.notBefore = now + min(.seconds(seconds), UploadDecision.longestWait)
            }
            try? save(identity)
            throw error
        }
    }

    /// Looks whether the backup is still what was last uploaded; uploads it where it is gone or damaged.
    mutating func confirm(
        _ identity: borrowing LockedIdentity, _ options: SafeKeeper.PushOptions
    ) throws -> SafeKeeper.PushResult {
        guard let present = try server.fetch(target.keys.backupID)?.bytes, isKnown(present) else {
            return result(.restored, try upload(identity, options))
        }
        state.seenAt = now
        try save(identity)
        return result(.confirmed)
    }

    mutating func upload(
        _ identity: borrowing LockedIdentity, _ options: SafeKeeper.PushOptions
    ) throws -> SafeKeeper.Upload {
        // Half of the contacts gone at once is rarely what anybody wants.
        guard document.contactCount * 2 >= Int(clamping: state.contacts) || options.isForced else {
            throw SafeKeepingError.losesContacts(before: Int(clamping: state.contacts), now: document.contactCount)
        }
        let limits = try SafeKeeper.limits(of: server)
        let hold = try server.hold()
        defer { withExtendedLifetime(hold) {} }
        let replaced = try examine(try present(options), options)
        let own = try identity.records.identity()

        let stamp = SafeBackup.Stamp(
            generation: min(state.generation + 1, SafeBackup.Stamp.generations.upperBound), writtenAt: now,
            writer: digests.writer)
        let blob = try SafeBackup.seal(own.clientKey, document, stamp: stamp, keys: target.keys)
        // What is not read back must not be sent, whatever the server would take.
        let limit = min(limits.maxBackupBytes, maxFetchedBytes)
        guard blob.count <= limit else {
            throw SafeKeepingError.tooLarge(
                bytes: blob.count, limit: limit, pictureBytes: document.profilePictureCount)
        }
        state.sending = BLAKE2b.hash(blob.span)
        state.hasFailed = true
        try save(identity)

        try server.store(blob, at: target.keys.backupID, if: .none)
        if options.isVerifying { try verify(blob) }

        state.seen = state.sending
        state.sending = nil
        state.content = digests.content
        state.generation = stamp.generation
        state.contacts = Int64(document.contactCount)
        state.uploadedAt = now
        state.seenAt = options.isVerifying ? now : nil
        state.retentionDays = Int64(limits.retentionDays)
        state.notBefore = nil
        state.hasFailed = false
        try save(identity)
        return SafeKeeper.Upload(
            limits: limits, bytes: blob.count, generation: stamp.generation, isVerified: options.isVerifying,
            replaced: replaced)
    }

    /// What stands on the server. Something too long to be read is replaced only by somebody who insists.
    private func present(_ options: SafeKeeper.PushOptions) throws(SafeExchangeError) -> [UInt8]? {
        do throws(SafeExchangeError) {
            return try server.fetch(target.keys.backupID)?.bytes
        } catch {
            if case .tooLarge = error, options.isOverwriting { return nil }
            throw error
        }
    }

    /// Decides whether what stands on the server may be replaced, and learns its generation.
    /// - Returns: what is worth a word.
    private mutating func examine(
        _ present: [UInt8]?, _ options: SafeKeeper.PushOptions
    ) throws -> SafeKeeper.Upload.Replaced? {
        guard let present else { return nil }
        guard let backup = try open(present, options) else { return .damaged }
        let found = backup.stamp?.generation ?? 0
        // Written by this keystore, or by a copy of it: it may go if it is older than what the state knows of, in
        // number and time; a copy that went its own way has news, whatever number it has come to. Where the state
        // is lost, or is an older copy's, only what says the same may go.
        let isSame = backup.document == document && backup.clientKey.publicKey == publicKey
        let isOlder = found <= state.generation && isBeforeLastUpload(backup.stamp?.writtenAt)
        let isOwn = backup.stamp?.writer == digests.writer && (isStateKnown ? isOlder : isSame)
        guard isKnown(present) || isOwn || options.isOverwriting else { throw SafeKeepingError.conflict(id: id) }
        // What arrived without an acknowledgement stays known when the next one is about to be sent.
        if isKnown(present) { state.seen = BLAKE2b.hash(present.span) }
        let isPutBack = isOwn && !isKnown(present) && found < state.generation
        // The count goes on from wherever it has been left.
        state.generation = max(state.generation, found)
        return isPutBack ? .older(generation: found) : nil
    }

    /// - Returns: nil where there is nothing that anybody could miss.
    private func open(_ present: [UInt8], _ options: SafeKeeper.PushOptions) throws -> SafeBackup? {
        do throws(SafeBackupError) {
            return try SafeBackup.open(present.span, keys: target.keys)
        } catch {
            switch error {
            case .tooShort, .notAuthentic: return nil
            default:
                // It was written by somebody who has the key; that it is not understood here is no reason to
                // destroy it.
                guard options.isOverwriting else { throw SafeKeepingError.conflict(id: id) }
                return nil
            }
        }
    }

    private var isStateKnown: Bool { state.seen != nil || state.sending != nil }

    private func isBeforeLastUpload(_ moment: Timestamp?) -> Bool {
        guard let moment, let last = state.uploadedAt else { return false }
        return moment <= last
    }

    private func isKnown(_ blob: [UInt8]) -> Bool {
        let digest = BLAKE2b.hash(blob.span)
        return digest == state.seen || digest == state.sending
    }

    private func verify(_ blob: [UInt8]) throws {
        for _ in 0..<Self.verifyTries where try server.fetch(target.keys.backupID)?.bytes == blob { return }
        throw SafeKeepingError.notVerified(server: target.address.text)
    }

    private mutating func save(_ identity: borrowing LockedIdentity) throws {
        wholeState.keep(state, asNext: isNext)
        try wholeState.write(to: identity, key: stateKey)
    }

    func result(
        _ outcome: SafeKeeper.PushResult.Outcome, _ upload: SafeKeeper.Upload? = nil
    ) -> SafeKeeper.PushResult {
        let retention = ServerLimits.clampedRetentionDays(state.retentionDays)
        return SafeKeeper.PushResult(
            outcome: outcome, server: target.address, upload: upload,
            notes: server.notes, uploadedAt: state.uploadedAt,
            seenAt: state.seenAt,
            expiresAt: state.uploadedAt.map { $0 + .days(retention) },
            refreshAfter: state.uploadedAt.map { $0 + UploadDecision.refreshAge(state.retentionDays) })
    }
}
