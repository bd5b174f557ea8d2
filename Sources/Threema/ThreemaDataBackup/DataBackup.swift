public import SecureMemory
public import Threema
public import ThreemaSafe

/// The data backup of the Android app: a ZIP file whose entries are encrypted with a password (WinZip AES-256).
///
/// Only these entries are read, and nothing is written to disk:
///
///     settings               format version
///     identity               the backup code, under the same password
///     contacts.csv           tables, see `Tables`
///     groups.csv
///     distribution_list.csv
///     contact_avatar_me      the own picture; until app 5.0.3 contact_avatar_ID
///
/// Names, lengths and number of the entries are neither encrypted nor authenticated: anyone who can write the file can
/// drop entries, or mix those of two backups under one password.
public struct DataBackup {
    /// The newest version of the format that is known.
    public static let knownVersion = 27
    /// Longest table, in bytes. A document with so many contacts is too large for a Safe.
    static let maxTableBytes = 16 * 1024 * 1024
    /// Longest picture, in bytes.
    static let maxPictureBytes = 1024 * 1024
    /// Longest `settings` and `identity`, in bytes.
    private static let maxTextBytes = 1024

    static let settingsName = "settings"
    static let identityName = "identity"
    static let contactsName = "contacts.csv"
    static let groupsName = "groups.csv"
    static let listsName = "distribution_list.csv"
    static let ownPictureName = "contact_avatar_me"
    private static let tableNames = [contactsName, groupsName, listsName]

    /// libzip's version; nil if it cannot be used.
    package static var libraryVersion: String? { Libzip.version }

    /// The entries of each kind.
    public let contents: [EntryKind: EntryCount]

    let source: ArchiveSource
    let directory: ArchiveDirectory
    let entries: [String: EncryptedEntry]
    /// The own picture, before its header is checked; files of old apps have it under another name.
    let picture: DirectoryEntry?

    /// Reads the directory, and checks the entries that will be read. No password is needed.
    /// - Throws: `.truncated`, `.damaged`, `.tooManyEntries`, `.directoryTooLong`; `.chatExport`, `.otherArchive`,
    ///   `.missing`; `.duplicate`, `.notEncrypted`, `.otherMethod`, `.entryTooLong`, `.damagedEntry`; `.notReadable`;
    ///   `.libraryMissing`, `.libraryNeedsMemory`, so that nobody is asked for a password in vain.
    public init(_ source: ArchiveSource) throws(DataBackupError) {
        let directory = try ArchiveDirectory(of: source)
        var contents: [EntryKind: EntryCount] = [:]
        var wanted: [String: DirectoryEntry] = [:]
        var isChatExport = false
        let names = [Self.settingsName, Self.identityName, Self.ownPictureName] + Self.tableNames
        try directory.forEach { (entry) throws(DataBackupError) in
            contents[EntryKind(name: entry.name), default: EntryCount()].add(entry.contentCount)
            if entry.name.elementsEqual("messages.txt".utf8) { isChatExport = true }
            guard let name = names.first(where: { entry.name.elementsEqual($0.utf8) }) else { return }
            guard wanted.updateValue(entry, forKey: name) == nil else { throw .duplicate(entry: name) }
        }
        if wanted[Self.settingsName] == nil && wanted[Self.identityName] == nil {
            throw isChatExport ? .chatExport : .otherArchive
        }
        for name in [Self.settingsName, Self.identityName] where wanted[name] == nil { throw .missing(entry: name) }
        picture = wanted.removeValue(forKey: Self.ownPictureName)
        var entries: [String: EncryptedEntry] = [:]
        for (name, entry) in wanted.sorted(by: { $0.key < $1.key }) {
            let limit = Self.tableNames.contains(name) ? Self.maxTableBytes : Self.maxTextBytes
            entries[name] = try EncryptedEntry(entry, limit: limit, in: source, before: directory.offset)
        }
        let ranges = entries.values.sorted { $0.range.lowerBound < $1.range.lowerBound }
        for (first, second) in zip(ranges, ranges.dropFirst()) where second.range.overlaps(first.range) {
            throw .damaged(.header(entry: second.name))
        }
        _ = try Libzip.shared()
        (self.contents, self.source, self.directory, self.entries) = (contents, source, directory, entries)
    }

    /// Length of contacts, groups and distribution lists in bytes, as the directory says.
    public var tableBytes: Int { Self.tableNames.reduce(0) { $0 + (entries[$1]?.contentCount ?? 0) } }

    /// Decrypts the entries that are read.
    /// - Parameters:
    ///   - password: UTF-8 as typed, without NUL.
    ///   - isTryingNewer: read a file of a newer version than `knownVersion`.
    ///   - note: called with the length of each row of the tables in bytes; all of them have `tableBytes`.
    /// - Throws: `.wrongPassword`; `.damagedEntry`, `.damagedCode`, `.missingColumn`, `.noVersion`, `.newerVersion`;
    ///   `.tooManyRows`, `.document` for too many contacts; `.passwordHasNUL`; `.library…`; `.notReadable`.
    public func open(
        password: borrowing SecureBytes, isTryingNewer: Bool = false, noting note: (Int) -> Void = { _ in }
    ) throws(DataBackupError) -> OpenedDataBackup {
        guard !ZIPPassword.hasNUL(password) else { throw .passwordHasNUL }
        let zipPassword = try fittingForm(of: password)
        let version = try version(zipPassword)
        guard isTryingNewer || version <= Self.knownVersion else {
            throw .newerVersion(version, known: Self.knownVersion)
        }
        let identity = try identity(zipPassword, password)
        var faults = TableFaults()
        var (contacts, groups, lists) = (DocumentList(), DocumentList(), DocumentList())
        try withTable(Self.contactsName, zipPassword) { (text) throws(DataBackupError) in
            try ContactTable.read(text, own: identity.id, &faults, into: &contacts, note)
        }
        try withTable(Self.groupsName, zipPassword) { (text) throws(DataBackupError) in
            try GroupTable.read(text, own: identity.id, &faults, into: &groups, note)
        }
        try withTable(Self.listsName, zipPassword) { (text) throws(DataBackupError) in
            try DistributionListTable.read(text, &faults, into: &lists, note)
        }
        let picture = try picture(of: identity.id, zipPassword)
        let document = try SafeDocument.ofDataBackup(
            contacts: contacts, groups: groups, lists: lists, picture: picture.picture)
        return OpenedDataBackup(
            identity: identity, document: document, version: version, picture: picture, faults: faults,
            missingTables: Self.tableNames.filter { entries[$0] == nil })
    }
}

/// What was read of a data backup.
public struct OpenedDataBackup: ~Copyable {
    /// ID and private key, as the backup's identity file has them.
    public let identity: Identity
    /// Contacts, groups, distribution lists and picture as a Safe document. A data backup has no nickname, links and
    /// settings.
    public let document: SafeDocument
    /// The version of the format that the backup names.
    public let version: Int
    /// What became of the own picture.
    public let picture: OwnPicture
    /// Rows that were left out.
    public let faults: TableFaults
    /// Names of the tables that the file does not have; the app always writes all.
    public let missingTables: [String]
}

/// The own picture of a data backup.
public enum OwnPicture: Equatable, Sendable {
    /// The file has none.
    case none
    /// It is in the document.
    case carried(ProfilePicture)
    /// It is not in the document, because a Safe picture has other limits.
    case unfit(ProfilePictureError)
    /// It is not in the document, because its entry is damaged or there twice.
    case damaged

    var picture: ProfilePicture? { if case .carried(let picture) = self { picture } else { nil } }
}
