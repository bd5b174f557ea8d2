public import Threema
public import ThreemaSafe

/// Why a data backup was not read.
public enum DataBackupError: Error, Equatable, Sendable {
    /// Reading the file failed with this errno.
    case notReadable(code: Int32)
    /// The file has no end record, so it is cut off, or was not finished.
    case truncated
    /// The structure of the ZIP file contradicts itself.
    case damaged(ArchivePart)
    /// The directory has more than this many entries.
    case tooManyEntries(limit: Int)
    /// The directory has more than this many bytes.
    case directoryTooLong(limit: Int)
    /// A ZIP file with an exported chat: it has no identity.
    case chatExport
    /// A ZIP file with other content.
    case otherArchive
    /// An entry that every data backup has is missing.
    case missing(entry: String)
    /// Two entries have this name.
    case duplicate(entry: String)
    /// The entry is not encrypted.
    case notEncrypted(entry: String)
    /// The entry is encrypted otherwise than by AES-256, or compressed otherwise than by deflate.
    case otherMethod(entry: String)
    /// The entry has more than `limit` bytes.
    case entryTooLong(entry: String, limit: Int)
    /// The entry is not authentic, or does not have the announced content.
    case damagedEntry(String)
    /// The password does not open the file.
    case wrongPassword
    /// The password contains a NUL character, which no ZIP password does.
    case passwordHasNUL
    /// The entry `settings` has a version that is not a number.
    case noVersion
    /// The app that wrote the file is newer than this library.
    case newerVersion(Int, known: Int)
    /// The backup code in the entry `identity` is damaged.
    case damagedCode
    /// The key of the backup code could not be derived.
    case code(IDBackupError)
    /// A table has more than `limit` rows.
    case tooManyRows(entry: String, limit: Int)
    /// A table has no such column.
    case missingColumn(entry: String, column: String)
    /// Contacts and groups do not fit into a Safe document.
    case document(SafeBackupError)
    /// libzip is not installed.
    case libraryMissing(packages: [String])
    /// There is not enough memory to load libzip.
    case libraryNeedsMemory
    /// libzip failed with this error number.
    case library(code: Int32)
}

/// The parts of a ZIP file, from its end to its start.
public enum ArchivePart: Equatable, Sendable {
    case endRecord
    case directory
    /// The local header of this entry.
    case header(entry: String)
}
