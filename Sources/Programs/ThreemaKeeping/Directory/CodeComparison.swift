internal import Keystore
package import Threema
package import ThreemaDirectory
internal import ThreemaRecords

extension DirectoryKeeper {
    /// Compares the key of a contact's code with the one that the directory has for the contact. If it confirms the key,
    /// and the identity has no directory, it is asked for the identity, too, and remembered if it knows that.
    /// - Parameters:
    ///   - code: ID and public key, as scanned or typed.
    ///   - id: the identity whose contact it is to be.
    /// - Throws: `DirectoryKeepingError.unknownContact`, `.revokedContact`, `.otherContactKey`, `.failed`.
    package func compare(_ code: ContactCode, for id: ThreemaID, at server: DirectoryServer) throws {
        let entry = try Self.entries(of: [code.id], at: server, connect).first
        guard let entry else { throw DirectoryKeepingError.unknownContact(code.id, server) }
        guard entry.state != .invalid else { throw DirectoryKeepingError.revokedContact(code.id, server) }
        guard entry.publicKey == code.publicKey else {
            throw DirectoryKeepingError.otherContactKey(
                code.id, server, given: code.publicKey, directory: entry.publicKey)
        }
        guard try knows(id, server) else { return }
        remember(server, for: id, after: .question)
    }

    /// Whether a directory is that of the identity: it is remembered already, or none is and it has the identity's key.
    private func knows(_ id: ThreemaID, _ server: DirectoryServer) throws -> Bool {
        let records = try keystore.identity(.threema(id))
        if let present = try? records.directory() { return present.url == server.url }
        let key = try records.identity().clientKey.publicKey
        return (try? Self.entries(of: [id], at: server, connect).first?.publicKey) == key
    }
}
