/// Which failures pass by themselves, for all who repeat requests.
extension ConnectionFailure {
    /// Whether the same request may succeed a few seconds later.
    package var isWorthRepeating: Bool {
        switch self {
        case .timeout, .brokenOff, .noNameServer, .proxy(.cutOff): true
        case .unknownHost, .notConnected, .badAnswer, .proxy: false
        }
    }

    /// Whether nobody answered: each further try may take as long.
    var isSilence: Bool {
        switch self {
        case .timeout, .noNameServer: true
        case .unknownHost, .notConnected, .badAnswer, .brokenOff, .proxy: false
        }
    }
}

extension HTTPResponse {
    /// Statuses with which a server, or a proxy before it, says that it cannot answer now.
    package static let passingStatuses: Set = [408, 502, 503, 504]
    /// The same with WebDAV's locks, early data, and an error of the server's own that may last for a moment.
    package static let momentaryStatuses = passingStatuses.union([423, 425, 500])

    /// Whether the same request may succeed later: `momentaryStatuses`, and every other 5xx.
    package static func isTemporary(_ status: Int) -> Bool { momentaryStatuses.contains(status) || status / 100 == 5 }
}
