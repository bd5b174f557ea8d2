import Console
import SafeWire

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
