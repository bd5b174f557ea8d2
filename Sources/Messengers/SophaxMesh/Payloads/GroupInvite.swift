internal import Encodings
public import Ratchet
public import SecureMemory
public import SophaxChat
internal import SophaxGroups

// The plain text of a message between two that invites to a group, JSON:
//
//   groupID          the group's name, 1 to 255 bytes
//   groupName        what members call it, up to 256 bytes
//   memberIDs        names of all members, 1 to 100
//   creatorID        who has made the group; a claim
//   senderChainKey   Base64 of 32 bytes: the sender's chain, in the old form
//   senderIteration  number of the first message that the key opens
//
// Later apps mark groups of another protocol (Messaging Layer Security) by `mls`. They are refused.

/// Why an invitation is refused.
public enum GroupInviteError: Error, Equatable, Sendable {
    /// Not an invitation, or a wrong field.
    case malformed
    /// The group is marked `mls`: it speaks another protocol, which is not supported.
    case unsupported
}

/// An invitation to a group, with the sender's chain in the old form.
public struct GroupInvite: Sendable {
    /// Longest text in bytes.
    public static let maxCount = 8192
    /// Most members of a group, with the creator.
    public static let maxMembers = GroupLimits.sophaxChat.maxMembers
    /// Longest name for members in bytes.
    public static let maxTitle = 256
    private static let key = "senderChainKey"

    /// The group's id, 1 to 255 bytes. It is not what members call the group.
    public let group: String
    /// What members call the group.
    public let title: String
    /// All members, each once, at most `maxMembers`; a claim of the sender.
    public let members: [PeerID]
    /// Who has made the group; a claim.
    public let creator: PeerID
    /// The sender's chain key, 32 bytes.
    public let chainKey: HeldKey
    /// Number of the first message that the key opens.
    public let iteration: UInt32

    /// - Returns: nil for a length or a number of members that an invitation cannot have.
    public init?(
        group: String, title: String, members: [PeerID], creator: PeerID, chainKey: HeldKey, iteration: UInt32
    ) {
        guard (1...GroupPlace.maxGroup).contains(group.utf8.count), title.utf8.count <= Self.maxTitle,
            (1...Self.maxMembers).contains(members.count), Set(members).count == members.count,
            chainKey.bytes.count == ChainKeyText.count
        else { return nil }
        self.group = group
        self.title = title
        self.members = members
        self.creator = creator
        self.chainKey = chainKey
        self.iteration = iteration
    }

    /// Reads an invitation. Whether sender and reader are members is for the caller to compare.
    /// - Throws: `.malformed`, also for a text of more than 8192 bytes; `.unsupported`.
    public init(parsing text: Span<UInt8>) throws(GroupInviteError) {
        guard text.count <= Self.maxCount else { throw .malformed }
        let value: JSONValue
        let place: Range<Int>?
        do throws(FieldError) { (value, place) = try ChainKeyText.cut(text, Self.key) } catch { throw .malformed }
        if value.isMLS { throw .unsupported }
        do throws(FieldError) {
            let fields = try Fields(value)
            guard let place,
                let read = GroupInvite(
                    group: try fields.text("groupID", 1...GroupPlace.maxGroup),
                    title: try fields.text("groupName", 0...Self.maxTitle), members: try fields.peers("memberIDs"),
                    creator: try fields.peer("creatorID"),
                    chainKey: try ChainKeyText.key(at: place, in: text, Self.key),
                    iteration: try fields.integer("senderIteration", as: UInt32.self))
            else { throw .malformed }
            self = read
        } catch {
            throw .malformed
        }
    }

    /// As JSON: compact, with sorted names. It is secret: seal it in the session with the member.
    public func encoded() -> SecureBytes {
        ChainKeyText.encoded(
            [
                ("groupID", .string(group)), ("groupName", .string(title)), ("memberIDs", .peers(members)),
                ("creatorID", .string(creator.description)), ("senderIteration", .number(iteration)),
            ], Self.key, chainKey)
    }
}

/// The payload of a message of kind `groupMemberLeft`: {groupID, leavingPeerID, remainingMemberIDs}.
public struct GroupMemberLeft: Equatable, Sendable {
    /// Longest text in bytes.
    public static let maxCount = 8192
    /// The group's name, 1 to 255 bytes.
    public let group: String
    /// The member that has left. Believe it only if it is the one who has signed the message.
    public let leaving: PeerID
    /// The other members as the sender knows them, 99 at most; a claim. Remove only who has left.
    public let remaining: [PeerID]

    /// - Returns: nil for a wrong length, a member that stands twice, and a list with the one who has left.
    public init?(group: String, leaving: PeerID, remaining: [PeerID]) {
        guard (1...GroupPlace.maxGroup).contains(group.utf8.count), remaining.count < GroupInvite.maxMembers,
            Set(remaining + [leaving]).count == remaining.count + 1
        else { return nil }
        self.group = group
        self.leaving = leaving
        self.remaining = remaining
    }

    /// Reads a payload.
    /// - Returns: nil if it is malformed.
    public init?(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.maxCount, let fields = try? Fields(bytes),
            let group = try? fields.text("groupID"), let leaving = try? fields.peer("leavingPeerID"),
            let remaining = try? fields.peers("remainingMemberIDs")
        else { return nil }
        self.init(group: group, leaving: leaving, remaining: remaining)
    }

    /// Whether the one who has left says so. Believe nobody else.
    /// - Parameter sender: who has signed the message, as `WireGate.admit` has returned.
    public func isSaid(by sender: PublicIdentity) -> Bool { sender.has(leaving) }

    /// As JSON: compact, with sorted names.
    public var encoded: [UInt8] {
        Fields.object([
            ("groupID", .string(group)), ("leavingPeerID", .string(leaving.description)),
            ("remainingMemberIDs", .peers(remaining)),
        ])
    }
}

extension Fields {
    fileprivate func peers(_ name: String) throws(FieldError) -> [PeerID] {
        guard let values = value[name]?.array, values.count <= GroupInvite.maxMembers else { throw .field(name) }
        var peers: [PeerID] = []
        for value in values {
            guard let id = value.string.flatMap({ PeerID($0) }) else { throw .field(name) }
            peers.append(id)
        }
        return peers
    }
}

extension JSONValue {
    fileprivate static func peers(_ peers: [PeerID]) -> JSONValue { .array(peers.map { .string($0.description) }) }

    /// Whether a group is marked as one of Messaging Layer Security.
    fileprivate var isMLS: Bool {
        switch self["mls"] {
        case nil, .null, .bool(false): false
        default: true
        }
    }
}
