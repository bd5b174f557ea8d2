import CommandLine
import Console
import SafeWire

extension Session {
    /// Refuses a Safe directory in the keystore: who loses the one loses the other.
    /// - Throws: `UsageFailure`.
    func requireOutsideKeystore(_ address: SafeServerAddress) throws {
        guard case .directory(let path) = address, let reserved else { return }
        guard reserved.holds(path) else { return }
        throw UsageFailure(
            "\(path.printable) is inside the keystore: both would be lost together",
            hint: "a directory on another disk, or a server")
    }
}

/// Which part of the path of an unavailable Safe directory does not exist.
enum MissingDirectory: Equatable {
    /// Only the directory itself.
    case directory
    /// The directory above it, too.
    case parent(path: String)

    /// - Returns: nil for a server, for a directory that exists, and for another error.
    init?(_ error: any Error, _ address: SafeServerAddress) {
        guard case SafeExchangeError.unavailable(_, .away) = error, case .directory(let path) = address,
            FileStatus.isMissing(path)
        else { return nil }
        let parent = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
        self = FileStatus.isMissing(parent) ? .parent(path: parent) : .directory
    }
}
