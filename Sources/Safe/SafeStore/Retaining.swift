internal import AtomicFiles
internal import Encodings
internal import SafeWire

// What a write does with previous backups: it retains one, and removes those that `VersionRule` does not.

extension FolderStore {
    /// A backup that was retained.
    struct Retained {
        let name: PreviousName
        /// The previous backups of the id that were there before.
        fileprivate let others: [PreviousFile]
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
                if try !backups.link(id.hex, into: directory, as: retained.text) {
                    // The file system has no second names.
                    guard let copy = try Self.backup(id, in: backups, limit: readLimit) else { return nil }
                    try directory.write(retained.text, copy.span, existing: .refuse, modified: present.modified)
                }
                return Retained(name: retained, others: others)
            } catch .exists {
                uploaded = uploaded + .milliseconds(1)
            } catch .missing(path: let path) where path == backups.path(of: id.hex) {
                return nil
            }
        }
    }

    /// Removes a backup that was retained, after the write has failed.
    func removePrevious(_ retained: Retained) throws(FileError) {
        try previousDirectory(of: retained.name.id).remove(retained.name.text)
    }

    /// Removes previous backups that are too many or too long. What cannot be removed goes with the next write.
    func thin(_ retained: Retained) throws(FileError) {
        guard let versions else { return }
        let id = retained.name.id
        // The new one is retained in any case.
        if retained.others.count >= versions.newest {
            let directory = try previousDirectory(of: id)
            let all = try Self.files(of: id, in: directory).map(\.forRule)
            for each in versions.excess(of: all) { try directory.removeUnsynced(each.name) }
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
