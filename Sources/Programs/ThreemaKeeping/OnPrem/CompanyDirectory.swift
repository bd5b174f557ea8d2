internal import HTTP
internal import Keystore
package import Threema
package import ThreemaDirectory
package import ThreemaRecords

extension OnPremKeeper {
    /// The directory at an address, if a provisioning file names it; of several files, one with a login counts. Damaged
    /// files are skipped.
    /// - Parameter url: as `DirectoryServer.url`.
    package func directory(at url: String) throws -> DirectoryServer? {
        let files = try names().compactMap { try? file($0) }.filter { (try? $0.directory())?.url == url }
        return try (files.first { $0.user != nil } ?? files.first)?.directory()
    }
}

extension DirectoryKeeper {
    /// Remembers the directory of a company for an identity that has none, if that directory has the identity's key. Asks
    /// for nothing but that key: a Safe at a company does not make anybody one of its identities.
    /// - Returns: false if the directory does not have the key.
    /// - Throws: `DirectoryKeepingError.failed`; `KeystoreError`; `OnPremError`.
    package func find(_ id: ThreemaID, at company: OnPremName) throws -> Bool {
        let records = try keystore.identity(.threema(id))
        guard try !records.contains(.directory) else { return true }
        let key = try records.identity().clientKey.publicKey
        let server = try companies.keeper.file(company).directory()
        let isThere = try ask(Self.request([id]), at: server).contains { $0.id == id && $0.publicKey == key }
        if isThere { remember(server, for: id, after: .question) }
        return isThere
    }
}

extension ThreemaKeeper {
    /// The directory of an identity as its provisioning file has it, and the file.
    /// - Returns: nil if none is remembered.
    /// - Throws: `KeystoreError.damaged` for its record.
    package func knownDirectory(of id: ThreemaID) throws -> (server: DirectoryServer, file: OnPremFile?)? {
        guard let server = try keystore.identity(.threema(id)).directory() else { return nil }
        let file = server.onPrem.flatMap(OnPremName.init).flatMap { try? onPrem.file($0) }
        return ((try? file?.directory()) ?? server, file)
    }
}
