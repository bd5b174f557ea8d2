internal import AtomicFiles
internal import Encodings
internal import SafeWire
internal import Synchronization

// What a write does with previous backups: it retains one, and removes those that `VersionRule` does not.

extension FolderStore {
    /// A backup that was retained.
    struct Retained {
        let name: PreviousName
        /// Of the file that was the present backup.
        fileprivate let identity: FileIdentity
        /// Its directory in `previous`.
        fileprivate let path: [String]
        /// The previous backups of the id in that directory, this one among them.
        fileprivate let all: [PreviousFile]
    }

    /// Retains the stored backup before it is replaced or deleted. It gets a second name, so a crash leaves it under
    /// one name at least.
    /// - Returns: nil if none was retained.
    func retain(_ id: BackupID, in backups: borrowing Directory, at now: StoreReading) throws(FileError) -> Retained? {
        guard keepsPrevious, let present = try backups.plainFile(id.hex) else { return nil }
        let (path, others) = try place(of: id)
        let directory = try previousDirectory(path)
        let taken = Set(others.map(\.version.time))
        var uploaded = Timestamp(milliseconds: present.modified) + now.lead
        while true {
            while taken.contains(uploaded) { uploaded = uploaded + .milliseconds(1) }
            let retained = PreviousName(id: id, uploaded: uploaded, replaced: now.time)
            do throws(FileError) {
                let identity = try backups.identity(of: id.hex)
                if try !backups.link(id.hex, into: directory, as: retained.text) {
                    // The file system has no second names.
                    guard let copy = try Self.backup(id, in: backups, limit: readLimit) else { return nil }
                    try directory.write(retained.text, copy.span, existing: .refuse, modified: present.modified)
                }
                let file = PreviousFile(
                    name: retained, modified: Timestamp(milliseconds: present.modified), count: present.count)
                return Retained(name: retained, identity: identity, path: path, all: others + [file])
            } catch .exists {
                uploaded = uploaded + .milliseconds(1)
            } catch .missing(path: let file) where file == backups.path(of: id.hex) {
                return nil
            }
        }
    }

    /// Removes a backup that was retained, after the write has failed. If the new backup is in place, and only its
    /// directory could not be synced, the old one has no name but this one, and stays.
    func takeBack(_ retained: Retained, in backups: borrowing Directory) throws(FileError) {
        // It may stay.
        quota?.previous.withLock { $0 = nil }
        guard try backups.identity(of: retained.name.id.hex) == retained.identity else { return }
        try previousDirectory(retained.path).remove(retained.name.text)
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
