internal import HTTP
internal import Keystore
internal import SecureMemory
package import Threema
package import ThreemaDirectory
internal import ThreemaRecords

/// Operations at a directory. What an identity's directory is, stands in its sealed record `directory`, in the form of
/// `DirectoryServer.encoded`.
package struct DirectoryKeeper: Sendable {
    /// Makes the client for a directory. Nothing is opened before the first request.
    package typealias Connect = @Sendable (DirectoryServer) -> DirectoryClient

    /// What could not be stored after a directory has answered. The operation itself is done.
    package enum Unstored: Sendable {
        /// The directory of the identity: the next command has to name it again.
        case directory
        /// The token for searches: the next search fetches another one.
        case matchToken
        /// A linked address, or that it is linked no longer: the profile does not say so.
        case link
        /// A request for a code is finished, but its phone number is still remembered as one that waits.
        case linkedNumber
        /// A key that the directory did not register could not be removed.
        case pendingKey
    }

    /// How long an operation waits for the lock to store what it can do without.
    static let rememberWait = Duration.seconds(5)

    let keystore: OpenKeystore
    package let connect: Connect
    /// The servers that provisioning files of the keystore name.
    package let companies: OnPremServers
    let unstored: @Sendable (Unstored, any Error) -> Void

    /// The directory of an identity; nil if none is remembered.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged`.
    package func server(of id: ThreemaID) throws -> DirectoryServer? {
        try keystore.identity(.threema(id)).directory()
    }

    /// The directories of all identities as their provisioning files have them, without repetitions, in order of the
    /// identities. Damaged records are skipped.
    package func servers() throws -> [DirectoryServer] {
        var servers: [DirectoryServer] = []
        for id in try keystore.threemaIDs() {
            guard let server = (try? self.server(of: id)).map(companies.present), !servers.contains(server) else {
                continue
            }
            servers.append(server)
        }
        return servers
    }

    /// Asks as an identity, and remembers the directory once it has answered. A failure to remember it is reported to
    /// `unstored`, because the directory has done its part.
    func ask<Answer: ~Copyable>(
        _ request: SignedRequest<Answer>, as id: ThreemaID, at server: DirectoryServer
    ) throws -> Answer {
        let answer = try answer(request, of: keystore.identity(.threema(id)), at: server)
        remember(server, for: id, after: .proof)
        return answer
    }

    /// As above, under the identity's lock: for an answer that must be stored.
    func ask<Answer: ~Copyable>(
        _ request: SignedRequest<Answer>, as held: borrowing LockedIdentity, at server: DirectoryServer
    ) throws -> Answer {
        let answer = try answer(request, of: held.records, at: server)
        store(.directory) { try held.remember(server, after: .proof) }
        return answer
    }

    private func answer<Answer: ~Copyable>(
        _ request: SignedRequest<Answer>, of records: borrowing IdentityRecords, at server: DirectoryServer
    ) throws -> Answer {
        let identity = try records.identity()
        do throws(DirectoryFailure) {
            return try connect(server).ask(request, key: identity.clientKey)
        } catch {
            throw Self.failure(error, of: identity.id, at: server, connect)
        }
    }

    /// The words of a refusal are for people. So the directory is asked whether it knows the identity.
    /// - Parameter id: the identity of the request that failed.
    /// - Returns: `.unknownIdentity` or `.failed`.
    static func failure(
        _ failure: DirectoryFailure, of id: ThreemaID, at server: DirectoryServer, _ connect: Connect
    ) -> DirectoryKeepingError {
        let words: ServerWords?
        switch failure {
        case .service(.refused(let refusal)): words = refusal
        case .service(.failed), .service(.unexpectedStatus(404)): words = nil
        default: return .failed(server, failure)
        }
        do {
            let entry = try entries(of: [id], at: server, connect).first
            let isKnown = entry.map { $0.state != .invalid } ?? false
            return isKnown ? .failed(server, failure) : .unknownIdentity(id, server, words)
        } catch {
            return .failed(server, failure)
        }
    }

    /// Asks without a proof.
    func ask<Answer: ~Copyable>(_ request: DirectoryRequest<Answer>, at server: DirectoryServer) throws -> Answer {
        try Self.ask(request, at: server, connect)
    }

    static func ask<Answer: ~Copyable>(
        _ request: DirectoryRequest<Answer>, at server: DirectoryServer, _ connect: Connect
    ) throws -> Answer {
        do throws(DirectoryFailure) {
            return try connect(server).ask(request)
        } catch {
            throw DirectoryKeepingError.failed(server, error)
        }
    }

    func remember(_ server: DirectoryServer, for id: ThreemaID, after knowledge: DirectoryKnowledge) {
        store(.directory) {
            let present = try? keystore.identity(.threema(id)).directory()
            guard knowledge.replaces(present, by: server) else { return }
            try keystore.lockedIdentity(.threema(id), wait: Self.rememberWait).remember(server, after: knowledge)
        }
    }

    /// Runs `write`. Its error is reported to `unstored`.
    func store(_ what: Unstored, _ write: () throws -> Void) {
        do {
            try write()
        } catch {
            unstored(what, error)
        }
    }
}

