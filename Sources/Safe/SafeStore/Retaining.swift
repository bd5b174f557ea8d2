internal import AtomicFiles
internal import Encodings
internal import SafeWire
internal import Synchronization

// What a write does with previous backups: it makes the present one a previous one, and removes those that `VersionRule`
// does not retain.

extension FolderStore {
    /// A backup that was retained.
    struct Retained {
        let name: PreviousName
        /// Its directory in `previous`.
        fileprivate let path: [String]
        /// The previous backups of the id in that directory, this one among them.
        fileprivate let all: [PreviousFile]
    }

    /// Replaces the stored backup, or deletes it, and retains it as a previous one. A crash leaves it under one name at
    /// least; a crash during a replacement may also leave the new one among the previous ones. The caller holds the
    /// locks of `turn`.
    /// - Parameter new: nil to delete the backup.
    /// - Returns: the old one; nil if there was none, or none is retained.
    func change(
        _ id: BackupID, to new: [UInt8]?, in backups: borrowing Directory, at now: StoreReading
    ) throws(FileError) -> Retained? {
        guard keepsPrevious, let present = try backups.plainFile(id.hex) else {
            try overwrite(id, by: new, in: backups, at: now)
            return nil
        }
        let (path, others) = try place(of: id)
        let directory = try previousDirectory(path)
        let taken = Set(others.map(\.version.time))
        var uploaded = Timestamp(milliseconds: present.modified) + now.lead
        while true {
            while taken.contains(uploaded) { uploaded = uploaded + .milliseconds(1) }
            let name = PreviousName(id: id, uploaded: uploaded, replaced: now.time, isDeleted: new == nil)
            do throws(FileError) {
                try change(id, to: new, in: backups, retaining: name.text, in: directory, at: now)
                let file = PreviousFile(
                    name: name, modified: Timestamp(milliseconds: present.modified), count: present.count)
                return Retained(name: name, path: path, all: others + [file])
            } catch .exists(path: let file) where file == directory.path(of: name.text) {
                uploaded = uploaded + .milliseconds(1)
            } catch .missing(path: let file) where file == backups.path(of: id.hex) {
                // Somebody has removed it who does not lock the directory.
                try overwrite(id, by: new, in: backups, at: now)
                return nil
            } catch {
                // The old one may be retained.
                quota?.previous.withLock { $0 = nil }
                throw error
            }
        }
    }

    /// The same with the old one's new name.
    /// - Throws: `.exists` if that name exists; then nothing was done.
    private func change(
        _ id: BackupID, to new: [UInt8]?, in backups: borrowing Directory, retaining name: String,
        in directory: borrowing Directory, at now: StoreReading
    ) throws(FileError) {
        let isMoved =
            if let new {
                try backups.replace(
                    id.hex, new.span, modified: now.time.milliseconds, movingOldTo: directory, as: name)
            } else {
                try backups.move(id.hex, to: directory, as: name)
            }
        guard !isMoved else { return }
        // The file system cannot do both in one step, so the file gets the new name before it loses the old one.
        let identity = try backups.identity(of: id.hex)
        if try !backups.link(id.hex, into: directory, as: name) {
            guard let present = try backups.plainFile(id.hex),
                let copy = try Self.backup(id, in: backups, limit: readLimit)
            else { throw .missing(path: backups.path(of: id.hex)) }
            try directory.write(name, copy.span, existing: .refuse, modified: present.modified)
        }
        do throws(FileError) {
            try overwrite(id, by: new, in: backups, at: now)
        } catch {
            try? takeBack(name, in: directory, of: id, identity, in: backups)
            throw error
        }
    }

    private func overwrite(
        _ id: BackupID, by new: [UInt8]?, in backups: borrowing Directory, at now: StoreReading
    ) throws(FileError) {
        guard let new else { return try backups.remove(id.hex) }
        try backups.write(id.hex, new.span, modified: now.time.milliseconds, isSweeping: false)
    }

    /// Removes a backup that was retained, after the write has failed. If the new backup is in place, and only its
    /// directory could not be synced, the old one has no name but this one, and stays.
    private func takeBack(
        _ name: String, in directory: borrowing Directory, of id: BackupID, _ identity: FileIdentity,
        in backups: borrowing Directory
    ) throws(FileError) {
        guard try backups.identity(of: id.hex) == identity else { return }
        try directory.remove(name)
    }

