public import Encodings
public import Ratchet
public import SophaxChat
public import SecureMemory

// What a program is given to deliver, JSON: compact, with sorted names.
//
//   {"distributions":[{"distribution":D,"member":"peerID"}, …],"group":"the group's name","version":1}
//
//   D   the text of `GroupDistribution`, in the order of members

/// A new own chain, for every other member of a group.
public struct GroupRekeying: Sendable {
    /// The chain for one member.
    public struct Part: Sendable {
        /// Whom to give it: seal it in the session with this peer.
        public let member: PeerID
        /// The chain at its position, and its transcript.
        public let distribution: GroupDistribution
    }

    /// The group's id.
    public let group: String
    /// For each other member, in order.
    public let parts: [Part]
    /// How many chains this side has had before.
    public let generation: UInt32
    /// Who is not a member any more.
    public let removed: [PeerID]
    /// Members that were none before, in order.
    public let added: [PeerID]

    /// As JSON. It is secret: who has it and a copy of the messages reads what this side sends.
    public func encoded() -> SecureBytes {
        let name = JSONValue.string(group).encoded
        let head = Array(#"{"distributions":["#.utf8)
        let tail = Array(#"],"group":"#.utf8) + name + Array(#","version":1}"#.utf8)
        let start = Array(#"{"distribution":"#.utf8)
        let ends = parts.indices.map { index in
            Array(#","member":"\#(parts[index].member)"}\#(index + 1 < parts.count ? "," : "")"#.utf8)
        }
        // Each distribution is made twice instead of held: a hundred of them in guarded memory take as many pages.
        let count = zip(parts, ends).reduce(head.count + tail.count) { count, part in
            count + start.count + part.0.distribution.encoded().count + part.1.count
        }
        var buffer = SecureBuffer(capacity: count)
        buffer.append(head.span)
        for (part, end) in zip(parts, ends) {
            buffer.append(start.span)
            buffer.append(part.distribution.encoded())
            buffer.append(end.span)
        }
        buffer.append(tail.span)
        return buffer.finish()
    }
}

extension GroupRecord {
    /// Sets the members, begins another own chain, and gives it to all others. Nothing is sealed with the former chain
    /// any more. Store the record before the result leaves: if that is lost, do this again.
    /// - Parameter members: all members, with this side; 2 at least.
    /// - Throws: `.malformedMembers`, `.numberTooHigh`. Then nothing has changed.
    public mutating func rekey(_ members: [PeerID], at now: Timestamp) throws(GroupError) -> GroupRekeying {
        guard group.session.lastGeneration != .max else { throw .numberTooHigh }
        guard group.sent?.next != .max else { throw .numberTooHigh }
        guard members.count > 1 else { throw .malformedMembers }
        let before = Set(group.members)
        _ = try group.setMembers(members)
        let after = group.members
        group.endChain()
        var parts: [GroupRekeying.Part] = []
        for member in after where member != group.own {
            let distribution = try group.distribution(for: member, at: now)
            parts.append(GroupRekeying.Part(member: member, distribution: distribution))
        }
        return GroupRekeying(
            group: group.name, parts: parts, generation: group.session.lastGeneration ?? 0,
            removed: before.subtracting(after).sorted(), added: Set(after).subtracting(before).sorted())
    }
}
