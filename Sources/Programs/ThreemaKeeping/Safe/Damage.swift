internal import Keystore
package import Threema

// A damaged record holds nothing that could be kept: it is forgotten or replaced as a whole.

/// Which records of an identity do not open, or open to something else than they should.
struct Damage {
    /// The names of those records.
    private(set) var names: [String] = []
    /// Whether the profile is lost: its record is damaged, or that of its device group key.
    private(set) var isProfile = false
    private(set) var isIdentity = false
    private(set) var isSetup = false

    /// None.
    init() {}

    /// - Throws: `KeystoreError.damaged` for a commit file that is not genuine: it may be about each of the records.
    init(of records: borrowing IdentityRecords) throws {
        isIdentity = try isDamaged(["identity"]) { _ = try records.identity() }
        isProfile = try isDamaged(["profile", "devicegroupkey"]) { _ = try records.profile() }
        isSetup = try isDamaged(["safe"]) { _ = try records.setup() }
    }

    private mutating func isDamaged(_ expected: [String], _ read: () throws -> Void) throws -> Bool {
        do {
            try read()
            return false
        } catch KeystoreError.damaged(let record, _) where expected.contains(record) {
            names.append(record)
            return true
        }
    }
}

extension SafeKeeper {
    /// Forgets the setup of a Safe if its record is damaged. No server is asked: which one it was is not known any
    /// more.
    /// - Returns: false if the record is sound, or if there is none; then nothing was changed.
    /// - Throws: `KeystoreError.damaged` for a commit file that is not genuine.
    package func forgetDamagedSetup(of id: ThreemaID) throws -> Bool {
        let held = try keystore.lockedIdentity(.threema(id), wait: ThreemaKeeper.lockWait)
        guard try Damage(of: held.records).isSetup else { return false }
        let key = stateKey
        var state = UploadState()
        state.codeProvenAt = try UploadState(of: held.records, key: key).codeProvenAt
        var changes = held.changes()
        changes.remove(.safe)
        changes.setState(state.encoded(for: id.text, key: key), of: .main)
        try held.commit(changes)
        return true
    }
}
