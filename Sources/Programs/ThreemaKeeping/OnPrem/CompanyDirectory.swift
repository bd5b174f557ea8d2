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
    /// The directory of the company that has a Safe backup of the identity, if it also has the identity's key; it is
    /// remembered then. Asks for nothing but that key: a Safe at a company does not make anybody one of its identities.
    /// - Returns: nil if there is none.
    /// - Throws: `DirectoryKeepingError.failed`; `KeystoreError`.
    package func directoryOfSafe(of id: ThreemaID) throws -> DirectoryServer? {
        let records = try keystore.identity(.threema(id))
        let servers = try records.companiesOfSafes().compactMap { try? companies.keeper.file($0).directory() }
        guard !servers.isEmpty else { return nil }
        let key = try records.identity().clientKey.publicKey
        let server = try servers.first { server in
            try ask(Self.request([id]), at: server).contains { $0.id == id && $0.publicKey == key }
        }
        if let server { remember(server, for: id, after: .question) }
        return server
    }
}

extension IdentityRecords {
    /// The provisioning files that the identity's Safe places name. Damaged records are skipped.
    fileprivate func companiesOfSafes() throws -> [OnPremName] {
        try safePlaces().compactMap { try? requiredSetup(at: $0).current.server.onPrem.flatMap(OnPremName.init) }
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

    /// Whether the identity may be one of a company, which is known when its directory was asked.
    package func mayBeOfCompany(_ id: ThreemaID) throws -> Bool {
        let records = try keystore.identity(.threema(id))
        return try !records.contains(.directory) && !records.companiesOfSafes().isEmpty
    }
}
