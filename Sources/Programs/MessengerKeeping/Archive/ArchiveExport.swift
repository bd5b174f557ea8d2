package import Encodings
package import Keystore
internal import SessionStore
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
        /// Nil if it has none, if they do not open, or if they were not asked for.
        package let sessions: SessionFacts?
        /// Damaged records that the export leaves out.
        package let leftOut: Set<RecordName>
        fileprivate let lengths: [Int]
    }

    package fileprivate(set) var identities: [Identity] = []
    /// Why others are not among them: `ArchiveRefusal`, `KeystoreError`, `FileError`.
    package fileprivate(set) var failures: [(owner: Owner, error: any Error)] = []
    /// Why records of identities are left out that they can do without: `ArchiveRefusal`.
    package fileprivate(set) var recordFailures: [(owner: Owner, record: RecordName, error: ArchiveRefusal)] = []
    /// Why the sessions of identities are not among them: `SessionStoreError`, `ExportError`, `FileError`,
    /// `ArchiveRefusal.sessionsInUse`.
    package fileprivate(set) var sessionFailures: [(owner: Owner, error: any Error)] = []
}

extension ArchiveKeeper {
    /// Opens and checks the records of all identities, one after the other. A damaged one does not hide the others.
    /// - Parameters:
    ///   - withSessions: whether to open their sessions, too.
    ///   - wait: for the lock of each identity that has some.
    /// - Throws: `FileError` if the identities cannot be listed.
    package func survey(withSessions: Bool = false, _ wait: SessionWait = .usual) throws -> ArchiveSurvey {
        var survey = ArchiveSurvey()
        for owner in try keystore.identities() {
            do {
                let (records, publicKey, damaged) = try usableRecords(of: owner)
                survey.recordFailures += damaged.map { (owner, $0.record, $0.error) }
                var sessions: SessionFacts?
                if withSessions {
                    do {
                        sessions = try recordsAndSessions(of: owner, wait)?.sessions.facts
                    } catch {
                        survey.sessionFailures.append((owner, error))
                    }
                }
                survey.identities.append(
                    .init(
                        owner: owner, publicKey: publicKey, isKnown: messengers.contains(owner), sessions: sessions,
                        leftOut: Set(damaged.map(\.record)),
                        lengths: records.names.map { records.count(of: $0) ?? 0 } + (sessions.map { [$0.bytes] } ?? []))
                )
            } catch {
                survey.failures.append((owner, error))
            }
        }
        return survey
    }

    /// The length of the archive of a survey in bytes, before it is encrypted.
    package func count(of survey: ArchiveSurvey, _ readme: [UInt8]) -> Int {
        TarWriter.count(ofFiles: Self.lengths(of: survey, readme))
    }

    private static func lengths(of survey: ArchiveSurvey, _ readme: [UInt8]) -> [Int] {
        [readme.count, Archive.version.count] + survey.identities.flatMap(\.lengths)
    }

    /// Writes the archive of the identities of a survey, in the memory of one identity.
    /// - Parameters:
    ///   - readme: the text for people.
    ///   - time: of the export.
    ///   - wait: as for `survey`.
    ///   - write: takes the bytes of the archive, in pieces of any length. They contain private keys.
    /// - Throws: `ArchiveError.tooLarge`, `.tooManyFiles` before anything is written; `ArchiveRefusal`,
    ///   `KeystoreError`, `FileError`, or what `write` throws. Then the archive has no end.
    package func export(
        _ survey: ArchiveSurvey, readme: [UInt8], at time: Timestamp, _ wait: SessionWait = .usual,
        write: @escaping (Span<UInt8>) throws -> Void
    ) throws {
        let lengths = Self.lengths(of: survey, readme)
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
            let owner = identity.owner
            // Both of one moment.
            let both =
                try identity.sessions == nil ? nil : recordsAndSessions(of: owner, without: identity.leftOut, wait)
            let records = try both?.records ?? records(of: owner, without: identity.leftOut)
            _ = try check(records)
            for name in records.names {
                try records.withRecord(name) { try tar.add(ArchiveName(owner, name).text, $0) }
            }
            try both?.sessions.withBytes { try tar.add(ArchiveName.sessions(of: owner), $0) }
        }
        try tar.finish()
    }

    /// The records of an identity, without damaged ones that it can do without.
    /// - Throws: `ArchiveRefusal`, `KeystoreError`, `FileError`.
    private func usableRecords(
        of owner: Owner
    ) throws -> (records: RecordSet, publicKey: String?, damaged: [(record: RecordName, error: ArchiveRefusal)]) {
        var damaged: [(record: RecordName, error: ArchiveRefusal)] = []
        while true {
            let records = try records(of: owner, without: Set(damaged.map(\.record)))
            do throws(ArchiveRefusal) {
                return (records, try check(records), damaged)
            } catch {
                // One more is left out each time.
                guard let name = messengers.dispensable(error) else { throw error }
                damaged.append((name, error))
            }
        }
    }

    /// - Returns: the public key; nil if there is none.
    /// - Throws: `ArchiveRefusal.damaged`, `.malformed`.
    private func check(_ records: RecordSet) throws(ArchiveRefusal) -> String? {
        if let name = records.damaged.first { throw .damaged(records.owner, name) }
        guard messengers.contains(records.owner) else { return nil }
        return try messengers.check(records)
    }
}
