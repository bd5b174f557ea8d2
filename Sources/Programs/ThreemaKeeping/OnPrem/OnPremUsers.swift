package import Keystore
internal import SafeKeeping
internal import SafeWire
internal import SecureMemory
internal import Threema
internal import ThreemaDirectory
package import ThreemaRecords

extension ThreemaKeeper {
    /// Operations on provisioning files.
    package var onPrem: OnPremKeeper { OnPremKeeper(keystore: keystore, now: safe.now) }

    /// Who names a provisioning file: IDs, and the first digits of keys whose registration is not finished. A damaged
    /// record may name it, and counts.
    package func users(of file: OnPremName) throws -> [String] {
        let ids = try keystore.threemaIDs().filter { id in
            let records = try keystore.identity(.threema(id))
            return try Self.isNamedOrDamaged { try records.directory()?.onPrem == file.text }
                || records.safePlaces().contains { place in
                    // Also the servers of a change that is not finished.
                    try Self.isNamedOrDamaged {
                        try records.requiredSetup(at: place).servers.contains { $0.onPrem == file.text }
                    }
                }
        }
        let pending = try identities.pendingKeys().filter { key in
            try Self.isNamedOrDamaged { try keystore.pendingRegistration(of: key).server.onPrem == file.text }
        }
        return ids.map(\.text) + pending.map { "\($0.hex.prefix(8))…" }
    }

    private static func isNamedOrDamaged(_ names: () throws -> Bool) throws -> Bool {
        do { return try names() } catch KeystoreError.damaged { return true }
    }

    /// - Throws: `OnPremError.noFile`, `.inUse`; `FileError`.
    package func requireUnused(_ file: OnPremName) throws {
        guard try onPrem.names().contains(file) else { throw OnPremError.noFile(file) }
        let users = try users(of: file)
        guard users.isEmpty else { throw OnPremError.inUse(file, users) }
    }

    /// Removes a provisioning file with all of its records.
    /// - Throws: `OnPremError.noFile`, `.inUse`; `FileError`.
    package func forget(_ file: OnPremName) throws {
        try requireUnused(file)
        do {
            try keystore.remove(.onPrem(file), wait: LockedIdentity.usualWait)
        } catch KeystoreError.noIdentity {
            throw OnPremError.noFile(file)
        }
    }
}

extension RecordSet {
    /// The provisioning files that the records of a Threema identity name: for its directory, and for its Safes.
    package var namedProvisioningFiles: Set<OnPremName> {
        guard let id = try? ThreemaID(owner.id), owner == .threema(id) else { return [] }
        let directory = read(.directory)?.withBytes { try? DirectoryServer(decoding: $0) }
        let safes = names.filter { $0.at(nil) == "safe" }.flatMap { name -> [String?] in
            read(name)?.withBytes { (try? SafeSetup(decoding: $0))?.servers.map(\.onPrem) } ?? []
        }
        return Set(([directory?.onPrem] + safes).compactMap { $0.flatMap(OnPremName.init) })
    }
}

extension OnPremKeeper {
    /// Whether the keystore has a file under the name of an archived one that another key signs: that of another company,
    /// or of one with a new key.
    package func holdsAnotherCompany(than archived: RecordSet) -> Bool {
        guard let name = archived.owner.onPrem, let present = try? file(name),
            let key = archived.read(.trust)?.withBytes({ TrustRecord(decoding: $0)?.key })
        else { return false }
        return present.key != key
    }
}
