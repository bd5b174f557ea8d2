package import HTTP
internal import Keystore
package import SafeRules
package import SafeWire
package import SecureMemory
internal import Threema
internal import ThreemaRecords
package import ThreemaSafe

extension SafeKeeper {
    /// The result of a look at the server.
    package struct Look: Equatable, Sendable {
        /// The limits of the server; nil if it has none.
        package let limits: ServerLimits?
        /// The writer info; nil if an app wrote the backup, or if it is missing.
        package let writer: Found.Writer?
        /// Number of contacts in the backup; nil if no backup was opened.
        package let contacts: Int?
        /// Number of groups in the backup; nil if no backup was opened.
        package let groups: Int?
        /// Whether the keystore has changes that were not uploaded.
        package let isUnpushed: Bool
        /// Whether the Safe is set up for reading only.
        package let isReadOnly: Bool
        /// Whether the backup is newer than the newest one that was mirrored. Only if the setup is for reading only.
        package let isNewer: Bool
        /// Why the found backup is not the one that was last uploaded; nil if it is.
        package let failure: SafeFailure?
        /// The layer of an authentic backup that cannot be read; nil if all can be read.
        package let unreadable: SafeBackupError?
        /// Whether the result was not saved, because another process holds the lock or the keystore cannot be written;
        /// or because only a loss was to be saved.
        package let isUnnoted: Bool
        /// The server's address.
        package let server: SafeServerAddress
        /// Retries and the server's clock.
        package let notes: ExchangeNotes
    }

    /// Fetches and opens the backup of a Safe, and compares it with the one that was last uploaded. The finding is
    /// saved; the backup does not become known.
    /// - Parameter savesLossOnly: whether to leave the keystore as it is if the expected backup was found. Then the time
    ///   of the look is not saved either.
    /// - Throws: `SafeKeepingError.noSetup`, `.badLimits`; `SafeExchangeError`. A missing, damaged or foreign backup is
    ///   not an error, but part of the result.
    package func look(at safe: SafePlace, savesLossOnly: Bool = false) throws -> Look {
        let result = try run(safe, use: savesLossOnly ? .readingUnlessLost : .reading) { _ in Job(verb: .check) }
        switch result.outcome.failure {
        case .exchange, .badLimits: try check(result, at: safe)
        default: break
        }
        let place = result.knowledge.current
        var contents: Found.Contents?
        if case .authentic(_, let found)? = result.outcome.found { contents = found }
        var unreadable: SafeBackupError?
        if result.outcome.failure == .notUnderstood, let bytes = result.bytes {
            let target = try keystore.identity(.threema(safe.id)).requiredSetup(at: safe.name).current.copy
            do throws(SafeBackupError) {
                _ = try SafeBackup.open(bytes.span, keys: target.keys)
            } catch {
                unreadable = error
            }
        }
        return Look(
            limits: result.outcome.limits, writer: contents?.writer, contacts: contents?.contacts,
            groups: contents?.groups, isUnpushed: place.content != place.document,
            isReadOnly: result.knowledge.isReadOnly,
            isNewer: result.knowledge.isReadOnly && result.outcome.failure == nil
                && result.outcome.result != .unchanged, failure: result.outcome.failure,
            unreadable: unreadable,
            isUnnoted: result.isUnsaved, server: result.address, notes: result.notes)
    }

    /// The public key that the server of a Safe shows; nil for a directory.
    package func presentPin(of place: SafePlace) throws -> PublicKeyPin? {
        try connect(keystore.identity(.threema(place.id)).requiredSetup(at: place.name).current).presentPin()
    }

    /// Checks the Safe password against the stored key, and saves the time.
    /// - Returns: whether the time was saved. It is not if another process holds the lock for long, or if the keystore
    ///   cannot be written.
    /// - Throws: `SafeKeepingError.wrongPassword`; `KeyDerivationError`.
    package func provePassword(_ password: borrowing SecureBytes, of safe: SafePlace) throws -> Bool {
        let id = safe.id
        let setup = try keystore.identity(.threema(id)).requiredSetup(at: safe.name)
        let target = try SafeTarget(server: setup.current.server.copy, password: password, id: id)
        guard target.isSame(as: setup.current) else {
            throw SafeKeepingError.wrongPassword(id: id.text, isReadOnly: setup.isReadOnly)
        }
        return try keystore.attempt { try saveProof(target, of: safe) }
    }

    private func saveProof(_ target: borrowing SafeTarget, of safe: SafePlace) throws {
        let id = safe.id
        let identity = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        let setup = try identity.records.requiredSetup(at: safe.name)
        guard target.isSame(as: setup.current) else {
            throw SafeKeepingError.wrongPassword(id: id.text, isReadOnly: setup.isReadOnly)
        }
        let key = stateKey
        var state = try UploadState(of: identity.records, at: safe.name, key: key)
        let digests = TargetDigests(setup.current, try identity.records.profile(), key: key)
        var place = state.state(at: setup.current, digests)
        place.passwordProvenAt = now()
        (place.document, place.backup) = (.none, .none)
        state.safe = .init(target: digests.target, state: place)
        try state.write(to: identity, at: safe.name, key: key, now: now())
    }
}
