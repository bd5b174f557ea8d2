internal import Keystore
internal import SafeWire
package import Threema
internal import ThreemaSafe

/// The verbs on identities.
package struct IdentityKeeper: Sendable {
    let keystore: OpenKeystore

    /// What may be shown of an identity.
    package struct Summary: Equatable, Sendable {
        /// The ID.
        package let id: ThreemaID
        /// The public key, 32 bytes.
        package let publicKey: PublicKey
        /// `3mid:…`, what a contact scans.
        package let contactCode: String
        /// Whether a Safe is set up.
        package let hasSafe: Bool
    }

    /// Makes an identity with a fresh private key and an empty profile. No directory knows it.
    /// - Parameters:
    ///   - id: nil for a random one.
    ///   - entropy: what the user typed, mixed into the private key; may be empty.
    /// - Throws: `KeystoreError.exists`.
    package func create(_ id: ThreemaID?, mixing entropy: Span<UInt8>) throws -> Summary {
        while true {
            let identity = Identity(id: id ?? .random(), clientKey: .random(mixing: entropy))
            do {
                try add(identity, profile: .empty)
                return try summary(identity.id)
            } catch KeystoreError.exists where id == nil {
                // One of 2.8 trillion was drawn twice: draw again.
                continue
            }
        }
    }

    /// Every identity of the keystore, in order of the IDs.
    package func all() throws -> [Summary] {
        try ids().map { try summary($0) }
    }

    /// The IDs alone: nothing is opened. Directories that are not named by an ID are none of ours.
    package func ids() throws -> [ThreemaID] {
        try keystore.identities().filter { $0.messenger == Owner.threema }.compactMap { try? ThreemaID($0.id) }
    }

    /// - Throws: `KeystoreError.noIdentity`.
    package func summary(_ id: ThreemaID) throws -> Summary {
        let records = try keystore.identity(.threema(id))
        let identity = try records.identity()
        return Summary(
            id: identity.id, publicKey: identity.clientKey.publicKey, contactCode: identity.contactCode.text,
            hasSafe: try records.contains(.safe))
    }

    /// The names of the damaged records of an identity, those of its Safe and its history included; empty if each
    /// opens.
    /// - Throws: `KeystoreError.noIdentity`; `FileError`.
    package func damagedRecords(_ id: ThreemaID) throws -> [String] {
        let records = try keystore.identity(.threema(id))
        do {
            let history = try records.history(of: .main)
            let isHistorySound = history.allSatisfy { (try? records.readHistory($0.name, of: .main)) != nil }
            return try Damage(of: records).names + (isHistorySound ? [] : ["history"])
        } catch KeystoreError.damaged(let record, _) {
            return [record]
        }
    }

    /// What is lost, and what is left behind, when an identity is removed.
    package struct RemovalProspect: Equatable, Sendable {
        /// Whether a backup code of it was ever opened here.
        package let isCodeProven: Bool
        /// The address of the server that holds its Safe; nil where none is set up, or if it is not known any more.
        package let safeServer: String?
        /// Whether the setup of its Safe is damaged.
        package let isSetupDamaged: Bool
    }

    /// Changes nothing. What is damaged keeps no identity from being removed.
    package func prospect(ofRemoving id: ThreemaID) throws -> RemovalProspect {
        try keystore.goneIfRemoved(.threema(id)) {
            let records = try keystore.identity(.threema(id))
            var isCodeProven = false
            var address: String?
            do {
                isCodeProven = try UploadState(of: records, key: keystore.stateKey).codeProvenAt != nil
                if let setup = try records.setup() { address = setup.current.address.text }
            } catch KeystoreError.damaged {
                return RemovalProspect(isCodeProven: isCodeProven, safeServer: nil, isSetupDamaged: true)
            }
            return RemovalProspect(isCodeProven: isCodeProven, safeServer: address, isSetupDamaged: false)
        }
    }

    /// Removes an identity with all of its records at once.
    package func remove(_ id: ThreemaID) throws {
        try keystore.remove(.threema(id), wait: ThreemaKeeper.lockWait)
    }

    func add(_ identity: borrowing Identity, profile: borrowing Profile) throws {
        try keystore.add(.threema(identity.id)) { new in
            try new.write(profile)
            try new.write(identity)
        }
    }
}
