internal import Keystore
public import SafeWire
internal import SecureMemory
public import Threema

extension SafeKeeper {
    /// What a deletion led to.
    public struct DeleteResult: Equatable, Sendable {
        /// Where the backup was, or still is.
        public let server: SafeServerAddress
        /// Whether nothing is left anywhere; false only where that was allowed.
        public let isRemoved: Bool
    }

    /// Deletes the Safe backup of an identity from its server, then forgets the setup. A backup that is not
    /// there any more is fine. A deletion whose process died is finished by whatever comes next; one that failed leaves
    /// the setup, and a push uploads again what it may have deleted.
    /// - Parameters:
    ///   - keepingSetup: leave server and key, so that a later push uploads again.
    ///   - leavingRest: do not mind what cannot be deleted.
    /// - Throws: `SafeKeepingError.noSetup`, `.notVerified`; `SafeExchangeError`.
    public func deleteSafe(
        of id: ThreemaID, keepingSetup: Bool, leavingRest: Bool = false
    ) throws -> DeleteResult {
        let identity = try keystore.lockedIdentity(id.text, wait: Self.lockWait)
        let setup = try identity.records.requiredSetup()
        let address = setup.current.address
        // Never "unchanged" while the server may hold nothing: if this fails halfway, the next push uploads.
        try changeState(of: identity) { state in
            state.safe?.hasFailed = true
            state.next?.hasFailed = true
        }
        let isRemoved: Bool
        if keepingSetup {
            isRemoved = try removeBackups(setup, leavingRest: leavingRest)
            try forgetUploads(identity)
            try identity.write(setup: SafeSetup.encode(setup.current))
        } else {
            try identity.write(setup: Self.record(of: setup, isDeleting: true))
            do {
                isRemoved = try removeBackups(setup, leavingRest: leavingRest)
            } catch {
                try identity.write(setup: Self.record(of: setup, isDeleting: false))
                throw error
            }
            try forget(identity)
        }
        return DeleteResult(server: address, isRemoved: isRemoved)
    }

    /// The rest of a deletion whose process has died.
    /// - Throws: `SafeExchangeError`. Where a server refuses, the mark is taken back: it would bar the way to a server
    ///   that can be approached in another way. Where a server is away, it stays.
    func finishDeletion(_ identity: borrowing LockedIdentity, _ setup: borrowing SafeSetup) throws {
        do {
            _ = try removeBackups(setup, leavingRest: false)
        } catch let error as SafeExchangeError where !error.isPassing {
            try identity.write(setup: Self.record(of: setup, isDeleting: false))
            throw error
        }
        try forget(identity)
    }

    private static func record(of setup: borrowing SafeSetup, isDeleting: Bool) -> SecureBytes {
        var record = SafeSetup.Record(current: setup.current)
        record.setNext(ifAny: setup.next)
        record.setRetiring(ifAny: setup.retiring)
        if isDeleting { record.setDeleting() }
        return record.finish()
    }

    private func forget(_ identity: borrowing LockedIdentity) throws {
        try forgetUploads(identity)
        try identity.remove(.safe)
    }

    /// Deletes what the targets of a setup hold.
    /// - Returns: whether all of it is gone.
    private func removeBackups(_ setup: borrowing SafeSetup, leavingRest: Bool) throws -> Bool {
        var isRemoved = true
        func remove(_ target: borrowing SafeTarget) throws {
            let server = connect(target)
            do {
                try server.remove(target.keys.backupID, if: .none)
                // Some servers say that it is gone before it is.
                guard try server.fetch(target.keys.backupID) == nil else {
                    throw SafeKeepingError.notVerified(server: target.address.text)
                }
            } catch {
                guard leavingRest else { throw error }
                isRemoved = false
            }
        }
        // An old server that does not answer must not use up the present one's time.
        try remove(setup.current)
        switch setup.next {
        case .some(let next): try remove(next)
        case .none: break
        }
        switch setup.retiring {
        case .some(let retiring): try remove(retiring)
        case .none: break
        }
        return isRemoved
    }

    /// Forgets what was uploaded, and no more.
    func forgetUploads(_ identity: borrowing LockedIdentity) throws {
        try changeState(of: identity) { state in
            state.safe = nil
            state.next = nil
        }
    }

    /// Forgets what was uploaded for a change that is taken back.
    func forgetNextUploads(_ identity: borrowing LockedIdentity) throws {
        try changeState(of: identity) { $0.next = nil }
    }

    private func changeState(
        of identity: borrowing LockedIdentity, _ change: (inout UploadState) -> Void
    ) throws {
        let key = stateKey
        var state = try UploadState(of: identity.records, key: key)
        change(&state)
        try state.write(to: identity, key: key)
    }
}
