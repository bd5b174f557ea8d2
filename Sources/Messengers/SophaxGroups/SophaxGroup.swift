public import Encodings
internal import Primitives
public import Ratchet
public import SophaxChat
internal import SecureMemory

extension GroupLimits {
    /// SophaxChat's: 100 members, 100 messages ahead, 1000 stored keys for 7 days, a new chain after 500 messages or 7
    /// days.
    public static let sophaxChat = GroupLimits(
        maxMembers: 100, maxSkipped: 100, maxStored: 1000, maxAge: .days(7), maxSent: 500, maxChainAge: .days(7),
        openChains: 1)
}

/// One side of a group, version 3: chains by `GroupSession`, and what binds messages to their places. It is a value
/// without I/O; store it as a `GroupRecord` in one transaction with what a step has made.
public struct SophaxGroup: ~Copyable, Sendable {
    /// Most bytes of the others' transcripts: 32 for a hash, 68 for a message behind a gap. So a stored group fits a
    /// value of a session store.
    public static let maxTranscriptBytes = 800_000
    /// The group's name.
    public let name: String
    /// The chains.
    public private(set) var session: GroupSession
    /// The transcripts of the others' chains that are open.
    public private(set) var views: [PeerID: TranscriptView]
    /// This side.
    public let own: PeerID
    /// The transcript of the last own chain, which may have ended.
    private(set) var sent: TranscriptView?

    /// A group without chains.
    /// - Parameter members: all members, with this side; 100 at most.
    /// - Throws: `.malformedMembers`, also for a name that is empty or longer than 255 bytes.
    public init(_ name: String, own: PeerID, members: [PeerID]) throws(GroupError) {
        guard (1...GroupPlace.maxGroup).contains(name.utf8.count) else { throw .malformedMembers }
        self.init(
            name, own, try GroupSession(Self.member(own), members: members.map(Self.member), limits: .sophaxChat), [:],
            nil)
    }

    /// - Parameters:
    ///   - views: one for each member with chains, of its newest one.
    ///   - sent: that of the own chain, if there is one.
    init(
        _ name: String, _ own: PeerID, _ session: consuming GroupSession, _ views: [PeerID: TranscriptView],
        _ sent: TranscriptView?
    ) {
        self.name = name
        self.own = own
        self.session = session
        self.views = views
        self.sent = sent
    }

    package static func member(_ id: PeerID) -> GroupMember { GroupMember(id.bytes)! }

    /// Sets the members. If one is gone, nothing is sealed before the others have been given another chain.
    public mutating func setMembers(_ members: [PeerID]) throws(GroupError) -> GroupSession.MembershipChange {
        let change = try session.setMembers(members.map(Self.member))
        for id in views.keys where !members.contains(id) { views[id] = nil }
        return change
    }

    /// The own chain for a member: seal it in the session with it, and store both.
    /// - Parameter first: number of the first message, if a chain begins.
    public mutating func distribution(
        for id: PeerID, at now: Timestamp, first: UInt32 = 0
    ) throws(GroupError) -> GroupDistribution {
        try distribution(for: id, at: now, first: first) {
            (id: Random.bytes(ChainID.count), key: HeldKey(Random.secret(32)))
        }
    }

    /// - Parameter draw: makes ID, 16 bytes, and key, 32 bytes, of a chain that begins.
    package mutating func distribution(
        for id: PeerID, at now: Timestamp, first: UInt32 = 0, draw: () -> (id: [UInt8], key: HeldKey)
    ) throws(GroupError) -> GroupDistribution {
        let chain = try session.distribution(for: Self.member(id), at: now, first: first, draw: draw)
        if sent?.chain != chain.chain {
            sent = TranscriptView(chain: chain.chain, next: chain.number, hash: Transcript.start(chain.chain))
        }
        return GroupDistribution(group: name, chain: chain, transcript: sent!.head(of: own).hash)
    }

