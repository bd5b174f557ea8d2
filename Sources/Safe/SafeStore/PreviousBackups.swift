internal import AtomicFiles
package import Encodings
public import SafeWire

// Backups that were replaced or deleted through the port: `PreviousName` has their layout.

extension FolderStore {
    static let previousName = "previous"

    // MARK: For the operator

    /// The retained previous backups of an id, the newest first. Reads the names of all ids with the same first byte.
    public func versions(of id: BackupID) throws(StoreError) -> [BackupVersion] {
        try answered { () throws(FileError) in try allVersions(of: id) }
    }

    func allVersions(of id: BackupID) throws(FileError) -> [BackupVersion] {
        var versions: [BackupVersion] = []
        try eachPreviousDirectory(of: id) { directory, _ throws(FileError) in
            versions += try Self.files(of: id, in: directory).files.map(\.version)
        }
        return versions.sorted { ($1.replaced, $1.time) < ($0.replaced, $0.time) }
    }

    /// The bytes of a previous backup; nil if it does not exist, also if a sweep removes it just now.
    func previous(_ id: BackupID, at time: Timestamp) throws(FileError) -> [UInt8]? {
        var bytes: [UInt8]?
        try eachPreviousDirectory(of: id) { directory, _ throws(FileError) in
            for file in try Self.files(of: id, in: directory).files where file.version.time == time {
                do throws(FileError) {
                    bytes = try directory.readPublic(file.name.text, limit: readLimit)
                } catch .missing {}
            }
        }
        return bytes
    }

    /// How many previous backups are retained, and their length in bytes.
    func previousSize() throws(FileError) -> (versions: Int, bytes: Int) {
        var size = (versions: 0, bytes: 0)
        try eachPreviousDirectory { directory, _ throws(FileError) in
            try directory.forEachName { text throws(FileError) in
                guard PreviousName(text) != nil, let file = try directory.plainFile(text) else { return }
                size.versions += 1
                size.bytes += file.count
            }
        }
        return size
    }

    /// A previous backup's file.
    struct PreviousFile {
        let name: PreviousName
        /// By the store's time.
        let modified: Timestamp
        /// Length in bytes.
        let count: Int

        var version: BackupVersion {
            BackupVersion(
                time: name.uploaded ?? modified, replaced: name.replaced, count: count, isDeleted: name.isDeleted)
        }
    }

    /// - Parameter id: nil for all.
    /// - Returns: also how many names the directory has.
    static func files(
        of id: BackupID?, in directory: borrowing Directory
    ) throws(FileError) -> (files: [PreviousFile], names: Int) {
        var (files, names): ([PreviousFile], Int) = ([], 0)
        try directory.forEachName { text throws(FileError) in
            names += 1
            // A sweep may remove it meanwhile.
            guard id.map({ text.hasPrefix($0.hex) }) ?? true, let name = PreviousName(text),
                let file = try directory.plainFile(text)
            else { return }
            files.append(
                PreviousFile(name: name, modified: Timestamp(milliseconds: file.modified), count: file.count))
        }
        return (files, names)
    }

    /// An id of which previous backups are retained.
    package struct ChangedBackup: Equatable, Sendable {
        /// The id.
        package let id: BackupID
        /// By which `versions(of:)` names the newest of them.
        package let time: Timestamp
        /// When the newest of them was replaced or deleted, by the store's time.
        package let replaced: Timestamp
        /// How many previous backups it has.
        package fileprivate(set) var count: Int
        /// Whether a backup of this id is stored. If not, it was deleted, by a client or by a sweep, then or later.
        package fileprivate(set) var isPresent: Bool
    }

