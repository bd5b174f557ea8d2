internal import AtomicFiles
package import Encodings
public import SafeWire

// Backups that were replaced or deleted through the port: `PreviousName` has their layout.

extension FolderStore {
    private static let previousName = "previous"

    // MARK: For the operator

    /// The retained previous backups of an id, the newest first. Reads the names of all ids with the same first byte.
    public func versions(of id: BackupID) throws(StoreError) -> [BackupVersion] {
        try answered { () throws(FileError) in
            var versions: [BackupVersion] = []
            try eachPreviousDirectory(of: id) { directory, _ throws(FileError) in
                versions += try Self.files(of: id, in: directory).map(\.version)
            }
            return versions.sorted { ($1.replaced, $1.time) < ($0.replaced, $0.time) }
        }
    }

    /// The bytes of a previous backup; nil if it does not exist.
    func previous(_ id: BackupID, at time: Timestamp) throws(FileError) -> [UInt8]? {
        var bytes: [UInt8]?
        try eachPreviousDirectory(of: id) { directory, _ throws(FileError) in
            for file in try Self.files(of: id, in: directory) where file.version.time == time {
                bytes = try directory.readPublic(file.name, limit: readLimit)
            }
        }
        return bytes
    }

    private static func files(
        of id: BackupID, in directory: borrowing Directory
    ) throws(FileError) -> [(name: String, version: BackupVersion)] {
        var files: [(name: String, version: BackupVersion)] = []
        try directory.forEachName { text throws(FileError) in
            // A sweep may remove it meanwhile.
            guard text.hasPrefix(id.hex), let name = PreviousName(text), let file = try directory.plainFile(text)
            else { return }
            let uploaded = name.uploaded ?? Timestamp(milliseconds: file.modified)
            files.append((text, BackupVersion(time: uploaded, replaced: name.replaced, count: file.count)))
        }
        return files
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
            try eachPreviousDirectory { directory, digits throws(FileError) in
                let ids = try Self.changes(in: directory)
                if let digits {
                    take(ids.merging(flat.removeValue(forKey: digits) ?? [:]) { $0.joined($1) })
                } else {
                    for (id, each) in ids { flat[String(id.hex.prefix(2)), default: [:]][id] = each }
                }
            }
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
                id: name.id, time: name.uploaded ?? Timestamp(milliseconds: modified), replaced: name.replaced, count: 1,
                isPresent: false)
            ids[name.id] = ids[name.id]?.joined(each) ?? each
        }
        return ids
    }

    // MARK: For a sweep

    /// Lends `previous` with a nil, for the files of earlier releases, and each directory in it with its name, if they
    /// exist.
    /// - Parameter id: leaves out the directories that have no previous backups of this id.
    func eachPreviousDirectory(
        of id: BackupID? = nil, _ body: (borrowing Directory, _ digits: String?) throws(FileError) -> Void
    ) throws(FileError) {
        try withTop { top throws(FileError) in
            guard try top.contains(Self.previousName) else { return }
            let previous = try top.directory(Self.previousName)
            try body(previous, nil)
            var names: [String] = []
            try previous.forEachName { name throws(FileError) in
                guard name.utf8.count == 2, id.map({ $0.hex.hasPrefix(name) }) ?? true, !(try previous.isFile(name))
                else { return }
                names.append(name)
            }
            for name in names.sorted() { try body(previous.directory(name), name) }
        }
    }

    // MARK: For a write

    /// Retains the stored backup before it is replaced or deleted. It gets a second name, so a crash leaves it under
    /// one name at least.
    /// - Returns: the previous backup; nil if none was retained.
    func retain(
        _ id: BackupID, in backups: borrowing Directory, at now: StoreReading
    ) throws(FileError) -> PreviousName? {
        guard keepsPrevious, let present = try backups.plainFile(id.hex) else { return nil }
        let directory = try previousDirectory(of: id)
        let taken = Set(try Self.files(of: id, in: directory).map(\.version.time))
        var uploaded = Timestamp(milliseconds: present.modified) + now.lead
        while true {
            let retained = PreviousName(id: id, uploaded: uploaded, replaced: now.time)
            uploaded = uploaded + .milliseconds(1)
            if taken.contains(retained.uploaded!) { continue }
            do throws(FileError) {
                if try backups.link(id.hex, into: directory, as: retained.text) { return retained }
                // The file system has no second names.
                guard let copy = try Self.backup(id, in: backups, limit: readLimit) else { return nil }
                try directory.write(retained.text, copy.span, existing: .refuse)
                return retained
            } catch .exists {
                continue
            } catch .missing(path: let path) where path == backups.path(of: id.hex) {
                return nil
            }
        }
    }

    func removePrevious(_ name: PreviousName) throws(FileError) {
        try previousDirectory(of: name.id).remove(name.text)
    }

    /// Creates the directory of an id's previous backups, if it is missing.
    private func previousDirectory(of id: BackupID) throws(FileError) -> Directory {
        try withTop { top throws(FileError) in
            try top.makeDirectory(Self.previousName)
            let previous = try top.directory(Self.previousName)
            let digits = String(id.hex.prefix(2))
            try previous.makeDirectory(digits)
            return try previous.directory(digits)
        }
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