    /// Ends the own chain, as a copied or restored group has to. Nothing is sealed before another one was given to all.
    public mutating func endChain() { session.endChain() }

    /// Accepts a chain from its sender.
    /// - Parameter sender: whose session of two it has come in.
    public mutating func accept(
        _ distribution: GroupDistribution, from sender: PeerID, at now: Timestamp
    ) throws(GroupError) -> DistributionResult {
        guard distribution.group == name, distribution.transcript.count == SHA256.count else {
            throw .malformedDistribution
        }
        let result = try session.accept(distribution.chain, from: Self.member(sender), at: now)
        if result == .stored {
            views[sender] = TranscriptView(
                chain: distribution.chain.chain, next: distribution.chain.number, hash: distribution.transcript)
            Self.trim(&views)
        }
        return result
    }

    /// Seals a message. Store the group before it leaves; sign it as a message of kind `groupMessage`.
    /// - Throws: `.rekeyPending` with those who have to be given the chain first.
    public mutating func seal(
        _ body: [UInt8], attachment: [UInt8]? = nil, id: String, at now: Timestamp
    ) throws(GroupError) -> GroupMessage {
        let keys = try session.seal(at: now)
        let place = GroupPlace(
            group: name, sender: own, chain: keys.chain, generation: keys.generation, iteration: keys.number,
            previous: sent!.head(of: own).hash)!
        let boxes = place.seal(body, attachment: attachment, key: keys.messageKey)
        _ = sent!.add(keys.number, previous: place.previous, boxes)
        return GroupMessage(place: place, id: id, time: AppTime(now), boxes: boxes)
    }

    /// A message that was opened, and the group after it.
    @frozen
    public struct Opened: ~Copyable, Sendable {
        /// What was sealed.
        public var body: [UInt8]
        /// The attachment.
        public var attachment: [UInt8]?
        /// What the sender's chain looks like now.
        public var status: TranscriptView.Status
        /// Store it with the body in one transaction.
        public var next: SophaxGroup
    }

    /// Opens a message. The group itself does not change.
    /// - Parameter sender: who has signed the message around it. Another name inside is refused.
    public borrowing func open(
        _ message: GroupMessage, from sender: PeerID, at now: Timestamp
    ) throws(GroupError) -> Opened {
        let place = message.place
        guard place.sender == sender, place.group == name else { throw .notMember }
        var attachment: [UInt8]?
        let opened = try session.open(
            from: Self.member(sender), chain: place.chain, number: place.iteration, at: now
        ) { key throws(AuthenticationError) in
            let parts = try place.open(message.boxes, key: key)
            attachment = parts.attachment
            return SecureBytes(copying: parts.body.span)
        }
        var views = views
        var status = TranscriptView.Status.consistent
        if views[sender]?.chain == place.chain {
            status = views[sender]!.add(place.iteration, previous: place.previous, message.boxes)
            Self.trim(&views)
        }
        return Self.result(opened, name, own, views, sent, attachment, status)
    }

    private static func result(
        _ opened: consuming OpenedGroupMessage, _ name: String, _ own: PeerID, _ views: [PeerID: TranscriptView],
        _ sent: TranscriptView?, _ attachment: [UInt8]?, _ status: TranscriptView.Status
    ) -> Opened {
        let body = opened.plaintext.revealBytes()
        return Opened(
            body: body, attachment: attachment, status: status,
            next: SophaxGroup(name, own, opened.next, views, sent))
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

    /// Compares with what a member has seen of another one's chain.
    /// - Returns: `.forked` if they were shown different messages.
    public mutating func compare(_ head: TranscriptView.Head) -> TranscriptView.Status? {
        views[head.member]?.compare(head)
    }

    /// What this side has seen of the others' chains: to send inside of a message.
    public var heads: [TranscriptView.Head] { views.keys.sorted().map { views[$0]!.head(of: $0) } }
}
