package import Encodings
internal import Keystore
internal import SecureMemory
package import Threema
package import ThreemaDirectory
internal import ThreemaRecords

extension DirectoryKeeper {
    /// What a search has found.
    package struct Search {
        /// Which address belongs to whom, in the order of the addresses. An address may belong to several identities.
        package let matches: [(address: AddressList.Address, contact: FoundContact)]
        /// When to search again, in seconds.
        package let checkInterval: Int
        /// Until when the directory asked not to search again; nil if this search was not too early.
        package let notBefore: Timestamp?
    }

    /// Looks for contacts by the hashes of their addresses. The token for searches is remembered; it is fetched again,
    /// once, if the search fails with it.
    /// - Parameters:
    ///   - list: at least one address.
    ///   - now: the time of the system's clock.
    /// - Throws: `DirectoryKeepingError.failed`, `.unknownIdentity`; `KeystoreError`.
    package func match(
        _ list: AddressList, as id: ThreemaID, at server: DirectoryServer, now: Timestamp
    ) throws -> Search {
        let records = try keystore.identity(.threema(id))
        let identity = try records.identity()
        // A damaged record, and a token of another directory, are not worth more than none.
        var token: MatchToken?
        var notBefore: Timestamp?
        if let kept = try? records.matchToken(), kept.url == server.url {
            notBefore = kept.notBefore
            token = kept.releasedToken()
        }
        let found: FoundContacts
        do throws(DirectoryFailure) {
            found = try connect(server).match(list.hashes, for: id, key: identity.clientKey, token: &token)
        } catch {
            throw Self.failure(error, of: id, at: server, connect)
        }
        if let token = token.take() {
            let content = KeptMatchToken(token, of: server, notBefore: now + .seconds(found.checkInterval)).encoded()
            store(.matchToken) {
                let held = try keystore.lockedIdentity(.threema(id), wait: Self.rememberWait)
                try held.remember(server, after: .proof)
                try content.withBytes { try held.write(.matchToken, $0) }
            }
        }
        var contacts: [ContactHash: [FoundContact]] = [:]
        for contact in found.contacts { for hash in contact.hashes { contacts[hash, default: []].append(contact) } }
        let matches = list.addresses.flatMap { address in
            // A contact may have both hashes of an address.
            var ids: Set<ThreemaID> = []
            return address.hashes.flatMap { contacts[$0] ?? [] }.filter { ids.insert($0.id).inserted }
                .map { (address, $0) }
        }
        return Search(
            matches: matches, checkInterval: found.checkInterval,
            notBefore: notBefore.flatMap { $0 > now ? $0 : nil })
    }
}

extension RecordName {
    static let matchToken: RecordName = "matchtoken"
}

extension IdentityRecords {
    /// - Returns: nil if no token is remembered.
    /// - Throws: `KeystoreError.damaged`.
    func matchToken() throws -> KeptMatchToken? {
        guard let record = try read(.matchToken) else { return nil }
        guard let kept = KeptMatchToken(decoding: record) else {
            throw KeystoreError.damaged(record: "matchtoken", owner: owner)
        }
        return kept
    }
}
