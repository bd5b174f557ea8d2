/// Whether a call between two goes through a relay (TURN), so that the other side does not learn this device's address.
public enum CallRelay: Equatable, Sendable {
    /// The shortest way, also directly.
    case any
    /// Through a relay only.
    case relayOnly

    /// The rule of the apps: everybody who is not verified gets a relay.
    /// - Parameters:
    ///   - isVerified: whether the contact's key was verified, by scanning it or by a directory of a company.
    ///   - alwaysRelays: the user's setting.
    public init(isVerified: Bool, alwaysRelays: Bool) {
        self = isVerified && !alwaysRelays ? .any : .relayOnly
    }

    /// Whether a candidate may be used or sent.
    public func permits(_ candidate: CallCandidate) -> Bool { self == .any || candidate.isRelayed }
}
