package import Keystore
internal import Threema
internal import ThreemaRecords

// Nothing of a damaged record can be restored, so it is removed or replaced as a whole.

/// The damaged records of an identity that a backup replaces: they do not open, or their content is malformed.
package struct Damage {
    /// The names of the records.
    package private(set) var names: [String] = []
    /// Whether the profile is lost, because its record or that of its device group key is damaged.
    private(set) var isProfile = false
    private(set) var isIdentity = false
    private(set) var isSetup = false

    /// No damaged records.
    init() {}

    /// - Parameter place: the place whose setup is looked at; nil for all places.
    /// - Throws: `KeystoreError.damaged` for a commit file that is not authentic, because it may change any of the
    ///   records.
    package init(of records: borrowing IdentityRecords, at place: PlaceName? = nil) throws {
        isIdentity = try isDamaged(["identity"]) { _ = try records.identity() }
        isProfile = try isDamaged(["profile", "devicegroupkey"]) { _ = try records.profile() }
        let places = try place.map { [$0] } ?? records.safePlaces()
        isSetup = try isDamaged(["safe"]) { for place in places { _ = try records.setup(at: place) } }
    }

    /// Adds the name of a record if reading it finds it damaged.
    /// - Parameter expected: the names that reading may find damaged.
    @discardableResult
    package mutating func isDamaged(_ expected: [String], _ read: () throws -> Void) throws -> Bool {
        do {
            try read()
            return false
        } catch KeystoreError.damaged(let record, _, _) where expected.contains(record) {
            names.append(record)
            return true
        }
    }
}

extension SafeKeeper {
    /// Removes the setup of a Safe if its record is damaged. No request is sent, because the server is not known any
    /// more.
    /// - Returns: false if the record is sound or missing; then nothing was changed.
    /// - Throws: `KeystoreError.damaged` for a commit file that is not authentic.
    package func forgetDamagedSetup(at place: SafePlace) throws -> Bool {
        let held = try keystore.lockedIdentity(.threema(place.id), wait: LockedIdentity.usualWait)
        guard try Damage(of: held.records, at: place.name).isSetup else { return false }
        try forgetSetup(of: place, in: held)
        return true
    }
}
