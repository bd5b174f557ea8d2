internal import AtomicFiles
internal import Encodings
internal import SafeWire

// What a write does with previous backups: it retains one, and removes those that `VersionRule` does not.

extension FolderStore {
    /// A backup that was retained.
    struct Retained {
        let name: PreviousName
        /// Of the file that was the present backup.
        fileprivate let identity: FileIdentity
        /// The previous backups of the id, this one among them.
        fileprivate let all: [PreviousFile]
    }

    /// Retains the stored backup before it is replaced or deleted. It gets a second name, so a crash leaves it under
    /// one name at least.
    /// - Returns: nil if none was retained.
    func retain(_ id: BackupID, in backups: borrowing Directory, at now: StoreReading) throws(FileError) -> Retained? {
        guard keepsPrevious, let present = try backups.plainFile(id.hex) else { return nil }
        let directory = try previousDirectory(of: id)
        let others = try Self.files(of: id, in: directory)
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
                return Retained(name: retained, identity: identity, all: others + [file])
            } catch .exists {
                uploaded = uploaded + .milliseconds(1)
            } catch .missing(path: let path) where path == backups.path(of: id.hex) {
                return nil
            }
        }
    }

    /// Removes a backup that was retained, after the write has failed. If the new backup is in place, and only its
    /// directory could not be synced, the old one has no name but this one, and stays.
    func takeBack(_ retained: Retained, in backups: borrowing Directory) throws(FileError) {
        let id = retained.name.id
        guard try backups.identity(of: id.hex) == retained.identity else { return }
        try previousDirectory(of: id).remove(retained.name.text)
    }

    /// Removes previous backups that are too many or too long. What cannot be removed goes with the next write.
    func thin(_ retained: Retained) throws(FileError) {
        guard let versions else { return }
        // The new one is retained in any case.
        if retained.all.count > versions.newest {
            let directory = try previousDirectory(of: retained.name.id)
            for each in versions.excess(of: retained.all.map(\.forRule)) { try directory.removeUnsynced(each.name) }
        }
        guard let quota = quota?.bytes else { return }
        var all: [VersionRule.Version] = []
        try eachPreviousDirectory { directory, _ throws(FileError) in
            all += try Self.files(of: nil, in: directory).map(\.forRule)
        }
        let gone = Set(versions.excess(of: all, beyond: quota).map(\.name))
        guard !gone.isEmpty else { return }
        try eachPreviousDirectory { directory, _ throws(FileError) in
            try directory.forEachName { name throws(FileError) in
                if gone.contains(name) { try directory.removeUnsynced(name) }
            }
        }
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

extension FolderStore.PreviousFile {
    fileprivate var forRule: VersionRule.Version {
        VersionRule.Version(name: name.text, uploaded: modified, replaced: name.replaced, count: count)
    }
}
