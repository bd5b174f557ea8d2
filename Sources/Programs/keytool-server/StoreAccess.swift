import AtomicFiles
import Console
import Glibc
import SafeStore
import SafeWire

extension StoreOption {
    /// The directory of the server, for a command that only reads it.
    /// - Throws: `FileError.missing` if it is not prepared.
    func server() throws -> ServerDirectory {
        _ = try limits()
        return try ServerDirectory(at: directory())
    }

    /// The directory of the server, for a command that writes files.
    /// - Throws: a failure if root runs it on a directory of another account, which could not read the files.
    func changedServer() throws -> ServerDirectory {
        let path = try directory()
        try RootGuard.check(directory: path)
        return try server()
    }

    /// The limits of the server.
    func limits() throws -> ServerLimits { try ServerLimits(preparedAt: directory()) }
}

extension StoreLocation {
    /// Makes a server's directory of a path that is missing or an empty directory.
    static func prepare(_ path: String) throws {
        do throws(FileError) {
            try FolderStore.prepare(at: path, limits: .standard)
        } catch .exists {
            throw Failure(
                .exists, "\(path) holds other files, and no config and backups of a Safe server",
                hints: "use a directory that is empty or missing")
        } catch .missing {
            let reason =
                isLink(path)
                ? "\(path) is a symbolic link to a directory that is missing"
                : "\(path) cannot be made: the directory above it is missing"
            throw Failure(.noInput, reason, hints: "make it, or mount its disk")
        }
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}

extension ServerLimits {
    /// Those of a directory that is prepared.
    init(preparedAt path: String) throws {
        let config = try FolderStore(at: path).config()
        let isRetentionInRange: Bool
        do throws(ServerLimitsError) {
            (self, isRetentionInRange) = try ServerLimits.parse(config: config.span)
        } catch {
            throw Failure(.badData, "\(path)/config is not the configuration of a Safe server")
        }
        // A client takes another number for 180 days. A server that did would delete what its operator wants to retain.
        guard isRetentionInRange else {
            throw Failure(.badData, "retentionDays in \(path)/config is not in 1 to 3650")
        }
    }
}
