internal import Encodings
internal import Keystore
internal import SecureMemory
internal import Threema
internal import ThreemaRecords
internal import ThreemaSafe

/// The records of an identity, locked; or not locked, if a verb only looks.
enum Holding: ~Copyable {
    case locked(LockedIdentity)
    case unlocked(IdentityRecords)

    /// - Throws: `SafeKeepingError.noSetup`; `KeystoreError.damaged`.
    func read(_ place: PlaceName, _ stateKey: borrowing SecureBytes) throws -> Content {
        switch self {
        case .locked(let identity): try Content(identity.records, place, stateKey)
        case .unlocked(let records): try Content(records, place, stateKey)
        }
    }

    func identity() throws -> Identity {
        switch self {
        case .locked(let identity): try identity.records.identity()
        case .unlocked(let records): try records.identity()
        }
    }
}

/// The records that a run reads at its beginning.
struct Content: ~Copyable {
    let setup: SafeSetup
    let publicKey: PublicKey
    let profile: OwnProfile
    let state: UploadState

    init(_ records: borrowing IdentityRecords, _ place: PlaceName, _ stateKey: borrowing SecureBytes) throws {
        let setup = try records.requiredSetup(at: place)
        // Read even if a push has nothing to do, so that a lost private key is noticed.
        let publicKey = try records.identity().clientKey.publicKey
        let state = try UploadState(of: records, at: place, key: stateKey)
        let profile = try OwnProfile(
            of: records, setup.current, state, key: stateKey.withBytes { SecureBytes(copying: $0) })
        self.setup = setup
        self.publicKey = publicKey
        self.profile = profile
        self.state = state
    }
}

extension RecordChanges {
    /// See `forgetStates(of:except:key:now:)` of the records.
    mutating func forgetStates(
        of holding: borrowing Holding, except place: PlaceName?, key: borrowing SecureBytes, now: Timestamp
    ) throws {
        switch holding {
        case .locked(let identity): try forgetStates(of: identity.records, except: place, key: key, now: now)
        case .unlocked(let records): try forgetStates(of: records, except: place, key: key, now: now)
        }
    }

    /// Private key and document of a backup.
    mutating func set(_ backup: borrowing SafeBackup, _ id: ThreemaID) {
        set(backup.profile)
        let identity = backup.identity(id).encoded()
        identity.withBytes { set(.identity, $0) }
    }
}
