package import Threema
package import ThreemaDirectory

extension DirectoryKeeper {
    /// Compares the key of a contact's code with the one that the directory has for the contact. The directory is
    /// remembered for the identity if it confirms the key.
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
        remember(server, for: id)
    }
}
