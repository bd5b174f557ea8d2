internal import Keystore
internal import SafeKeeping
internal import SafeWire
internal import Threema
internal import ThreemaDirectory
package import ThreemaRecords

extension ThreemaKeeper {
    /// Operations on provisioning files.
    package var onPrem: OnPremKeeper { OnPremKeeper(keystore: keystore, now: safe.now) }

    /// Who names a provisioning file: IDs, and the first digits of keys whose registration is not finished. Damaged
    /// records name nothing.
    package func users(of file: OnPremName) throws -> [String] {
        let ids = try keystore.threemaIDs().filter { id in
            if let server = try? keystore.identity(.threema(id)).directory(), server.onPrem == file.text { return true }
            return try safe.places(of: id).contains { place in
                guard let server = try? safe.server(of: place) else { return false }
                return server.onPrem == file.text
            }
        }
        let pending = try identities.pendingKeys().filter { key in
            (try? keystore.pendingRegistration(of: key).server.onPrem) == file.text
        }
        return ids.map(\.text) + pending.map { "\($0.hex.prefix(8))…" }
    }

    /// Removes a provisioning file with all of its records.
    /// - Throws: `OnPremError.noFile`, `.inUse`; `FileError`.
    package func forget(_ file: OnPremName) throws {
        guard try onPrem.names().contains(file) else { throw OnPremError.noFile(file) }
        let users = try users(of: file)
        guard users.isEmpty else { throw OnPremError.inUse(file, users) }
        do {
            try keystore.remove(.onPrem(file), wait: LockedIdentity.usualWait)
        } catch KeystoreError.noIdentity {
            throw OnPremError.noFile(file)
        }
    }
}
