package import Encodings
public import Threema

/// What one member knows of a group. No server knows it: each member has its own copy.
public struct Group: Equatable, Sendable {
    /// Whether messages go to and come from this group.
    public enum Standing: Equatable, Sendable {
        /// The user is in it.
        case member
        /// The user has left, or was removed, or the creator has disbanded it.
        case left
    }

    /// The creator's ID and the group's ID, which name the group together.
    public let identity: GroupIdentity
    /// The others, with the creator, without the user; sorted, each once. None in a group for notes.
    public internal(set) var others: [ThreemaID]
    /// Empty until the creator has sent one.
    public internal(set) var name: String
    /// Nil if the group has none.
    public internal(set) var picture: UploadedPicture?
    /// Whether the user is in it.
    public internal(set) var standing: Standing

    /// Puts the parts together, for example from a store.
    public init(
        identity: GroupIdentity, others: [ThreemaID], name: String = "", picture: UploadedPicture? = nil,
        standing: Standing = .member
    ) {
        self.identity = identity
        self.others = Self.sorted(others)
        self.name = name
        self.picture = picture
        self.standing = standing
    }

    static func sorted(_ members: some Sequence<ThreemaID>) -> [ThreemaID] {
        Set(members).sorted { $0.text < $1.text }
    }
}

/// How often a group's creator is asked for its state.
package enum GroupSync {
    /// After a request no other one is sent for so long.
    package static let pause = Duration.hours(1)

    /// - Parameter last: when this group's creator was asked last; nil for never.
    package static func isDue(last: Timestamp?, now: Timestamp) -> Bool {
        guard let last else { return true }
        // A clock that was set back must not forbid requests forever.
        return now < last || now - last >= pause
    }
}
