package import HTTP
internal import Encodings
internal import Keystore
package import SafeRules
package import SafeWire
package import SecureMemory
package import Threema
package import ThreemaSafe

extension SafeKeeper {
    /// What a look at the server found.
    package struct Look: Equatable, Sendable {
        /// What the server allows; nil if it did not say.
        package let limits: ServerLimits?
        /// Who wrote the backup; nil for an app, and if there is none.
        package let writer: Found.Writer?
        /// Contacts in the backup; nil if there is none that opens.
        package let contacts: Int?
        /// Groups in it.
        package let groups: Int?
        /// Whether the keystore has changes that were not uploaded yet.
        package let isUnpushed: Bool
        /// Why that is not the backup that was last uploaded; nil if it is.
        package let failure: SafeFailure?
        /// Which layer of a backup that authenticates cannot be read; nil if each can, and if there is none.
        package let unreadable: SafeBackupError?
        /// Whether what was found could not be noted: another process holds the lock, or the keystore cannot be
        /// written.
        package let isUnnoted: Bool
        /// The server's address.
        package let server: SafeServerAddress
        /// What was noticed of the server on the way.
        package let notes: ExchangeNotes
    }

    /// Asks the server of a Safe what it holds, opens that, and compares it with what was last uploaded. Remembers what
    /// it found, and makes nothing known.
    /// - Throws: `SafeKeepingError.noSetup`, `.badLimits`; `SafeExchangeError`. That the backup is missing, damaged or
    ///   foreign is in the result.
    package func look(at id: ThreemaID) throws -> Look {
        let result = try run(.check, of: id, isLooking: true)
        switch result.outcome.failure {
        case .exchange, .badLimits: try check(result, of: id)
        default: break
        }
        let place = result.knowledge.current
        var contents: Found.Contents?
        if case .authentic(_, let found)? = result.outcome.found { contents = found }
        var unreadable: SafeBackupError?
        if result.outcome.failure == .notUnderstood, let bytes = result.bytes {
            let target = try keystore.identity(.threema(id)).requiredSetup().current.copy
            do throws(SafeBackupError) {
                _ = try SafeBackup.open(bytes.span, keys: target.keys)
            } catch {
                unreadable = error
            }
        }
        return Look(
            limits: result.outcome.limits, writer: contents?.writer, contacts: contents?.contacts,
            groups: contents?.groups, isUnpushed: place.content != place.document, failure: result.outcome.failure,
            unreadable: unreadable,
            isUnnoted: result.isUnsaved, server: result.address, notes: result.notes)
    }

    /// The public key that the server of a Safe shows; nil for a directory.
    package func presentPin(of id: ThreemaID) throws -> PublicKeyPin? {
        try connect(keystore.identity(.threema(id)).requiredSetup().current).presentPin()
    }

    /// Compares a password with the one whose key the setup holds, and remembers that a person knew it.
    /// - Throws: `SafeKeepingError.wrongPassword`; `KeyDerivationError`.
    package func provePassword(_ password: borrowing SecureBytes, of id: ThreemaID) throws {
        let server = try keystore.identity(.threema(id)).requiredSetup().current.server.copy
        let target = try SafeTarget(server: server, password: password, id: id)
        let identity = try keystore.lockedIdentity(.threema(id), wait: ThreemaKeeper.lockWait)
        let setup = try identity.records.requiredSetup()
        guard target.isSame(as: setup.current) else { throw SafeKeepingError.wrongPassword(id: id.text) }
        let key = stateKey
        var state = try UploadState(of: identity.records, key: key)
        let digests = TargetDigests(setup.current, try identity.records.profile(), key: key)
        var place = state.state(at: setup.current, digests)
        place.passwordProvenAt = now()
        (place.document, place.backup) = (.none, .none)
        state.safe = .init(target: digests.target, state: place)
        try state.write(to: identity, key: key)
    }
}
