package import Keystore
internal import SafeKeeping
package import Threema
internal import ThreemaDirectory
internal import ThreemaRecords
internal import ThreemaSafe

extension IdentityKeeper {
    /// Records about something that is under way at a directory, or that it tells again. An archive does not contain
    /// them.
    package static let transientRecords: Set<RecordName> = ["linking", "matchtoken", "contactstates"]

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
        if records.count(of: .directory) != nil {
            let isDirectory = records.withRecord(.directory) { (try? DirectoryServer(decoding: $0)) != nil }
            guard isDirectory else { throw .malformed(.directory) }
        }
        if records.count(of: .shares) != nil {
            // It may be about an earlier key.
            guard records.withRecord(.shares, { ShareRecord(decoding: $0) != nil }) else {
                throw .malformed(.shares)
            }
        }
        if records.count(of: .kit) != nil {
            guard records.withRecord(.kit, { KitRecord(decoding: $0) != nil }) else { throw .malformed(.kit) }
        }
        if let secret = records.read(.gatewaySecret), GatewaySecret(secret) == nil { throw .malformed(.gatewaySecret) }
        let setups = records.names.filter { $0.place != nil }
        guard setups.count <= SafeKeeper.maxPlaces else { throw .tooManyPlaces(limit: SafeKeeper.maxPlaces) }
        for name in setups {
            guard records.withRecord(name, isSetup) else { throw .malformed(name) }
        }
        return key
    }

    private static let ownNames: Set<RecordName> = [
        .identity, .profile, .deviceGroupKey, .gatewaySecret, .directory, .shares, .kit,
    ]

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
