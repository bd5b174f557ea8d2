package import Encodings
internal import HTTP
internal import Keystore
internal import Primitives
internal import SafeKeeping
internal import SafeWire
internal import SecureMemory
package import Threema
package import ThreemaRecords
internal import ThreemaSafe

/// What is remembered of the emergency kit of an identity: when it was made, when its code was checked, and whether its
/// Safes are still as it says. Only the newest kit is remembered.
package struct KitKeeper: Sendable {
    let keystore: OpenKeystore
    let now: @Sendable () -> Timestamp

    /// What the Safes of an identity are at present.
    /// - Throws: `KeystoreError`.
    package func safes(of id: ThreemaID) throws -> KitRecord.Safes { try safes(keystore.identity(.threema(id))) }

    /// Remembers a new kit, and does `finish`.
    /// - Parameter safes: what the kit says, from before it was drawn.
    /// - Throws: `KeystoreError`, `FileError`, or what `finish` throws; then the kit from before is remembered.
    package func remember(
        _ code: GroupedCode, of id: ThreemaID, _ publicKey: PublicKey, _ safes: KitRecord.Safes,
        finish: () throws -> Void
    ) throws {
        let record = KitRecord(publicKey: publicKey, madeAt: now(), code: code, safes: safes)
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        guard try held.records.identity().clientKey.publicKey == publicKey else { throw ShareKeepingError.keyChanged }
        // A damaged record is replaced.
        let before = (try? held.records.read(.kit)) ?? nil
        try held.write(.kit, record.encoded.span)
        do {
            try finish()
        } catch {
            switch before {
            case .some(let before): try? before.withBytes { try held.write(.kit, $0) }
            case .none: try? held.remove(.kit)
            }
            throw error
        }
    }

    /// The newest kit, and whether a Safe has changed since.
    /// - Returns: nil if no kit of its present key was made here.
    /// - Throws: `KeystoreError`.
    package func kit(of id: ThreemaID) throws -> (record: KitRecord, isOutdated: Bool)? {
        let records = try keystore.identity(.threema(id))
        guard let record = try records.paper(KitRecord.self, of: try records.identity().clientKey.publicKey) else {
            return nil
        }
        return (record, try safes(records) != record.safes)
    }

    /// Remembers that a backup code was opened now, if it is the one of the kit.
    /// - Throws: `KeystoreError`, `FileError`.
    package func markChecked(_ code: GroupedCode, of id: ThreemaID) throws {
        let records = try keystore.identity(.threema(id))
        guard let known = try records.paper(KitRecord.self, of: try records.identity().clientKey.publicKey),
            known.contains(code)
        else { return }
        let held = try keystore.lockedIdentity(.threema(id), wait: LockedIdentity.usualWait)
        let key = try held.records.identity().clientKey.publicKey
        guard var record = try held.records.paper(KitRecord.self, of: key), record.contains(code) else { return }
        record.checkedAt = now()
        try held.write(.kit, record.encoded.span)
    }

    /// - Throws: `KeystoreError.damaged`.
    private func safes(_ records: borrowing IdentityRecords) throws -> KitRecord.Safes {
        let files = OnPremKeeper(keystore: keystore, now: now)
        var parts: [UInt8] = []
        for name in try records.safePlaces() {
            parts += try records.requiredSetup(at: name).kitDigests(named: name, files)
        }
        return KitRecord.Safes(BLAKE2b.hash(parts.span))!
    }
}

extension SafeSetup {
    /// A digest of each part that a kit or its reader has to know, one behind the other. The key is the Safe master key,
    /// so that nobody can try passwords of the server against them; another Safe password changes them all.
    /// - Parameter files: has the pins of a server that a provisioning file names.
    fileprivate func kitDigests(named name: PlaceName, _ files: OnPremKeeper) -> [UInt8] {
        func digest(_ bytes: [UInt8]) -> [UInt8] { BLAKE2b.authenticate(bytes.span, key: current.keys.masterKey) }
        let pins = files.pins(of: current.server).flatMap(\.digest)
        let flags: [UInt8] = [isReadOnly ? 1 : 0, current.server.authority == nil ? 0 : 1]
        var digests = digest(Array(name.text.utf8)) + digest(Array(current.server.address.text.utf8)) + digest(flags)
        digests += digest(current.server.authority ?? []) + digest(pins)
        switch current.server.login {
        case .some(let login):
            digests += digest(Array(login.user.utf8))
            digests += login.password.withBytes { BLAKE2b.authenticate($0, key: current.keys.masterKey) }
        case .none: break
        }
        return digests
    }
}