    /// The ids of which previous backups are retained, the one that was changed last first.
    /// - Parameter limit: most ids that are returned: a store may have millions.
    /// - Returns: also the number of all these ids.
    package func changedBackups(limit: Int) throws(StoreError) -> (changed: [ChangedBackup], total: Int) {
        try answered { () throws(FileError) in
            let backups = try backups()
            var (changed, total): ([ChangedBackup], Int) = ([], 0)
            func leaveNewest() {
                changed.sort { ($1.replaced, $0.id.hex) < ($0.replaced, $1.id.hex) }
                changed.removeLast(max(changed.count - limit, 0))
            }
            func take(_ ids: [BackupID: ChangedBackup]) {
                total += ids.count
                changed += ids.values
                if changed.count > 2 * limit { leaveNewest() }
            }
            // What earlier releases have written, by the first two digits of the ids.
            var flat: [String: [BackupID: ChangedBackup]] = [:]
            var (ids, last): ([BackupID: ChangedBackup], String?) = ([:], nil)
            try eachPreviousDirectory { directory, digits throws(FileError) in
                let found = try Self.changes(in: directory)
                guard let digits else {
                    for (id, each) in found { flat[String(id.hex.prefix(2)), default: [:]][id] = each }
                    return
                }
                if digits != last {
                    take(ids)
                    (ids, last) = (flat.removeValue(forKey: digits) ?? [:], digits)
                }
                ids.merge(found) { $0.joined($1) }
            }
            take(ids)
            for ids in flat.values { take(ids) }
            leaveNewest()
            for place in changed.indices { changed[place].isPresent = try backups.contains(changed[place].id.hex) }
            return (changed, total)
        }
    }

    private static func changes(
        in directory: borrowing Directory
    ) throws(FileError) -> [BackupID: ChangedBackup] {
        var ids: [BackupID: ChangedBackup] = [:]
        try directory.forEachName { text throws(FileError) in
            guard let name = PreviousName(text) else { return }
            // A sweep may remove it meanwhile.
            guard let modified = try name.uploaded == nil ? directory.modificationTime(of: text) : 0 else { return }
            let each = ChangedBackup(
                id: name.id, time: name.uploaded ?? Timestamp(milliseconds: modified), replaced: name.replaced,
                count: 1,
                isPresent: false)
            ids[name.id] = ids[name.id]?.joined(each) ?? each
        }
        return ids
    }

    // MARK: For a sweep

    /// Lends `previous` with a nil, for the files of earlier releases, each directory in it with its name, and those in
    /// that one with the same name, if they exist.
    /// - Parameter id: leaves out the directories that have no previous backups of this id.
    func eachPreviousDirectory(
        of id: BackupID? = nil, _ body: (borrowing Directory, _ digits: String?) throws(FileError) -> Void
    ) throws(FileError) {
        try withTop { top throws(FileError) in
            guard try top.contains(Self.previousName) else { return }
            let previous = try top.directory(Self.previousName)
            try body(previous, nil)
            for name in try Self.parts(of: previous, id?.hex.prefix(2)) {
                let wide = try previous.directory(name)
                try body(wide, name)
                for part in try Self.parts(of: wide, id?.hex.dropFirst(2).prefix(2)) {
                    try body(wide.directory(part), name)
                }
            }
        }
    }

    /// The directories in one of previous backups, in order.
    /// - Parameter digits: only this one; nil for all.
    private static func parts(
        of directory: borrowing Directory, _ digits: Substring?
    ) throws(FileError) -> [String] {
        if let digits {
            guard try directory.contains(String(digits)) else { return [] }
            return try directory.isFile(String(digits)) ? [] : [String(digits)]
        }
        var names: [String] = []
        try directory.forEachName { name throws(FileError) in
            if name.utf8.count == 2, try !directory.isFile(name) { names.append(name) }
        }
        return names.sorted()
    }
}

extension FolderStore.ChangedBackup {
    /// Both as one, of one id.
    fileprivate func joined(_ other: Self) -> Self {
        var newer = (replaced, time) < (other.replaced, other.time) ? other : self
        newer.count = count + other.count
        return newer
    }
}
