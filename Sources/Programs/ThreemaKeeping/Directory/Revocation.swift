package import Threema
package import ThreemaDirectory

extension DirectoryKeeper {
    /// Sets the key by which a password revokes the identity; it replaces an earlier one.
    /// - Throws: `DirectoryKeepingError.failed`, `.unknownIdentity`; `KeystoreError`.
    package func setRevocationKey(_ key: RevocationKey, of id: ThreemaID, at server: DirectoryServer) throws {
        try ask(.setRevocationKey(key, of: id), as: id, at: server)
    }

    /// Whether a password can revoke the identity, and when it was set.
    /// - Throws: `DirectoryKeepingError.failed`, `.unknownIdentity`; `KeystoreError`.
    package func revocationStatus(of id: ThreemaID, at server: DirectoryServer) throws -> RevocationStatus {
        try ask(.checkRevocationKey(of: id), as: id, at: server)
    }

    /// Revokes an identity of the keystore by its private key. It stays in the keystore.
    /// - Throws: `DirectoryKeepingError.failed`, `.unknownIdentity`; `KeystoreError`.
    package func revoke(_ id: ThreemaID, at server: DirectoryServer) throws {
        try ask(.revoke(id), as: id, at: server)
    }

    /// Revokes an identity by its revocation password. It needs no private key and no keystore.
    /// - Throws: `DirectoryKeepingError.failed`, `.unknownIdentity`.
    package static func revoke(
        _ id: ThreemaID, by key: RevocationKey, at server: DirectoryServer, _ connect: Connect
    ) throws {
        do throws(DirectoryFailure) {
            try connect(server).ask(.revoke(id, by: key))
        } catch {
            throw failure(error, of: id, at: server, connect)
        }
    }
}
