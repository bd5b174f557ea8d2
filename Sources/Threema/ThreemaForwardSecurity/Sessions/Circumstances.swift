public import Encodings
public import ThreemaMessages

/// What a step depends on besides the sessions: time, random numbers, used nonces, and what this side supports.
public struct Circumstances<Used: UsedNonces, Source: RandomSource> {
    /// The present time.
    public var now: Timestamp
    /// The nonces that this identity has used or received.
    public var used: Used
    /// For keys, IDs and nonces.
    public var random: Source
    /// Whether sessions are used with this contact.
    public var policy: ForwardSecurityPolicy
    /// What this program supports. It begins with 1.0, because the first messages of each session have this version.
    public var supported: VersionRange { didSet { Self.check(supported) } }

    /// The present time and used nonces, with the system's random numbers.
    /// - Parameter supported: begins with 1.0.
    public init(
        now: Timestamp, used: Used, policy: ForwardSecurityPolicy = .enabled, supported: VersionRange = .supported
    ) where Source == SystemRandom {
        self.init(now: now, used: used, random: SystemRandom(), policy: policy, supported: supported)
    }

    /// With given random numbers. For tests only.
    package init(
        now: Timestamp, used: Used, random: Source, policy: ForwardSecurityPolicy = .enabled,
        supported: VersionRange = .supported
    ) {
        self.now = now
        self.used = used
        self.random = random
        self.policy = policy
        Self.check(supported)
        self.supported = supported
    }

    private static func check(_ supported: VersionRange) {
        precondition(supported.minimum == .v1_0, "the supported versions begin with 1.0")
    }
}

/// Whether sessions are used with a contact.
public enum ForwardSecurityPolicy: Sendable {
    case enabled
    /// The user has turned forward security off.
    case disabledHere
    /// The contact's feature mask has no forward security.
    case unsupportedByContact

    /// What an Init is answered with; nil if it is welcome.
    var refusal: TerminateCause? {
        switch self {
        case .enabled: nil
        case .disabledHere: .disabledByLocal
        case .unsupportedByContact: .disabledByRemote
        }
    }
}
