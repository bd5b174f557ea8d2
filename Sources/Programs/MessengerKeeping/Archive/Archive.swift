package import Encodings
package import Keystore
internal import SecureMemory
package import SessionStore
package import Tar

/// What an archive contains: the records of identities, opened, and their sessions, if it was made so. `ArchiveName` has
/// its layout.
package struct Archive: Sendable {
    /// Longest archive that is read or written, in bytes. It is in guarded memory while it is read.
    package static let maxBytes = 128 << 20
    /// Most files and directories.
    package static let maxEntries = 8192
    static let version = Array("1\n".utf8)

    /// In order of messengers and IDs.
    package let identities: [RecordSet]
    /// The values of their session stores, or why they cannot be read. Most archives have none.
    private let sessions: [Owner: Result<ExportedValues, ExportError>]
    /// When it was made, according to its maker.
    package let time: Timestamp

    /// Parses an archive. The records are copied and not examined: `ArchiveKeeper.check` does that.
    /// - Parameter bytes: a whole tar archive. The caller wipes them.
    /// - Throws: `ArchiveError`.
    package init(_ bytes: Span<UInt8>) throws(ArchiveError) {
        guard bytes.count <= Self.maxBytes else { throw .tooLarge(limit: Self.maxBytes) }
        let files: [TarArchive.File]
        do throws(TarError) {
            files = try TarArchive(bytes, maxEntries: Self.maxEntries).files
        } catch {
            throw .tar(error)
        }
        guard let version = files.first(where: { $0.name == ArchiveName.version }) else { throw .notArchive }
        try Self.checkVersion(bytes.extracting(version.content))
        var records: [Owner: [RecordName: Range<Int>]] = [:]
        var sessions: [Owner: Result<ExportedValues, ExportError>] = [:]
        for file in files where file.name != ArchiveName.version && file.name != ArchiveName.readme {
            if let owner = ArchiveName.owner(ofSessions: file.name) {
                do throws(ExportError) {
                    sessions[owner] = .success(try ExportedValues(bytes.extracting(file.content)))
                } catch {
                    sessions[owner] = .failure(error)
                }
                // Without a record there is no identity, and its check says so.
                records[owner] = records[owner] ?? [:]
                continue
            }
            guard let name = ArchiveName(file.name) else { throw .unknownFile(file.name.text) }
            guard file.content.count <= RecordName.maxContentBytes else {
                throw .recordTooLarge(file.name.text, limit: RecordName.maxContentBytes)
            }
            records[name.owner, default: [:]][name.record] = file.content
        }
        identities = records.map { RecordSet(of: $0, $1, in: bytes) }
            .sorted { ($0.owner.messenger, $0.owner.id) < ($1.owner.messenger, $1.owner.id) }
        self.sessions = sessions
        time = Timestamp(milliseconds: 1000 * version.seconds)
    }

    /// The sessions of an identity.
    /// - Returns: nil if the archive has none.
    /// - Throws: `.sessions` if they are malformed.
    package func sessions(of owner: Owner) throws(ArchiveError) -> ExportedValues? {
        switch sessions[owner] {
        case .success(let values)?: return values
        case .failure(let error)?: throw .sessions(owner, error)
        case nil: return nil
        }
    }

    private static func checkVersion(_ content: Span<UInt8>) throws(ArchiveError) {
        let isKnown = content.count == version.count && version.indices.allSatisfy { content[$0] == version[$0] }
        guard !isKnown else { return }
        let shown = content.extracting(first: min(content.count, 16)).revealBytes()
        throw .version(String(decoding: shown.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

/// Why an archive was not read or written.
package enum ArchiveError: Error, Equatable, Sendable {
    /// It is not a tar archive of plain files.
    case tar(TarError)
    /// The file that tells the version of an archive is missing.
    case notArchive
    /// The archive has another version; at most 16 bytes of what it tells.
    case version(String)
    /// A file has a name that no record has.
    case unknownFile(String)
    case recordTooLarge(String, limit: Int)
    /// The sessions of an identity are not those of a session store.
    case sessions(Owner, ExportError)
    /// The archive is longer than this many bytes.
    case tooLarge(limit: Int)
    /// There are more files than an archive may have.
    case tooManyFiles(limit: Int)
}

/// Why the records of one identity were not exported or imported.
package enum ArchiveRefusal: Error, Equatable, Sendable {
    /// They are not those of an identity of this messenger.
    case malformed(Owner, RecordProblem)
    /// A record of the keystore does not open.
    case damaged(Owner, RecordName)
    /// This version does not know the messenger, so nobody can check the records.
    case unknownMessenger(Owner)
    /// The keystore holds the identity with other records.
    case held(Owner, [RecordDifference])
    /// Another process changes the records all the time.
    case changing(Owner)
    /// A program that uses the sessions still holds this lock after the wait.
    case sessionsInUse(Owner, lock: String)
    /// Archive and keystore have together more records than can change at once.
    case tooManyRecords(Owner, limit: Int)
}
