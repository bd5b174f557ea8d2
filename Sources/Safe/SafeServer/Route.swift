internal import SafeWire

/// What a target names on a Safe server.
///
///     PREFIX/config               the limits
///     PREFIX/backups/             nothing can be done with it, so every method is refused
///     PREFIX/backups/<64 hex>     a backup; the id in lower case
///
/// Nothing is decoded or normalised: a target that is spelled differently names nothing.
enum Route: Equatable {
    case config
    case backups
    case backup(BackupID)
    /// `backups/` and anything but an id, or a known path with a query.
    case malformed
    case unknown

    /// - Parameter prefix: empty, or the path of an account, which begins with a slash and does not end with one.
    init(_ target: String, below prefix: String) {
        // Bytes, not characters: a slash and a combining mark behind it are one character.
        let bytes = target.utf8
        let start = prefix.utf8.count
        guard bytes.starts(with: prefix.utf8) else {
            self = .unknown
            return
        }
        let rest = Array(bytes.dropFirst(start))
        let directory = Array("/backups/".utf8)
        if rest.elementsEqual("/config".utf8) {
            self = .config
        } else if rest.starts(with: "/config?".utf8) {
            self = .malformed
        } else if rest == directory {
            self = .backups
        } else if rest.starts(with: directory) {
            let id = BackupID(hex: String(decoding: rest.dropFirst(directory.count), as: UTF8.self))
            self = id.map { .backup($0) } ?? .malformed
        } else {
            self = .unknown
        }
    }

    /// The methods of the target; nil if it names nothing.
    var methods: [String]? {
        switch self {
        case .config: ["GET", "HEAD"]
        // A client that wants to create it (MKCOL) learns by 405 that it exists (RFC 4918, 9.3.1).
        case .backups: []
        case .backup: ["GET", "HEAD", "PUT", "DELETE"]
        case .malformed, .unknown: nil
        }
    }
}
