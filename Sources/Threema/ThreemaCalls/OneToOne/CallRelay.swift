/// Whether a call between two goes through a relay (TURN), so that the other side does not learn this device's address.
public enum CallRelay: Equatable, Sendable {
    /// The shortest way, also directly.
    case any
    /// Through a relay only.
    case relayOnly

    /// How the key of the other side was verified.
    public enum Contact: Sendable {
        /// By scanning it, or by a directory of a company.
        case verified
        case unverified
    }

    /// The user's setting.
    public enum Setting: Sendable {
        case alwaysRelay
        case relayForUnverified
    }

    /// The rule of the apps: everybody who is not verified gets a relay.
    public init(for contact: Contact, _ setting: Setting) {
        switch (contact, setting) {
        case (.verified, .relayForUnverified): self = .any
        case (.verified, .alwaysRelay), (.unverified, _): self = .relayOnly
        }
    }

    /// Whether a candidate may be used or sent.
    public func permits(_ candidate: CallCandidate) -> Bool { self == .any || candidate.isRelayed }
}
