internal import Keystore
internal import SecureMemory
package import Threema
package import ThreemaDirectory
internal import ThreemaRecords
internal import ThreemaSafe

// A key is sealed before the first request, so it is not lost if the answer is. If the process dies
//
//   before the second request     nothing was registered
//   before the answer is here     the directory may hold the key; resuming registers it again, for another ID
//   before the identity is added  the directory holds it; as above
//   before the record is removed  the identity is there; resuming removes the record and sends nothing

extension DirectoryKeeper {
    /// Creates an identity with a random private key and an empty profile, which the directory knows.
    /// - Parameter entropy: bytes that are mixed into the private key; may be empty.
    /// - Throws: `DirectoryKeepingError.failed` if the key was certainly not registered: then nothing is stored, or
    ///   `unstored` gets `.pendingKey`. `.unfinished` if it may have been, `.heldID` or `.registered` if it was, but the
    ///   identity could not be stored; then `resume` goes on.
    package func register(at server: DirectoryServer, mixing entropy: Span<UInt8>) throws -> ThreemaID {
        let registration = PendingRegistration(.random(mixing: entropy), at: server)
        let content = registration.encoded()
        let pending = try content.withBytes { content in
            try keystore.addPending(.pending(registration.key.publicKey), content)
        }
        do {
            return try finish(registration, pending, at: server)
        } catch DirectoryKeepingError.failed(let server, let failure) {
            store(.pendingKey) { try keystore.removePending(pending, wait: Self.rememberWait) }
            throw DirectoryKeepingError.failed(server, failure)
        }
    }

    /// The directory of a registration that is not finished.
    /// - Throws: `DirectoryKeepingError.noPending`; `KeystoreError.damaged`.
    package func server(ofPending key: PublicKey) throws -> DirectoryServer { try registration(of: key).server }

    /// Finishes the registration of a key. If an earlier answer was lost, the directory registers it for another ID. If
    /// another process is registering the key, this one waits for it first.
    /// - Returns: the identity's ID, and whether it was in the keystore already, so that nothing was sent.
    /// - Throws: `DirectoryKeepingError.noPending`, `.unfinished`, `.heldID`, `.registered`; `KeystoreError.damaged`;
    ///   `FileError.locked`.
    package func resume(_ key: PublicKey, at server: DirectoryServer) throws -> (id: ThreemaID, wasAdded: Bool) {
        let pending: LockedPending
        do {
            pending = try keystore.lockedPending(.pending(key), wait: LockedIdentity.usualWait)
        } catch KeystoreError.noIdentity {
            guard let id = try holder(of: key) else { throw DirectoryKeepingError.noPending(key) }
            return (id, true)
        }
        let registration = try registration(of: key)
        if let id = try holder(of: key) {
            try keystore.removePending(pending)
            return (id, true)
        }
        do {
            return (try finish(registration, pending, at: server), false)
        } catch DirectoryKeepingError.failed(let server, let failure) {
            throw DirectoryKeepingError.unfinished(key, server, failure)
        }
    }

    private func registration(of key: PublicKey) throws -> PendingRegistration {
        do {
            return try keystore.pendingRegistration(of: key)
        } catch KeystoreError.noIdentity {
            throw DirectoryKeepingError.noPending(key)
        }
    }

    /// The identity of the keystore that has this public key. Damaged ones are skipped.
    private func holder(of key: PublicKey) throws -> ThreemaID? {
        try keystore.threemaIDs().first { id in
            (try? keystore.identity(.threema(id)).identity().clientKey.publicKey) == key
        }
    }

    /// - Throws: `.failed` if the directory has certainly not registered the key, `.unfinished` if it may have,
    ///   `.heldID` or `.registered` if it has, but the identity could not be stored.
    private func finish(
        _ registration: borrowing PendingRegistration, _ pending: borrowing LockedPending, at server: DirectoryServer
    ) throws -> ThreemaID {
        let publicKey = registration.key.publicKey
        let id = try register(registration.key, at: server)
        let identity = Identity(id: id, clientKey: registration.key.copy)
        do {
            try keystore.complete(pending, as: .threema(id)) { new in
                try new.write(.empty)
                try new.write(.directory, server.encoded.span)
                try new.write(identity)
            }
        } catch KeystoreError.noIdentity {
            throw DirectoryKeepingError.noPending(publicKey)
        } catch KeystoreError.exists {
            throw DirectoryKeepingError.heldID(id, server, given: publicKey)
        } catch {
            throw DirectoryKeepingError.registered(id, server, publicKey, error)
        }
        return id
    }

    private func register(_ key: borrowing ClientKey, at server: DirectoryServer) throws -> ThreemaID {
        let client = connect(server)
        let request = request(for: key, at: server)
        let step: SignedRequest<CreatedIdentity>.Step
        do throws(DirectoryFailure) {
            step = try client.begin(request, key: key)
        } catch {
            // The directory has only been asked for a challenge.
            throw DirectoryKeepingError.failed(server, error)
        }
        do throws(DirectoryFailure) {
            return try client.finish(request, step).id
        } catch {
            throw error.leavesOutcomeOpen
                ? DirectoryKeepingError.unfinished(key.publicKey, server, error) : .failed(server, error)
        }
    }
}

extension DirectoryKeeper {
    /// A company's directory wants its licence. Without its provisioning file the directory says that.
    private func request(
        for key: borrowing ClientKey, at server: DirectoryServer
    ) -> SignedRequest<CreatedIdentity> {
        guard let name = server.onPrem.flatMap(OnPremName.init),
            let file = try? companies.keeper.file(name)
        else { return .create(key) }
        return switch file.login {
        case .some(let login): .create(key, license: login)
        case .none: .create(key)
        }
    }
}

extension ClientKey {
    fileprivate var copy: ClientKey { ClientKey(bytes.withBytes { SecureBytes(copying: $0) }) }
}