    /// Removes previous backups that are too many or too long. What cannot be removed goes with a later write.
    func thin(_ retained: Retained) {
        guard let versions else { return }
        try? thinBackup(retained, versions)
        thinAccount(retained, versions)
    }

    private func thinBackup(_ retained: Retained, _ versions: VersionRule) throws(FileError) {
        // The new one is retained in any case.
        guard retained.all.count > versions.newest else { return }
        let directory = try previousDirectory(retained.path)
        for each in versions.excess(of: retained.all.map(\.forRule)) { try directory.removeUnsynced(each.name) }
    }

    /// Looks at all previous backups of the account only if they may be too long together.
    private func thinAccount(_ retained: Retained, _ versions: VersionRule) {
        guard let quota else { return }
        // The lock is held while they are measured: what other threads retain meanwhile is added afterwards.
        quota.previous.withLock { known in
            guard let bytes = quota.bytes else { return known = nil }
            let (count, now) = (retained.all.last?.count ?? 0, retained.name.replaced)
            known = known?.adding(count, at: now) ?? (try? previousSize()).map { PreviousBytes($0.bytes, at: now) }
            guard let most = known?.most, most > VersionRule.limit(quota: bytes) else { return }
            known = (try? thinned(versions, quota: bytes)).map { PreviousBytes($0, at: now) }
        }
    }

    /// - Returns: the length of what is left, in bytes.
    private func thinned(_ versions: VersionRule, quota: Int) throws(FileError) -> Int {
        var all: [VersionRule.Version] = []
        try eachPreviousDirectory { directory, _ throws(FileError) in
            all += try Self.files(of: nil, in: directory).files.map(\.forRule)
        }
        let excess = versions.excess(of: all, beyond: quota)
        let gone = Set(excess.map(\.name))
        guard !gone.isEmpty else { return Self.bytes(of: all) }
        try eachPreviousDirectory { directory, _ throws(FileError) in
            try directory.forEachName { name throws(FileError) in
                if gone.contains(name) { try directory.removeUnsynced(name) }
            }
        }
        return Self.bytes(of: all) - Self.bytes(of: excess)
    }

    private static func bytes(of versions: [VersionRule.Version]) -> Int { versions.reduce(0) { $0 + $1.count } }

    /// Where the next previous backup of an id is named, below `previous`, and what is there of this id. A directory
    /// that has many names is left as it is: its backups get old there.
    private func place(of id: BackupID) throws(FileError) -> (path: [String], files: [PreviousFile]) {
        let digits = [String(id.hex.prefix(2)), String(id.hex.dropFirst(2).prefix(2))]
        let wide = try previousDirectory([digits[0]])
        if try !wide.contains(digits[1]) {
            let (files, names) = try Self.files(of: id, in: wide)
            if names <= PreviousName.mostNames { return ([digits[0]], files) }
        }
        return (digits, try Self.files(of: id, in: previousDirectory(digits)).files)
    }

    /// Creates a directory in `previous`, and those above it, if they are missing.
    private func previousDirectory(_ path: [String]) throws(FileError) -> Directory {
        try withTop { top throws(FileError) in
            try top.makeDirectory(Self.previousName)
            var directory = try top.directory(Self.previousName)
            for name in path {
                try directory.makeDirectory(name)
                directory = try directory.directory(name)
            }
            return directory
        }
    }
}

/// How long the previous backups of an account are together: measured, and what was retained since. Others remove some,
/// so it is an upper bound. An operator's `restore` and a sweep add some, so it is measured again each day.
struct PreviousBytes: Sendable {
    private static let term = Duration.days(1)

    /// Bytes.
    let most: Int
    /// By the store's time.
    private let measured: Timestamp

    init(_ most: Int, at measured: Timestamp) {
        self.most = most
        self.measured = measured
    }

    /// - Returns: nil if it has to be measured again.
    func adding(_ count: Int, at now: Timestamp) -> PreviousBytes? {
        guard now - measured < Self.term else { return nil }
        return PreviousBytes(most + count, at: measured)
    }
}

extension FolderStore.PreviousFile {
    fileprivate var forRule: VersionRule.Version {
        VersionRule.Version(name: name.text, uploaded: modified, replaced: name.replaced, count: count)
    }
}