extension ThreemaKeeper {
    /// Operations at a directory.
    /// - Parameters:
    ///   - connect: asks the servers of `companies` for those that a provisioning file names.
    ///   - unstored: is called if something that an operation can do without could not be stored after the directory has
    ///     answered, with the reason.
    package func directory(
        _ connect: @escaping DirectoryKeeper.Connect, _ companies: OnPremServers,
        unstored: @escaping @Sendable (DirectoryKeeper.Unstored, any Error) -> Void
    ) -> DirectoryKeeper {
        DirectoryKeeper(keystore: keystore, connect: connect, companies: companies, unstored: unstored)
    }

    /// Whether a directory is remembered for the identity. A damaged record counts as one.
    /// - Throws: `KeystoreError.noIdentity`.
    package func hasDirectory(_ id: ThreemaID) throws -> Bool {
        try keystore.identity(.threema(id)).contains(.directory)
    }
}

/// What has shown that a directory knows an identity.
enum DirectoryKnowledge {
    /// The identity has proved itself there.
    case proof
    /// The directory was asked for its public key. Any server can answer that.
    case question

    /// Whether a directory replaces the present one. A question never removes the authorities and pins of another
    /// directory, nor the provisioning file of a company, without which no request to it has a login. Only an identity
    /// that has proved itself elsewhere leaves its company.
    /// - Parameter present: nil if none is remembered, or if its record is damaged.
    func replaces(_ present: DirectoryServer?, by server: DirectoryServer) -> Bool {
        guard let present else { return true }
        guard present != server else { return false }
        return self == .proof || present.url == server.url && (present.onPrem == nil || server.onPrem != nil)
    }
}

extension LockedIdentity {
    func remember(_ server: DirectoryServer, after knowledge: DirectoryKnowledge) throws {
        guard knowledge.replaces(try? records.directory(), by: server) else { return }
        try write(.directory, server.encoded.span)
    }
}

extension RecordName {
    /// The address and trust of the identity's directory.
    static let directory: RecordName = "directory"
}

extension IdentityRecords {
    /// - Returns: nil if no directory is remembered.
    /// - Throws: `KeystoreError.damaged`.
    func directory() throws -> DirectoryServer? {
        guard let record = try read(.directory) else { return nil }
        let server = try? record.withBytes { (bytes) throws(DirectoryServerError) in
            try DirectoryServer(decoding: bytes)
        }
        guard let server else { throw KeystoreError.damaged(record: "directory", owner: owner) }
        return server
    }
}

/// Why an operation at a directory failed.
package enum DirectoryKeepingError: Error {
    /// This directory did not do what it was asked for.
    case failed(DirectoryServer, DirectoryFailure)
    /// The directory does not know the identity that asked; nil if it gave no words.
    case unknownIdentity(ThreemaID, DirectoryServer, ServerWords?)
    /// The directory does not know this contact.
    case unknownContact(ThreemaID, DirectoryServer)
    /// The directory says that this contact's identity was revoked.
    case revokedContact(ThreemaID, DirectoryServer)
    /// The directory has another key for this contact than its code; nil if it has no usable one.
    case otherContactKey(ThreemaID, DirectoryServer, given: PublicKey, directory: PublicKey?)
    /// The registration of this key is not finished: the directory may have registered it.
    case unfinished(PublicKey, DirectoryServer, DirectoryFailure)
    /// No registration of this key is pending: another process has finished or removed it.
    case noPending(PublicKey)
    /// The directory has registered the key for this ID, but the identity could not be stored for this reason. The key
    /// is pending, and `resume` goes on.
    case registered(ThreemaID, DirectoryServer, PublicKey, any Error)
    /// The directory has given this ID to a new key, which is pending, but the keystore holds the ID with another key.
    case heldID(ThreemaID, DirectoryServer, given: PublicKey)
    /// No phone number of the identity waits for its code.
    case noLinking(id: ThreemaID)
    /// The code for the phone number that waits is from another directory: the name of its file, or its address.
    case otherDirectory(id: ThreemaID, String)
    /// The directory sends a code, but the request that it belongs to could not be stored for this reason.
    case requestNotStored(id: ThreemaID, any Error)
}
