package import Encodings
internal import Keystore
internal import SecureMemory
package import SophaxChat

extension SophaxKeeper {
    /// What a change of the prekeys has done.
    package struct PrekeyChange: Equatable, Sendable {
        /// One-time prekeys that were made.
        package let made: Int
        /// Whether the signed prekey and the last-resort key were replaced, or made.
        package let isRotated: Bool
        /// The prekeys now.
        package let summary: PrekeySummary
    }

    /// Fills the pool of one-time prekeys; makes all prekeys if there are none.
    /// - Throws: as `account`.
    package func refill(_ id: PeerID, at now: Timestamp) throws -> PrekeyChange {
        try changePrekeys(id, makingAt: now) { prekeys in (prekeys.refill(at: now), false) }
    }

    /// Replaces the signed prekey and the last-resort key if they are 7 days old, and drops those that were replaced
    /// 14 days ago. Prekeys that are missing are not made: they may be in a file that is still to be imported.
    /// - Parameter isForced: replace them now; times that are later than now are moved to now.
    /// - Throws: `SophaxNoPrekeys`; `.tooManyRotations`, then such times are moved, too; as `account`.
    package func rotate(_ id: PeerID, isForced: Bool, at now: Timestamp) throws -> PrekeyChange {
        var due: Timestamp?
        let change = try changePrekeys(id, makingAt: nil) { prekeys in
            let before = prekeys.signedID
            if !isForced {
                _ = prekeys.maintain(at: now)
            } else if !prekeys.rotate(at: now) {
                due = prekeys.due(at: now)
            }
            return (0, prekeys.signedID != before)
        }
        if let due { throw SophaxKeepingError.tooManyRotations(due: due) }
        return change
    }

    /// - Parameter now: when all prekeys are made if there are none; nil to make none.
    private func changePrekeys(
        _ id: PeerID, makingAt now: Timestamp?, _ change: (inout PrekeyStore) throws -> (made: Int, isRotated: Bool)
    ) throws -> PrekeyChange {
        try locked(id) { identity in
            _ = try identity.records.sophaxAccount(id)
            switch try identity.records.sophaxPrekeys() {
            case .some(let held):
                let record = held.encoded()
                var prekeys = held
                let (made, isRotated) = try change(&prekeys)
                let changed = prekeys.encoded()
                let isSame = changed.withBytes { new in record.withBytes { ConstantTime.areEqual(new, $0) } }
                if !isSame { try changed.withBytes { try identity.write(Self.prekeys, $0) } }
                return PrekeyChange(made: made, isRotated: isRotated, summary: PrekeySummary(prekeys))
            case .none:
                guard let now else { throw SophaxNoPrekeys(id: id) }
                let prekeys = PrekeyStore(at: now)
                try prekeys.encoded().withBytes { try identity.write(Self.prekeys, $0) }
                return PrekeyChange(made: prekeys.oneTimeCount, isRotated: true, summary: PrekeySummary(prekeys))
            }
        }
    }

    /// The prekeys; nil if there are none.
    /// - Throws: as `account`.
    package func prekeys(_ id: PeerID) throws -> PrekeyStore? { try records(of: id).sophaxPrekeys() }
}

/// An identity has no prekeys.
package struct SophaxNoPrekeys: Error, Equatable, Sendable {
    package let id: PeerID

    package init(id: PeerID) { self.id = id }
}

/// The public facts of the prekeys of an identity.
package struct PrekeySummary: Equatable, Sendable {
    /// Signed prekeys, each with a last-resort key; the last one is the current one.
    package let signed: [PrekeyStore.SignedFacts]
    /// When the newest of them was made: a clock that is earlier is wrong.
    package let newestMade: Timestamp
    /// IDs of the one-time prekeys that are left.
    package let oneTimeIDs: [UInt32]

    package init(_ prekeys: borrowing PrekeyStore) {
        signed = prekeys.signedFacts
        newestMade = prekeys.newestMade
        oneTimeIDs = prekeys.oneTimeIDs
    }
}
