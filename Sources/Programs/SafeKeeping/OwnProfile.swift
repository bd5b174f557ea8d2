internal import Keystore
internal import SafeRules
internal import SecureMemory
internal import Threema
internal import ThreemaRecords
internal import ThreemaSafe

/// The keystore's profile during a run: its digests, and the document, which is parsed when it is first needed.
///
/// If the keyed digest of the record is that of the last upload at the present place, the record is the content of that
/// upload, byte for byte, and was parsed then. So it is parsed again only if it is sealed, and a push that has nothing
/// to do never parses it. The digest is in `state.json`, which is authenticated.
final class OwnProfile {
    /// Number of contacts in the document.
    let contacts: Int

    private let owner: Owner
    private let key: SecureBytes
    /// The JSON from `Profile.revealContent`.
    private let content: SecureBytes
    private var profile: Profile?
    /// The digests of each target, by the digest of its place. They are cached because hashing a large profile takes as
    /// long as opening it.
    private var digests: [[UInt8]: TargetDigests] = [:]

    /// - Parameters:
    ///   - target: the current target.
    ///   - key: the key of the state's digests.
    /// - Throws: `KeystoreError.damaged`.
    init(
        of records: borrowing IdentityRecords, _ target: borrowing SafeTarget, _ state: UploadState,
        key: consuming SecureBytes
    ) throws {
        owner = records.owner
        let record = try records.profileRecord()
        let place = TargetDigests.place(of: target, key: key)
        // If the device group key has a record of its own, the profile record is not the whole content.
        if let known = state.known(at: place), known.contacts > 0, try records.read(.deviceGroupKey) == nil,
            case let digests = TargetDigests(target, content: record, key: key), digests.content == known.content
        {
            self.digests[place] = digests
            contacts = Int(clamping: known.contacts)
            content = record
            profile = nil
        } else {
            let profile = try records.profile(record)
            contacts = profile.document.contactCount
            content = profile.revealContent()
            self.profile = consume profile
        }
        self.key = key
    }

    /// The digests at a target.
    func digests(_ target: borrowing SafeTarget) -> TargetDigests {
        let place = TargetDigests.place(of: target, key: key)
        if let known = digests[place] { return known }
        let fresh = TargetDigests(target, content: content, key: key)
        digests[place] = fresh
        return fresh
    }

    /// Encrypts the backup.
    /// - Throws: `KeystoreError.damaged`; `SafeBackupError`.
    func seal(
        _ clientKey: borrowing ClientKey, _ writerInfo: SafeBackup.WriterInfo, _ keys: borrowing SafeKeys
    ) throws -> [UInt8] {
        if let blob = try SafeBackup.seal(clientKey, content: content, writerInfo: writerInfo, keys: keys) {
            return blob
        }
        return try withProfile { try SafeBackup.seal(clientKey, $0, writerInfo: writerInfo, keys: keys) }
    }

    /// Lends the profile.
    /// - Throws: `KeystoreError.damaged`; what `body` throws.
    private func withProfile<Result: ~Copyable>(_ body: (borrowing Profile) throws -> Result) throws -> Result {
        if profile == nil {
            do throws(SafeBackupError) {
                profile = try content.withBytes { (content) throws(SafeBackupError) in
                    try Profile(decodingWhole: content)
                }
            } catch {
                throw KeystoreError.damaged(record: "profile", owner: owner)
            }
        }
        switch profile {
        case .some(let profile): return try body(profile)
        case .none: preconditionFailure("it was read above")
        }
    }
}
