internal import Keystore
public import SafeWire
internal import SecureMemory
public import Threema

extension SafeKeeper {
    /// Deletes the Safe backup of an identity from its server, then forgets the setup. A backup that is not
    /// there any more is fine. A deletion that was begun is finished by whatever comes next.
    /// - Parameters:
    ///   - keepingSetup: leave server and key, so that a later push uploads again.
    ///   - leavingOld: do not mind where a backup under an earlier password or on an earlier server cannot be deleted.
    /// - Returns: the server's address.
    /// - Throws: `SafeKeepingError.noSetup`; `SafeExchangeError`.
    public func deleteSafe(of id: ThreemaID, keepingSetup: Bool, leavingOld: Bool = false) throws -> SafeServerAddress {
        let identity = try keystore.lockedIdentity(id.text, wait: Self.lockWait)
        let setup = try identity.records.requiredSetup()
        let address = setup.current.address
        if keepingSetup {
            // Forgotten first: never "unchanged" while the server holds nothing.
            try forgetUploads(identity)
            try removeBackups(setup, leavingOld: leavingOld)
            try identity.write(setup: SafeSetup.encode(setup.current))
        } else {
            var record = SafeSetup.Record(current: setup.current)
            record.setNext(ifAny: setup.next)
            record.setRetiring(ifAny: setup.retiring)
            record.setDeleting()
            try identity.write(setup: record.finish())
            try finishDeletion(identity, setup, leavingOld: leavingOld)
        }
        return address
    }

    /// The rest of a deletion whose mark is set.
    /// - Throws: where a server refuses, the mark is taken back: it would bar the way to a server that can be
    ///   approached in another way. Where a server is away, it stays.
    func finishDeletion(
        _ identity: borrowing LockedIdentity, _ setup: borrowing SafeSetup, leavingOld: Bool = false
    ) throws {
        do {
            try removeBackups(setup, leavingOld: leavingOld)
        } catch let error as SafeExchangeError where !error.isPassing {
            var record = SafeSetup.Record(current: setup.current)
            record.setNext(ifAny: setup.next)
            record.setRetiring(ifAny: setup.retiring)
            try identity.write(setup: record.finish())
            throw error
        }
        try forgetUploads(identity)
        try identity.remove(.safe)
    }

    /// Deletes what the targets of a setup hold.
    private func removeBackups(_ setup: borrowing SafeSetup, leavingOld: Bool) throws {
        switch setup.retiring {
        case .some(let retiring):
            do throws(SafeExchangeError) {
                try connect(retiring).remove(retiring.keys.backupID)
            } catch {
                guard leavingOld else { throw error }
            }
        case .none: break
        }
        switch setup.next {
        case .some(let next): try connect(next).remove(next.keys.backupID)
        case .none: break
        }
        let server = connect(setup.current)
        try server.remove(setup.current.keys.backupID)
        // Some servers say that it is gone before it is.
        guard try server.fetch(setup.current.keys.backupID) == nil else {
            throw SafeKeepingError.notVerified(server: setup.current.address.text)
        }
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
