public import Encodings
internal import Primitives
public import Ratchet
public import SophaxChat
internal import SecureMemory

extension SophaxGroup {
    /// A message that was opened, and the group after it.
    @frozen
    public struct Opened: ~Copyable, Sendable {
        /// What was sealed.
        public var body: [UInt8]
        /// The attachment.
        public var attachment: [UInt8]?
        /// What the sender's chain looks like now; nil for a message of the old form, which has no transcript.
        public var status: TranscriptView.Status?
        /// Members who have shown the sender of this message something else than this side, as it says; this side itself
        /// if it is said to have sent something else.
        public var forked: [PeerID]
        /// Store it with the body in one transaction.
        public var next: SophaxGroup
    }

    /// Opens a message. The group itself does not change.
    /// - Parameter sender: who has signed the message around it. Another name inside is refused.
    /// - Throws: `.lowerForm` for an old message of a member that has sealed version 3, unless another member is known
    ///   here that has not proved it, or the message was skipped on a former chain of the old form; `.unknownChain` for a message to keep, `.oldGeneration` for one of a
    ///   chain that was replaced before it arrived; `.malformedBody`; what `GroupSession.open` throws.
    public borrowing func open(
        _ message: GroupPayload, from sender: PeerID, at now: Timestamp
    ) throws(GroupError) -> Opened {
        switch message {
        case .version3(let message): return try open(message, from: sender, at: now)
        case .old(let message): return try open(message, from: sender, at: now)
        }
    }

    private borrowing func open(
        _ message: GroupMessage, from sender: PeerID, at now: Timestamp
    ) throws(GroupError) -> Opened {
        let place = message.place
        guard place.sender.matches(sender), place.group == name else { throw .notMember }
        let sender = try self.sender(sender)
        try checkGeneration(place, of: sender)
        var attachment: [UInt8]?
        let opened = try session.open(
            from: Self.member(sender), chain: place.chain, number: place.iteration, at: now
        ) { key throws(AuthenticationError) in
            let parts = try place.open(message.boxes, key: key)
            attachment = parts.attachment
            return SecureBytes(copying: parts.body.span)
        }
        guard let content = GroupContent(parsing: opened.plaintext.revealBytes()) else { throw .malformedBody }
        var views = views
        var status = TranscriptView.Status.consistent
        if views[sender]?.chain == place.chain {
            status = views[sender]!.add(place.iteration, previous: place.previous, message.boxes)
            Self.trim(&views)
        }
        let forked = compare(content.heads, of: sender, &views)
        var result = result(opened, content.body, views, attachment, status, forked)
        result.next.prove(sender, .spoken)
        return result
    }

    /// A chain whose distribution would be refused is not waited for.
    private borrowing func checkGeneration(_ place: GroupPlace, of sender: PeerID) throws(GroupError) {
        guard hasProved(sender) else { return }
        let chains = session.chains(of: Self.member(sender))
        guard let newest = chains.last, place.generation <= newest.generation else { return }
        guard chains.contains(where: { $0.chain == place.chain }) else { throw .oldGeneration }
    }

    private borrowing func open(
        _ message: OldGroupMessage, from sender: PeerID, at now: Timestamp
    ) throws(GroupError) -> Opened {
        guard message.sender.matches(sender), message.group == name else { throw .notMember }
        let sender = try self.sender(sender)
        if proofs.allowsOld(from: sender, members: members, own: own) {
            return try openOld(message, from: sender, at: now)
        }
        do throws(GroupError) { return try openOld(message, from: sender, at: now, isLate: true) } catch {
            throw .lowerForm
        }
    }

    /// - Parameter isLate: the sender has sealed version 3 since.
    private borrowing func openOld(
        _ message: OldGroupMessage, from sender: PeerID, at now: Timestamp, isLate: Bool = false
    ) throws(GroupError) -> Opened {
        var attachment: [UInt8]?
        let opened = try session.open(
            unnamedFrom: Self.member(sender), number: message.iteration, at: now, isLate: isLate
        ) { key throws(AuthenticationError) in
            let parts = try message.boxes.openOld(key: key)
            attachment = parts.attachment
            return SecureBytes(copying: parts.body.span)
        }
        let body = opened.plaintext.revealBytes()
        return result(opened, body, views, attachment, nil, [])
    }

    private borrowing func result(
        _ opened: consuming OpenedGroupMessage, _ body: [UInt8], _ views: [PeerID: TranscriptView],
        _ attachment: [UInt8]?, _ status: TranscriptView.Status?, _ forked: [PeerID]
    ) -> Opened {
        Opened(
            body: body, attachment: attachment, status: status, forked: forked,
            next: SophaxGroup(name, own, opened.next, views, sent, speaksOld: speaksOld, proofs))
    }

    /// Drops hashes until all transcripts fit: of the view that remembers most the oldest one. Only large groups get
    /// there, and then only those with many gaps forget a message behind one.
    static func trim(_ views: inout [PeerID: TranscriptView]) {
        var count = views.values.reduce(0) { $0 + $1.encodedCount }
        while count > maxTranscriptBytes {
            guard let most = views.max(by: { $0.value.encodedCount < $1.value.encodedCount })?.key else { return }
            count -= views[most]!.encodedCount
            if views[most]!.pastCount > 1 { views[most]!.dropOldest() } else { views[most]!.dropFurthest() }
            count += views[most]!.encodedCount
        }
    }

    /// Compares with what another member has seen of the chains, also of the own one.
    /// - Returns: whose chain it has seen otherwise.
    private borrowing func compare(
        _ heads: [TranscriptView.Head], of sender: PeerID, _ views: inout [PeerID: TranscriptView]
    ) -> [PeerID] {
        var forked: Set<PeerID> = []
        for head in heads {
            guard let member = present(head.member) else { continue }
            let isOther =
                member == own ? sent?.contradicts(head) == true : views[member]?.compare(head, of: sender) == true
            if isOther { forked.insert(member) }
        }
        return forked.sorted()
    }

    /// What this side has seen of the others' chains.
    var heads: [TranscriptView.Head] { views.keys.sorted().map { views[$0]!.head(of: $0) } }
}
