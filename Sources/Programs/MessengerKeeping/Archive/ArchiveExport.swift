package import Encodings
package import Keystore
internal import SecureMemory
internal import Tar

/// What an export will contain.
package struct ArchiveSurvey: Sendable {
    /// An identity whose records open.
    package struct Identity: Sendable {
        package let owner: Owner
        /// Nil if it has none, or if its messenger is not known.
        package let publicKey: String?
        /// Whether this version can check the records, and import them again.
        package let isKnown: Bool
        fileprivate let lengths: [Int]
    }

    package fileprivate(set) var identities: [Identity] = []
    /// Why others are not among them: `ArchiveRefusal`, `KeystoreError`, `FileError`.
    package fileprivate(set) var failures: [(owner: Owner, error: any Error)] = []
}

extension ArchiveKeeper {
    /// Opens and checks the records of all identities, one after the other. A damaged one does not hide the others.
    /// - Throws: `FileError` if the identities cannot be listed.
    package func survey() throws -> ArchiveSurvey {
        var survey = ArchiveSurvey()
        for owner in try keystore.identities() {
            do {
                let (records, publicKey) = try checkedRecords(of: owner)
                survey.identities.append(
                    .init(
                        owner: owner, publicKey: publicKey, isKnown: messengers.contains(owner),
                        lengths: records.names.map { records.count(of: $0) ?? 0 }))
            } catch {
                survey.failures.append((owner, error))
            }
        }
        return survey
    }

    /// Writes the archive of the identities of a survey, in the memory of one identity.
    /// - Parameters:
    ///   - readme: the text for people.
    ///   - time: of the export.
    ///   - write: takes the bytes of the archive, in pieces of any length. They contain private keys.
    /// - Throws: `ArchiveError.tooLarge`, `.tooManyFiles` before anything is written; `ArchiveRefusal`,
    ///   `KeystoreError`, `FileError`, or what `write` throws. Then the archive has no end.
    package func export(
        _ survey: ArchiveSurvey, readme: [UInt8], at time: Timestamp, write: @escaping (Span<UInt8>) throws -> Void
    ) throws {
        let lengths = [readme.count, Archive.version.count] + survey.identities.flatMap(\.lengths)
        guard lengths.count <= Archive.maxEntries else { throw ArchiveError.tooManyFiles(limit: Archive.maxEntries) }
        var left = Archive.maxBytes
        guard TarWriter.count(ofFiles: lengths) <= left else { throw ArchiveError.tooLarge(limit: Archive.maxBytes) }
        let tar = TarWriter(modified: time.milliseconds / 1000) { piece in
            // Records may have grown since the survey.
            left -= piece.count
            guard left >= 0 else { throw ArchiveError.tooLarge(limit: Archive.maxBytes) }
            try write(piece)
        }
        try tar.add(ArchiveName.readme, readme.span)
        let version = Archive.version
        try tar.add(ArchiveName.version, version.span)
        for identity in survey.identities {
            let (records, _) = try checkedRecords(of: identity.owner)
            for name in records.names {
                try records.withRecord(name) { try tar.add(ArchiveName(identity.owner, name).text, $0) }
            }
        }
        try tar.finish()
    }

    /// - Returns: the records, and the public key.
    /// - Throws: `ArchiveRefusal.damaged`, `.malformed`, `.changing`; `KeystoreError`; `FileError`.
    private func checkedRecords(of owner: Owner) throws -> (RecordSet, publicKey: String?) {
        let records = try records(of: owner)
        if let name = records.damaged.first { throw ArchiveRefusal.damaged(owner, name) }
        guard messengers.contains(owner) else { return (records, nil) }
        return (records, try messengers.check(records))
    }
}
