internal import Keystore
public import SafeWire
public import SecureMemory
public import Threema

// Changing the Safe password or the server, step by step. Whichever step a process dies at, the next run
// of `push` or `passwd` goes on from the record, without a password:
//
//   record                       server
//   current: old                 old backup
//   current: old, next: new      old backup, perhaps the new one
//   current: new, retiring: old  both                              <- the one rename that switches
//   current: new                 new backup
//
// At no moment is there no good backup on a server.

extension SafeKeeper {
    /// What a change of password or server led to.
    public struct ChangeResult: Equatable, Sendable {
        /// The server's address from now on.
        public let server: SafeServerAddress
        /// Whether the old backup is gone; where not, every push tries again.
        public let isOldRemoved: Bool
    }

    /// Moves the Safe backup of an identity to a new password, a new server, or both.
    /// - Parameters:
    ///   - server: nil for the present one.
    ///   - password: nil for the present one: the key stays.
    ///   - preparing: make an empty folder a Safe server first.
    ///   - leavingOld: give up a backup of an earlier change that cannot be deleted.
    /// - Throws: `SafeKeepingError.noSetup`, `.sameTarget`, `.oldBackupLeft`, `.conflict` where something stands
    ///   at the new place, and what `push` throws. Once the change has begun, the next run finishes it;
    ///   `abortChange` takes it back.
    public func changeTarget(
        of id: ThreemaID, to server: consuming SafeServer?, password: borrowing SecureBytes?, preparing: Bool = false,
        leavingOld: Bool
    ) throws -> ChangeResult {
        let identity = try keystore.lockedIdentity(id.text, wait: Self.lockWait)
        let isUnfinished = try !identity.records.requiredSetup().isSettled
        let isClear = try finishChanges(identity)
        guard isClear || leavingOld else { throw SafeKeepingError.oldBackupLeft(id: id.text) }
        let setup = try identity.records.requiredSetup()
        let next = try Self.next(setup.current, server, password, id)
        // Ask the new server before anything is written down.
        let exchange = connect(next)
        if preparing { try exchange.prepare(.standard) }
        if next.isSame(as: setup.current) {
            guard next.server.isSame(as: setup.current.server) else {
                // The same place, approached in another way: there is nothing to move.
                _ = try Self.limits(of: exchange)
                try identity.write(setup: SafeSetup.encode(next))
                return ChangeResult(server: next.address, isOldRemoved: isClear)
            }
            // Said again after an interruption: that change is over now.
            guard isUnfinished else { throw SafeKeepingError.sameTarget(id: id.text) }
            return ChangeResult(server: next.address, isOldRemoved: isClear)
        }
        _ = try Self.limits(of: exchange)
        guard try exchange.fetch(next.keys.backupID) == nil else { throw SafeKeepingError.conflict(id: id.text) }
        var record = SafeSetup.Record(current: setup.current)
        record.setNext(next)
        try identity.write(setup: record.finish())
        let isOldRemoved = try finishChanges(identity)
        return ChangeResult(server: next.address, isOldRemoved: isOldRemoved)
    }

    private static func next(
        _ current: borrowing SafeTarget, _ server: consuming SafeServer?, _ password: borrowing SecureBytes?,
        _ id: ThreemaID
    ) throws -> SafeTarget {
        let moved: SafeTarget
        switch consume server {
        case .some(let server): moved = current.moved(to: server)
        case .none: moved = current.moved(to: current.server.copy)
        }
        switch password {
        case .some(let password): return try SafeTarget(server: moved.server.copy, password: password, id: id)
        case .none: return moved
        }
    }

    /// The server of an identity's Safe, and how it is approached.
    /// - Throws: `SafeKeepingError.noSetup`.
    public func server(of id: ThreemaID) throws -> SafeServer {
        try keystore.identity(id.text).requiredSetup().current.server.copy
    }

    /// Takes back a change that was not finished: the new backup is deleted, the old one stays.
    /// - Parameter leavingNew: do not mind where the new one cannot be deleted.
    /// - Returns: whether there was anything to take back.
    public func abortChange(of id: ThreemaID, leavingNew: Bool = false) throws -> Bool {
        let identity = try keystore.lockedIdentity(id.text, wait: Self.lockWait)
        let setup = try identity.records.requiredSetup()
        // A deletion takes the new backup with it.
        guard !setup.isDeleting else { return false }
        switch setup.next {
        case .none: return false
        case .some(let next):
            do throws(SafeExchangeError) {
                try connect(next).remove(next.keys.backupID, if: .none)
            } catch {
                guard leavingNew else { throw error }
            }
            try identity.write(setup: SafeSetup.encode(setup.current))
            try forgetNextUploads(identity)
            return true
        }
    }

    /// Finishes what an earlier run has begun: a deletion, a change, the removal of an old backup.
    /// - Returns: whether no old backup is left. That one cannot be deleted now is no error.
    /// - Throws: `SafeKeepingError.deletionFinished`; what `push` throws.
    private func finishChanges(_ identity: borrowing LockedIdentity) throws -> Bool {
        try finishBegun(identity)
        return try removeRetired(identity)
    }

    /// Finishes a deletion or a change that an earlier run has begun.
    /// - Throws: as `finishChanges`.
    func finishBegun(_ identity: borrowing LockedIdentity) throws {
        let setup = try identity.records.requiredSetup()
        if setup.isDeleting {
            try finishDeletion(identity, setup)
            throw SafeKeepingError.deletionFinished(id: identity.records.id)
        }
        if let next = setup.takeNext() { try switchTarget(identity, to: next) }
    }

    private func switchTarget(_ identity: borrowing LockedIdentity, to next: consuming SafeTarget) throws {
        let setup = try identity.records.requiredSetup()
        var options = PushOptions()
        options.isForced = true
        var record = SafeSetup.Record(current: next)
        record.setRetiring(setup.current)
        var push = try PushRun(identity: identity, keeper: self, target: next, isNext: true)
        _ = try push.upload(identity, options)
        try identity.write(setup: record.finish())
    }

    /// Deletes the backup under an earlier password or server, if there is one.
    /// - Returns: whether none is left. That one cannot be deleted now is no error.
    func removeRetired(_ identity: borrowing LockedIdentity) throws -> Bool {
        let setup = try identity.records.requiredSetup()
        switch setup.retiring {
        case .none: return true
        case .some(let retiring):
            do throws(SafeExchangeError) {
                try connect(retiring).remove(retiring.keys.backupID, if: .none)
            } catch {
                return false
            }
            try identity.write(setup: SafeSetup.encode(setup.current))
            return true
        }
    }
}
