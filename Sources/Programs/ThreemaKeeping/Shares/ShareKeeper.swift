internal import Encodings
internal import Keystore
package import SecureMemory
package import Shares
package import Threema
package import ThreemaRecords

/// The private key of an identity as shares (SLIP-0039), and what is remembered of them. What is shared are the 32 bytes
/// of the key, in one group, without a passphrase.
package struct ShareKeeper: Sendable {
    let keystore: OpenKeystore
    let now: @Sendable () -> Timestamp

    /// Shares the private key, and joins the new shares again before it returns them.
    /// - Throws: `SharePlanError.notReproduced`; `KeystoreError`.
    package func split(_ id: ThreemaID, by plan: SharePlan) throws -> (shares: [Share], publicKey: PublicKey) {
        let identity = try keystore.identity(.threema(id)).identity()
        return (try plan.provenShares(of: identity.clientKey.bytes), identity.clientKey.publicKey)
    }

    /// Remembers new shares that are about to be written; `settle` or `forget` has to follow.
    /// - Returns: the record of an earlier key, which they replace; nil if there is none.
    /// - Throws: `SafeKeepingError`, `KeystoreError`, `FileError`; then nothing was stored.
    package func remember(_ shares: [Share], of id: ThreemaID, _ publicKey: PublicKey) throws -> SecureBytes? {
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        guard try held.records.identity().clientKey.publicKey == publicKey else { throw ShareKeepingError.keyChanged }
        // A damaged record is replaced.
        let present = (try? held.records.paper(ShareRecord.self, of: publicKey)) ?? nil
        let earlier = present == nil ? (try? held.records.read(.shares)) ?? nil : nil
        var record = present ?? ShareRecord(of: publicKey)
        record.add(shares, at: now())
        try held.write(.shares, record.encoded.span)
        return earlier
    }

    /// Forgets the oldest set if there are too many, once new shares were written.
    /// - Throws: `KeystoreError`, `FileError`; then nothing has changed.
    package func settle(_ id: ThreemaID, _ publicKey: PublicKey) throws {
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        guard var record = try held.records.paper(ShareRecord.self, of: publicKey),
            record.sets.count > ShareRecord.maxSets
        else { return }
        record.forgetOldest()
        try held.write(.shares, record.encoded.span)
    }

    /// Forgets shares that came to nobody.
    /// - Parameter earlier: what `remember` returned; it comes back if no others of the key were made.
    /// - Throws: `KeystoreError`, `FileError`; then nothing has changed.
    package func forget(
        _ shares: [Share], of id: ThreemaID, _ publicKey: PublicKey, restoring earlier: borrowing SecureBytes?
    ) throws {
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        guard var record = try held.records.paper(ShareRecord.self, of: publicKey) else { return }
        record.remove(shares)
        guard record.sets.isEmpty else { return try held.write(.shares, record.encoded.span) }
        switch earlier {
        case .some(let earlier): try earlier.withBytes { try held.write(.shares, $0) }
        case .none: try held.remove(.shares)
        }
    }

    /// The sets of an identity, the newest first; empty if its present key was never shared here.
    /// - Throws: `KeystoreError`.
    package func sets(of id: ThreemaID) throws -> [ShareRecord.Set] {
        let records = try keystore.identity(.threema(id))
        return try records.paper(ShareRecord.self, of: try records.identity().clientKey.publicKey)?.sets ?? []
    }

    /// Whose private key this is, or was when it was shared: also if only one of both records can be read.
    package func owners(of publicKey: PublicKey) throws -> [ThreemaID] {
        try keystore.threemaIDs().filter { id in
            let records = try keystore.identity(.threema(id))
            return (try? records.identity().clientKey.publicKey) == publicKey
                || (try? records.paper(ShareRecord.self, of: publicKey)) ?? nil != nil
        }
    }

    /// What the keystore says of a share.
    package enum Recognition: Equatable, Sendable {
        /// It is a share of this identity, and whether it could be remembered that it was checked now.
        case known(ThreemaID, ShareRecord.Set, isStored: Bool)
        /// It is a share of an earlier private key of this identity.
        case ofEarlierKey(ThreemaID)
        /// It is none of those that the keystore remembers of these identities.
        case unknown([ThreemaID])
        /// No share of any identity is remembered.
        case noShares
    }

    /// Looks for a share among those that are remembered, and stores the date.
    /// - Parameter id: nil for all identities.
    /// - Throws: `KeystoreError`, `FileError`.
    package func check(_ share: Share, of id: ThreemaID?) throws -> Recognition {
        var others: [ThreemaID] = []
        var failure: (any Error)?
        for id in try id.map({ [$0] }) ?? keystore.threemaIDs() {
            do {
                let records = try keystore.identity(.threema(id))
                guard let record = try records.paper(ShareRecord.self) else { continue }
                let isOfPresentKey = try record.publicKey == records.identity().clientKey.publicKey
                guard let set = record.sets.first(where: { $0.has(share) }) else {
                    // What was shared of an earlier key says nothing of others of the present one.
                    if isOfPresentKey { others.append(id) }
                    continue
                }
                guard isOfPresentKey else { return .ofEarlierKey(id) }
                // Only what is stored needs the lock.
                var isMarked = false
                let isWritten = try keystore.attempt { isMarked = try !markChecked([share], of: id).isEmpty }
                return .known(id, set, isStored: isWritten && isMarked)
            } catch {
                // It may be a share of another identity.
                failure = failure ?? error
            }
        }
        // It may be a share of the one that cannot be read.
        if let failure { throw failure }
        return others.isEmpty ? .noShares : .unknown(others)
    }

    /// Remembers that these shares were read now, if they are of the identity.
    /// - Returns: the sets of those that are.
    /// - Throws: `KeystoreError`, `FileError`.
    @discardableResult
    package func markChecked(_ shares: [Share], of id: ThreemaID) throws -> [ShareRecord.Set] {
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        let key = try held.records.identity().clientKey.publicKey
        guard var record = try held.records.paper(ShareRecord.self, of: key) else { return [] }
        let time = now()
        let sets = shares.compactMap { record.markChecked($0, at: time) }
        if !sets.isEmpty { try held.write(.shares, record.encoded.span) }
        return sets
    }
}

/// Why shares were not remembered.
package enum ShareKeepingError: Error, Equatable, Sendable {
    /// Another command has replaced the private key meanwhile.
    case keyChanged
}
