package import Keystore
internal import SafeKeeping
internal import SecureMemory
package import Threema
internal import ThreemaDirectory
internal import ThreemaRecords
internal import ThreemaSafe

extension IdentityKeeper {
    /// Records about something that is under way at a directory, or that it tells again. An archive does not contain
    /// them.
    package static let transientRecords: Set<RecordName> = ["linking", "matchtoken", "contactstates"]

    /// Records that an identity can do without: they remember when its paper was made and checked.
    package static let dispensableRecords: Set<RecordName> = [.shares, .kit]

    /// Whether a record of an archive counts as that of a keystore. Each check of paper changes what is dispensable; it
    /// only has to be of its form.
    package static func isSame(_ name: RecordName, _ archived: RecordSet, _ held: RecordSet) -> Bool {
        guard dispensableRecords.contains(name) else { return archived.isEqual(name, in: held) }
        return isOfItsForm(name, held)
    }

    /// What is known of the paper of an identity. If its private key stays: that of the archive and of the keystore
    /// together, or of the one that is about this key. If not: that of the archive, or else that of the replaced key, so
    /// that its paper is known to be outdated.
    /// - Returns: nil for other records, and for that of the archive.
    package static func merged(_ name: RecordName, _ archived: RecordSet, _ held: RecordSet) -> [UInt8]? {
        guard dispensableRecords.contains(name) else { return nil }
        guard isSameKey(archived, held), let id = try? ThreemaID(held.owner.id), let key = try? publicKey(of: id, held)
        else {
            guard archived.count(of: name) == nil, isOfItsForm(name, held) else { return nil }
            return held.read(name)?.withBytes { $0.revealBytes() }
        }
        return name == .kit
            ? KitRecord.merged(archived, held, of: key)?.encoded
            : ShareRecord.merged(archived, held, of: key)?.encoded
    }

    /// Whether both have the same private key, so that what was proven of one holds for the other.
    package static func isSameKey(_ archived: RecordSet, _ held: RecordSet) -> Bool {
        archived.isEqual(.identity, in: held)
    }

    /// Checks records before they are stored that this keystore has not sealed itself. Every record must be of the form
    /// that keytool writes, because nothing later checks more than that.
    /// - Returns: the public key.
    /// - Throws: `RecordProblem` for the first wrong record.
    package static func check(_ records: RecordSet) throws(RecordProblem) -> PublicKey {
        guard let id = try? ThreemaID(records.owner.id), records.owner == .threema(id) else { throw .owner }
        for name in records.names {
            guard name.place == nil ? ownNames.contains(name) : name.at(nil) == "safe" else { throw .unknown(name) }
        }
        for name in [.identity, .profile] as [RecordName] where records.count(of: name) == nil {
            throw .missing(name)
        }
        let key = try publicKey(of: id, records)
        guard isProfile(records) else { throw .malformed(.profile) }
        if let count = records.count(of: .deviceGroupKey), count != DeviceGroupKey.count {
            throw .malformed(.deviceGroupKey)
        }
        guard records.read(.directory)?.withBytes({ (try? DirectoryServer(decoding: $0)) != nil }) ?? true else {
            throw .malformed(.directory)
        }
        for name in [.shares, .kit] as [RecordName] where !isOfItsForm(name, records) { throw .malformed(name) }
        if let secret = records.read(.gatewaySecret), GatewaySecret(secret) == nil { throw .malformed(.gatewaySecret) }
        let setups = records.names.filter { $0.place != nil }
        guard setups.count <= SafeKeeper.maxPlaces else { throw .tooManyPlaces(limit: SafeKeeper.maxPlaces) }
        for name in setups {
            guard records.withRecord(name, isSetup) else { throw .malformed(name) }
        }
        return key
    }

    static let ownNames: Set<RecordName> = [
        .identity, .profile, .deviceGroupKey, .gatewaySecret, .directory, .shares, .kit,
    ]

    /// Whether a dispensable record is missing, or as it is written. It may be about an earlier key.
    private static func isOfItsForm(_ name: RecordName, _ records: RecordSet) -> Bool {
        records.read(name)?.withBytes {
            name == .kit ? KitRecord(decoding: $0) != nil : ShareRecord(decoding: $0) != nil
        } ?? true
    }

    private static func publicKey(of id: ThreemaID, _ records: RecordSet) throws(RecordProblem) -> PublicKey {
        do {
            let identity = try records.withRecord(.identity) { (bytes) throws(IdentityError) in
                try Identity(decoding: bytes)
            }
            guard identity.id == id else { throw RecordProblem.malformed(.identity) }
            return identity.clientKey.publicKey
        } catch {
            throw .malformed(.identity)
        }
    }

    /// Whether the record is a document without private key and writer info, which a push would insert a second time.
    private static func isProfile(_ records: RecordSet) -> Bool {
        records.withRecord(.profile) { bytes in
            guard let file = try? DocumentFile(decoding: bytes), file.clientKey == nil,
                let profile = try? Profile(decodingWhole: bytes)
            else { return false }
            return profile.document == file.profile.document
        }
    }

    private static func isSetup(_ bytes: Span<UInt8>) -> Bool {
        do {
            _ = try SafeSetup(decoding: bytes)
            return true
        } catch {
            return false
        }
    }
}

extension PaperRecord {
    /// Both together; if only one is about the private key, that one.
    fileprivate static func merged(_ archived: RecordSet, _ held: RecordSet, of key: PublicKey) -> Self? {
        let theirs = archived.read(name)?.withBytes { Self(decoding: $0) }
        let ours = held.read(name)?.withBytes { Self(decoding: $0) }
        return switch (theirs?.publicKey == key, ours?.publicKey == key) {
        case (true, true): ours?.merged(with: theirs)
        case (true, false): theirs
        default: ours ?? theirs
        }
    }
}
