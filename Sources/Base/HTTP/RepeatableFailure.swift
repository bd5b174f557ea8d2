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
}
