internal import AtomicFiles
package import Encodings
internal import Glibc
public import SafeWire

// `DIR/previous/<64 hex>-TIME`: backups that were replaced or deleted through the port.

extension FolderStore {
    static let previousName = "previous"

    /// The retained previous backups of an id, the newest first. Reads the names of all ids: it is for the operator.
    public func versions(of id: BackupID) throws(StoreError) -> [BackupVersion] {
        try answered { () throws(FileError) in
            var versions: [BackupVersion] = []
            try withPrevious { previous throws(FileError) in
                for name in try previous.names() {
                    guard let each = Dated(name), each.id == id else { continue }
                    // A sweep may remove it meanwhile.
                    do throws(FileError) {
                        versions.append(BackupVersion(time: each.time, count: try previous.length(of: name)))
                    } catch .missing {}
                }
            }
            return versions.reversed()
        }
    }

    /// An id of which previous backups are retained.
    package struct ChangedBackup: Equatable, Sendable {
        /// The id.
        package let id: BackupID
        /// When the newest of them was replaced or deleted.
        package let last: Timestamp
        /// How many previous backups it has.
        package let count: Int
        /// Whether a backup of this id is stored. If not, it was deleted, by a client or by a sweep, then or later.
        package let isPresent: Bool
    }

    /// All ids of which previous backups are retained, the one with the newest first.
    package func changedBackups() throws(StoreError) -> [ChangedBackup] {
        try answered { () throws(FileError) in
            var times: [BackupID: [Timestamp]] = [:]
            for each in try previousBackups() { times[each.id, default: []].append(each.time) }
            let backups = try backups()
            var changed: [ChangedBackup] = []
            for (id, times) in times {
                changed.append(
                    ChangedBackup(
                        id: id, last: times.max()!, count: times.count, isPresent: try backups.contains(id.hex)))
            }
            return changed.sorted { ($1.last, $0.id.hex) < ($0.last, $1.id.hex) }
        }
    }

    /// Retains the stored backup before it is replaced or deleted. It gets a second name, so a crash leaves it under
    /// one name at least.
    /// - Returns: the previous backup; nil if none was retained.
    func retain(_ id: BackupID, in backups: borrowing Directory, now: Timestamp) throws(FileError) -> Dated? {
        guard keepsPrevious else { return nil }
        let previous = try withTop { top throws(FileError) in
            try top.makeDirectory(Self.previousName)
            return try top.directory(Self.previousName)
        }
        var time = now
        while true {
            let retained = Dated(id: id, time: time)
            do throws(FileError) {
                if try backups.link(id.hex, into: previous, as: retained.name) { return retained }
                // The file system has no second names.
                guard let copy = try Self.backup(id, in: backups, limit: readLimit) else { return nil }
                try previous.write(retained.name, copy.span, existing: .refuse)
                return retained
            } catch .exists {
                time = time + .milliseconds(1)
            } catch .missing(path: let path) where path == backups.path(of: id.hex) {
                return nil
            }
        }
    }

    /// A previous backup; nil if it does not exist.
    func previous(_ id: BackupID, at time: Timestamp) throws(FileError) -> [UInt8]? {
        let name = Dated(id: id, time: time).name
        var bytes: [UInt8]?
        try withPrevious { previous throws(FileError) in
            guard try previous.contains(name) else { return }
            bytes = try previous.readPublic(name, limit: readLimit)
        }
        return bytes
    }

    /// All previous backups of the server.
    func previousBackups() throws(FileError) -> [Dated] {
        var all: [Dated] = []
        try withPrevious { previous throws(FileError) in all = try previous.names().compactMap(Dated.init) }
        return all
    }

    func removePrevious(_ old: [Dated], removed: () -> Void = {}) throws(FileError) {
        try withPrevious { previous throws(FileError) in
            for each in old {
                try previous.remove(each.name)
                removed()
            }
        }
    }

    /// Lends the directory, if it exists.
    private func withPrevious(_ body: (borrowing Directory) throws(FileError) -> Void) throws(FileError) {
        try withTop { top throws(FileError) in
            guard try top.contains(Self.previousName) else { return }
            try body(top.directory(Self.previousName))
        }
    }
}

extension Dated {
    fileprivate var name: String { id.hex + "-" + time.compact }

    /// - Returns: nil for a file of another name.
    fileprivate init?(_ name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = BackupID(hex: String(parts[0])),
            let time = Timestamp(compact: String(parts[1]))
        else { return nil }
        self.init(id: id, time: time)
    }
}

extension StoreError {
    init(_ error: FileError) {
        self =
            switch error {
            case .system(_, _, ENOSPC), .system(_, _, EDQUOT), .system(_, _, EFBIG): .full
            case .system(_, _, EMFILE), .system(_, _, ENFILE), .system(_, _, ESTALE), .system(_, _, EIO),
                .system(_, _, ETIMEDOUT), .system(_, _, EHOSTDOWN):
                .unavailable
            case .locked: .busy
            default: .failed(reason: error.reason)
            }
    }
}

extension FileError {
    /// What is wrong, without the path, which may contain an id.
    fileprivate var reason: String {
        switch self {
        case .missing: "a directory of the store is missing"
        case .exists: "a file of the store already exists"
        case .exposed: "a file of the store is accessible to other users"
        case .notOurs: "a file of the store belongs to another account"
        case .wrongKind: "something that is not a regular file or directory is in the store"
        case .unsafeLink: "another user could redirect a link of the store"
        case .tooLarge(_, let limit): "a backup is longer than \(limit) bytes"
        case .locked: "another program has locked the backups"
        case .system(let operation, _, let code):
            "cannot \(operation.rawValue) a file of the store: "
                + (unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)").lowercased()
        }
    }
}
