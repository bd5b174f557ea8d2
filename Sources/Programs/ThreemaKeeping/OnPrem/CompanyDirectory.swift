internal import HTTP
internal import Keystore
internal import SafeKeeping
internal import SafeWire
package import Threema
package import ThreemaDirectory
internal import ThreemaRecords

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
    /// The directory of the company that has a Safe backup of the identity; nil if none has one. Damaged records are
    /// skipped.
    package func directoryOfSafe(of id: ThreemaID) throws -> DirectoryServer? {
        let records = try keystore.identity(.threema(id))
        for place in try records.safePlaces() {
            guard let name = try? records.requiredSetup(at: place).current.server.onPrem.flatMap(OnPremName.init),
                let server = try? companies.keeper.file(name).directory()
            else { continue }
            return server
        }
        return nil
    }
}

extension ThreemaKeeper {
    /// The directory of an identity as its provisioning file has it, and the file.
    /// - Returns: nil if none is remembered.
    /// - Throws: `KeystoreError.damaged` for its record: a page without it would say that there is no directory.
    package func knownDirectory(of id: ThreemaID) throws -> (server: DirectoryServer, file: OnPremFile?)? {
        guard let server = try keystore.identity(.threema(id)).directory() else { return nil }
        let file = server.onPrem.flatMap(OnPremName.init).flatMap { try? onPrem.file($0) }
        return ((try? file?.directory()) ?? server, file)
    }
}
