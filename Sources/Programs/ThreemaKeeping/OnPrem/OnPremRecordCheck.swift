internal import HTTP
package import Keystore
internal import SecureMemory
internal import ThreemaDirectory
internal import ThreemaRecords

extension OnPremKeeper {
    /// Tells when a file was fetched from this machine. An archive does not contain it.
    package static let transientRecords: Set<RecordName> = [.fetched]

    /// Whether a record of an archive counts as that of a keystore. A file that is fetched again by itself may be another
    /// one that the same key signs.
    package static func isSame(_ name: RecordName, _ archived: RecordSet, _ held: RecordSet) -> Bool {
        guard name == .file || name == .trust, (try? check(held)) != nil,
            held.read(.source)?.withBytes({ SourceRecord(decoding: $0)?.url }) != nil
        else { return archived.isEqual(name, in: held) }
        return archived.read(.trust)?.withBytes({ TrustRecord(decoding: $0)?.key })
            == held.read(.trust)?.withBytes({ TrustRecord(decoding: $0)?.key })
    }

    /// Checks records before they are stored that this keystore has not sealed itself: the file has to be signed with
    /// the key beside it.
    /// - Throws: `RecordProblem` for the first wrong record.
    package static func check(_ records: RecordSet) throws(RecordProblem) {
        guard records.owner.onPrem != nil else { throw .owner }
        let known: Set<RecordName> = [.file, .trust, .source, .password]
        if let name = records.names.first(where: { !known.contains($0) }) { throw .unknown(name) }
        for name in [.file, .trust] as [RecordName] where records.count(of: name) == nil { throw .missing(name) }
        guard let trust = records.withRecord(.trust, { TrustRecord(decoding: $0) }) else { throw .malformed(.trust) }
        let isSigned = records.withRecord(.file) { bytes in
            guard let file = try? ProvisioningFile(bytes, signedBy: trust.key) else { return false }
            return (try? file.checkServers()) != nil
        }
        guard isSigned else { throw .malformed(.file) }
        let source = records.read(.source)?.withBytes { SourceRecord(decoding: $0) }
        guard source != nil || records.count(of: .source) == nil else { throw .malformed(.source) }
        guard (source?.user == nil) == (records.count(of: .password) == nil),
            records.count(of: .password) ?? 0 <= Login.maxPasswordBytes
        else { throw .malformed(.password) }
    }
}
