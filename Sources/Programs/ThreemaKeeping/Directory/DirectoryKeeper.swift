internal import Keystore
internal import SecureMemory
package import Threema
package import ThreemaDirectory

/// Operations at a directory. What an identity's directory is, stands in its sealed record `directory`, in the form of
/// `DirectoryServer.encoded`.
package struct DirectoryKeeper: Sendable {
    /// Makes the client for a directory. Nothing is opened before the first request.
    package typealias Connect = @Sendable (DirectoryServer) -> DirectoryClient

    let keystore: OpenKeystore
    let connect: Connect

    /// The directory of an identity; nil if none is remembered.
    /// - Throws: `KeystoreError.noIdentity`, `.damaged`.
    package func server(of id: ThreemaID) throws -> DirectoryServer? {
        try keystore.identity(.threema(id)).directory()
    }

    /// The directories of all identities, without repetitions, in order of the identities. Damaged records are skipped.
    package func servers() throws -> [DirectoryServer] {
        var servers: [DirectoryServer] = []
        for owner in try keystore.identities() where owner.messenger == Owner.threema {
            guard let server = try? keystore.identity(owner).directory(), !servers.contains(server) else { continue }
            servers.append(server)
        }
        return servers
    }

    /// Asks as an identity, and remembers the directory once it has answered.
    func ask<Answer: ~Copyable>(
        _ question: SignedQuestion<Answer>, as id: ThreemaID, at server: DirectoryServer
    ) throws -> Answer {
        let identity = try keystore.identity(.threema(id)).identity()
        let answer: Answer
        do throws(DirectoryFailure) {
            answer = try connect(server).ask(question, key: identity.clientKey)
        } catch {
            throw DirectoryKeepingError.failed(server, error)
        }
        try remember(server, for: id)
        return answer
    }

    /// Asks without a proof.
    func ask<Answer: ~Copyable>(_ question: Question<Answer>, at server: DirectoryServer) throws -> Answer {
        try Self.ask(question, at: server, connect)
    }

    static func ask<Answer: ~Copyable>(
        _ question: Question<Answer>, at server: DirectoryServer, _ connect: Connect
    ) throws -> Answer {
        do throws(DirectoryFailure) {
            return try connect(server).ask(question)
        } catch {
            throw DirectoryKeepingError.failed(server, error)
        }
    }

    func remember(_ server: DirectoryServer, for id: ThreemaID) throws {
        let records = try keystore.identity(.threema(id))
        // A damaged record is replaced.
        if (try? records.directory()) == server { return }
        let held = try keystore.lockedIdentity(.threema(id), wait: ThreemaKeeper.lockWait)
        try held.write(.directory, server.encoded.span)
    }
}

extension ThreemaKeeper {
    /// Operations at a directory.
    package func directory(_ connect: @escaping DirectoryKeeper.Connect) -> DirectoryKeeper {
        DirectoryKeeper(keystore: keystore, connect: connect)
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
    /// The registration of this key is not finished: the directory may have registered it.
    case unfinished(PublicKey, DirectoryServer, DirectoryFailure)
    /// The registration of this key is finished, or was given up, by another process.
    case noPending(PublicKey)
    /// The directory has registered the key for this ID, but the identity could not be stored for this reason. The key
    /// is pending, and `resume` goes on.
    case registered(ThreemaID, DirectoryServer, any Error)
    /// No phone number of the identity waits for its code.
    case noLinking(id: ThreemaID)
}
