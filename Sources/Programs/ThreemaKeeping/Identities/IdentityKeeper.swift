package import Encodings
package import Keystore
internal import SafeKeeping
internal import SafeWire
package import Threema
internal import ThreemaRecords
internal import ThreemaSafe

/// Operations on identities.
package struct IdentityKeeper: Sendable {
    let keystore: OpenKeystore

    /// The public facts of an identity.
    package struct Summary: Equatable, Sendable {
        /// The ID.
        package let id: ThreemaID
        /// The public key, 32 bytes.
        package let publicKey: PublicKey
        /// `3mid:…`, the content of the QR code that a contact scans.
        package let contactCode: String
        /// The names of its Safe places, `main` first; empty if no Safe is set up.
        package let places: [PlaceName]
        /// Whether the keystore holds the API secret of a Gateway ID.
        package let hasGatewaySecret: Bool
        /// Whether a Safe is set up.
        package var hasSafe: Bool { !places.isEmpty }
    }

    /// Creates an identity with a random private key and an empty profile. The directory does not know it.
    /// - Parameters:
    ///   - id: nil for a random one.
    ///   - entropy: bytes that are mixed into the private key; may be empty.
    /// - Throws: `KeystoreError.exists`.
    package func create(_ id: ThreemaID?, mixing entropy: Span<UInt8>) throws -> Summary {
        while true {
            let identity = Identity(id: id ?? .random(), clientKey: .random(mixing: entropy))
            do {
                try add(identity, profile: .empty)
                return try summary(identity.id)
            } catch KeystoreError.exists where id == nil {
                // The random ID exists already: draws another one.
                continue
            }
        }
    }

    /// All identities of the keystore, in order of their IDs.
    package func all() throws -> [Summary] { try ids().map { try summary($0) } }

    /// The IDs of all identities. Nothing is decrypted. Directories with other names are skipped.
    package func ids() throws -> [ThreemaID] { try keystore.threemaIDs() }

    /// - Throws: `KeystoreError.noIdentity`.
    package func summary(_ id: ThreemaID) throws -> Summary {
        let records = try keystore.identity(.threema(id))
        let identity = try records.identity()
        return Summary(
            id: identity.id, publicKey: identity.clientKey.publicKey, contactCode: identity.contactCode.text,
            places: try records.safePlaces(), hasGatewaySecret: try records.contains(.gatewaySecret))
    }

    /// The names of the damaged records of an identity, including its Safe and its history; empty if all of them open.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`.
    package func damagedRecords(_ id: ThreemaID) throws -> [String] {
        let records = try keystore.identity(.threema(id))
        do {
            let isHistorySound = try records.placesWithHistory().allSatisfy { place in
                try records.history(of: place).allSatisfy { (try? records.readHistory($0.name, of: place)) != nil }
            }
            var damage = try Damage(of: records)
            // The records about a directory, which no backup contains.
            try damage.isDamaged(["directory"]) { _ = try records.directory() }
            try damage.isDamaged(["gatewaysecret"]) { _ = try records.gatewaySecret() }
            try damage.isDamaged(["linking"]) { _ = try records.linking() }
            try damage.isDamaged(["matchtoken"]) { _ = try records.matchToken() }
            try damage.isDamaged(["contactstates"]) { _ = try records.contactStates() }
            try damage.isDamaged(["shares"]) {
                _ = try records.paper(ShareRecord.self, of: records.identity().clientKey.publicKey)
            }
            try damage.isDamaged(["kit"]) {
                _ = try records.paper(KitRecord.self, of: records.identity().clientKey.publicKey)
            }
            // A file that is none of keytool's stops an archive.
            let foreign = try RecordSet(of: records) {
                $0.place == nil && !Self.ownNames.contains($0) && !Self.transientRecords.contains($0)
            }
            // Its name is the user's.
            let others = foreign.damaged.isEmpty ? [] : ["a file that is none of keytool's"]
            return damage.names + others + (isHistorySound ? [] : ["history"])
        } catch KeystoreError.damaged(let record, _, _) {
            return [record]
        }
    }

    /// Whether shares or a kit are remembered that restore an earlier private key only.
    /// - Throws: `KeystoreError`.
    package func hasPaperOfEarlierKey(_ id: ThreemaID) throws -> Bool {
        let records = try keystore.identity(.threema(id))
        let key = try records.identity().clientKey.publicKey
        let keys = [try records.paper(ShareRecord.self)?.publicKey, try records.paper(KitRecord.self)?.publicKey]
        return keys.contains { $0 != nil && $0 != key }
    }

    /// The consequences of removing an identity.
    package struct RemovalProspect: Equatable, Sendable {
        /// When a backup code of it was last opened; nil for never.
        package let codeProvenAt: Timestamp?
        /// The addresses of the servers that may hold a Safe backup of it: those of all places, with the new server of
        /// an unfinished change and the old one of a change that has not deleted there. Without damaged setups.
        package let safeServers: [String]
        /// The id of its backup, in hex, at each place by name.
        package let safeBackups: [String: String]
        /// Whether the setup of a Safe place is damaged.
        package let isSetupDamaged: Bool
    }

    /// Tells the consequences of a removal, also for damaged records. Changes nothing.
    package func prospect(ofRemoving id: ThreemaID) throws -> RemovalProspect {
        try keystore.goneIfRemoved(.threema(id)) {
            let records = try keystore.identity(.threema(id))
            let codeProvenAt = (try? records.codeProvenAt(key: keystore.stateKey)) ?? nil
            var (servers, backups, isDamaged) = ([String](), [String: String](), false)
            do {
                for place in try records.safePlaces() {
                    do {
                        let setup = try records.requiredSetup(at: place)
                        backups[place.text] = setup.current.keys.backupID.hex
                        for address in setup.servers.map(\.address) where !servers.contains(address) {
                            servers.append(address)
                        }
                    } catch KeystoreError.damaged {
                        isDamaged = true
                    }
                }
            } catch KeystoreError.damaged {
                isDamaged = true
            }
            return RemovalProspect(
                codeProvenAt: codeProvenAt, safeServers: servers, safeBackups: backups, isSetupDamaged: isDamaged)
        }
    }

    /// Removes an identity with all of its records at once.
    package func remove(_ id: ThreemaID) throws {
        try keystore.remove(.threema(id), wait: LockedIdentity.usualWait)
    }

    func add(_ identity: borrowing Identity, profile: borrowing Profile) throws {
        try keystore.add(.threema(identity.id)) { new in
            try new.write(profile)
            try new.write(identity)
        }
    }
}
