package import Encodings
package import Keystore
package import SecureMemory
internal import Threema
package import ThreemaRecords

// The record of a Safe place:
//
//   safe            where the Safe backup goes (see `SafeSetup`); missing without a setup
//
// Beside it is the state of the place (see `UploadState`), which is not sealed.

extension RecordName {
    static func safe(at place: PlaceName) -> RecordName { ("safe" as RecordName).at(place) }
}

extension IdentityRecords {
    /// The setup of a Safe place; nil if none is set up there.
    /// - Throws: `KeystoreError.damaged`, which names the place if the identity has several.
    func setup(at place: PlaceName) throws -> SafeSetup? {
        let damaged = KeystoreError.damaged(record: "safe", owner: owner)
        do {
            guard let record = try read(.safe(at: place)) else { return nil }
            return try record.withBytes { (bytes) throws(SafeSetupError) in try SafeSetup(decoding: bytes) }
        } catch let error where error is SafeSetupError || error as? KeystoreError == damaged {
            throw try safePlaces().count > 1
                ? KeystoreError.damaged(record: "safe", owner: owner, place: place) : damaged
        }
    }

    /// - Throws: `SafeKeepingError.noSetup`.
    package func requiredSetup(at place: PlaceName) throws -> SafeSetup {
        guard let setup = try setup(at: place) else { throw SafeKeepingError.noSetup(id: owner.id) }
        return setup
    }
}

extension LockedIdentity {
    package func write(_ setup: borrowing SafeSetup, at place: PlaceName) throws {
        let record = setup.encoded()
        try record.withBytes { bytes in try write(.safe(at: place), bytes) }
    }
}

extension RecordChanges {
    /// Removes from the states of all places but one what they know of their targets: the private key is another one, so
    /// they are not about it. With the state of `main` goes the time at which a backup code was opened, because that
    /// code proves nothing any more.
    package mutating func forgetStates(
        of records: borrowing IdentityRecords, except place: PlaceName?, keepingProof keepsProof: Bool = false,
        key: borrowing SecureBytes, now: Timestamp
    ) throws {
        for other in try records.placesWithState() where other != place {
            let before = try UploadState(of: records, at: other, key: key)
            let state = before.withoutTargets(keepingProof: keepsProof)
            // Of a place that was deleted nothing else is left.
            guard state != before else { continue }
            guard !state.isEmpty else {
                removeState(of: other)
                continue
            }
            setState(state.encoded(for: records.owner.id, at: other, key: key, now: now), of: other)
        }
    }

    /// Removes what the state of a place knows of its targets, and the time of its last success. What it knows of the
    /// history stays; that of `main` also has the time at which a backup code was opened.
    mutating func forgetPlaces(_ state: UploadState, of place: SafePlace, key: borrowing SecureBytes, now: Timestamp) {
        remove(("success" as RecordName).at(place.name))
        let state = state.withoutTargets(keepingProof: true)
        guard place.name == .main || !state.isEmpty else { return removeState(of: place.name) }
        setState(state.encoded(for: place.id.text, at: place.name, key: key, now: now), of: place.name)
    }
}
