internal import Encodings
public import Threema

/// What a directory says of an identity.
public struct DirectoryEntry: Equatable, Sendable {
    /// The ID that the directory speaks of.
    public let id: ThreemaID
    /// Nil if the directory gives something else, for example a point of low order: do not write to this identity.
    public let publicKey: PublicKey?
    /// What its app can do.
    public let featureMask: FeatureMask
    /// Whether it is in use.
    public let state: IdentityState
    /// Which app it belongs to.
    public let kind: IdentityKind

    init(_ fields: ReplyFields) throws(DirectoryError) {
        guard let id = try? ThreemaID(fields.text("identity")) else { throw .malformed(field: "identity") }
        self.id = id
        publicKey = PublicKey(try fields.base64("publicKey"))
        featureMask = FeatureMask(rawValue: try fields.unsigned("featureMask"))
        state = try IdentityState(fields.unsigned("state"), field: "state")
        kind = IdentityKind(rawValue: try fields.unsigned("type"))
    }
}

/// Whether an identity is in use.
public enum IdentityState: UInt64, Sendable {
    case active = 0
    /// Not used for a long time.
    case inactive = 1
    /// It never existed, or was revoked.
    case invalid = 2

    init(_ number: UInt64, field: String) throws(DirectoryError) {
        guard let state = IdentityState(rawValue: number) else { throw .malformed(field: field) }
        self = state
    }
}

/// Which app an identity belongs to. There may be kinds that are not named here.
public struct IdentityKind: RawRepresentable, Equatable, Sendable {
    /// The number as the directory sends it; it may be one that is not named here.
    public let rawValue: UInt64

    /// Every number is valid.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// An identity of the private app.
    public static let regular = IdentityKind(rawValue: 0)
    /// An identity of the app for companies.
    public static let work = IdentityKind(rawValue: 1)
}

/// What an identity's app can do. There may be bits that are not named here.
public struct FeatureMask: OptionSet, Sendable {
    /// The bits as the directory sends them; some may not be named here.
    public let rawValue: UInt64

    /// Every number is valid.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Voice messages.
    public static let voiceMessages = FeatureMask(rawValue: 0x1)
    /// Groups.
    public static let groups = FeatureMask(rawValue: 0x2)
    /// Polls.
    public static let polls = FeatureMask(rawValue: 0x4)
    /// Files.
    public static let files = FeatureMask(rawValue: 0x8)
    /// Calls between two.
    public static let calls = FeatureMask(rawValue: 0x10)
    /// Video calls between two.
    public static let videoCalls = FeatureMask(rawValue: 0x20)
    /// Forward security.
    public static let forwardSecurity = FeatureMask(rawValue: 0x40)
    /// Group calls.
    public static let groupCalls = FeatureMask(rawValue: 0x80)
    /// Editing of sent messages.
    public static let editing = FeatureMask(rawValue: 0x100)
    /// Deletion of sent messages.
    public static let deletion = FeatureMask(rawValue: 0x200)
    /// Reactions.
    public static let reactions = FeatureMask(rawValue: 0x400)
}
