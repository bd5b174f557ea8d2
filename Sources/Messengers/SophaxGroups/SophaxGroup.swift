public import Encodings
internal import Primitives
public import Ratchet
public import SophaxChat
internal import SecureMemory

extension GroupLimits {
    /// SophaxChat's: 100 members, 100 messages ahead, 1000 stored keys for 7 days, a new chain after 500 messages or 7
    /// days. Of a sender whose chains have no names three are open; of others the newest one.
    public static let sophaxChat = GroupLimits(
        maxMembers: 100, maxSkipped: 100, maxStored: 1000, maxAge: .days(7), maxSent: 500, maxChainAge: .days(7),
        openChains: 3)
}

/// One side of a group: chains by `GroupSession`, who has proved version 3, and what binds its messages to their places.
/// It is a value without I/O; store it as a `GroupRecord` in one transaction with what a step has made.
///
/// A chain speaks one form. If the form of the group changes, the own chain is replaced before the next message.
public struct SophaxGroup: ~Copyable, Sendable {
    /// Most bytes of the others' transcripts: 32 for a hash, 68 for a message behind a gap. So a stored group fits a
    /// value of a session store.
    public static let maxTranscriptBytes = 800_000
    /// The group's id, which messages name it by.
    public let name: String
    /// The chains of all members, and who is one.
    public private(set) var session: GroupSession
    /// The transcripts of the others' chains of version 3 that are open.
    public private(set) var views: [PeerID: TranscriptView]
    /// The member that this side is.
    public let own: PeerID
    /// The transcript of the last own chain, which may have ended.
    private(set) var sent: TranscriptView?
    /// Whether the last own chain has sealed messages of the old form.
    private(set) var speaksOld: Bool
    /// Who has proved version 3.
    private(set) var proofs: ProvedForms

    /// A group without chains.
    /// - Parameter members: all members, with this side; 100 at most.
    /// - Throws: `.malformedMembers`, also for a name that is empty or longer than 255 bytes.
    public init(_ name: String, own: PeerID, members: [PeerID]) throws(GroupError) {
        guard (1...GroupPlace.maxGroup).contains(name.utf8.count) else { throw .malformedMembers }
        self.init(
            name, own, try GroupSession(Self.member(own), members: members.map(Self.member), limits: .sophaxChat), [:],
            nil, speaksOld: false, ProvedForms())
    }

    /// - Parameters:
    ///   - views: one for each member with chains of version 3, of its newest one.
    ///   - sent: that of the own chain, if there is one.
    init(
        _ name: String, _ own: PeerID, _ session: consuming GroupSession, _ views: [PeerID: TranscriptView],
        _ sent: TranscriptView?, speaksOld: Bool, _ proofs: ProvedForms
    ) {
        self.name = name
        self.own = own
        self.session = session
        self.views = views
        self.sent = sent
        self.speaksOld = speaksOld
        self.proofs = proofs
    }

    package static func member(_ id: PeerID) -> GroupMember { GroupMember(id.bytes)! }

    /// Sets the members. If one is gone, nothing is sealed before the others have been given another chain. A present
    /// member may be named by its short or its long ID.
    public mutating func setMembers(_ members: [PeerID]) throws(GroupError) -> GroupSession.MembershipChange {
        let named = members.map { present($0) ?? $0 }
        let change = try session.setMembers(named.map(Self.member))
        for id in views.keys where !named.contains(id) { views[id] = nil }
        return change
    }

    /// The member with this name, as this side names it: messages and peers may use either length.
    /// - Returns: nil if there is none, or if several have a name that begins so.
    func present(_ name: PeerID) -> PeerID? {
        let members = members
        if members.contains(name) { return name }
        let found = members.filter { $0.matches(name) }
        return found.count == 1 ? found[0] : nil
    }

    func sender(_ name: PeerID) throws(GroupError) -> PeerID {
        guard let member = present(name), member != own else { throw .notMember }
        return member
    }

    /// Which form of messages is sealed now, and because of whom.
    public var form: GroupForm { proofs.form(of: members, own: own) }

    /// Whether a member has proved version 3.
    public func hasProved(_ member: PeerID) -> Bool { proofs.contains(present(member) ?? member) }

    /// Remembers that a member has proved version 3.
    mutating func prove(_ member: PeerID, _ proof: ProvedForms.Proof) {
        let members = members
        if members.contains(member) { proofs.insert(member, proof, members: members) }
    }

    /// Whether the own chain has sealed messages of the form that the group does not speak now.
    private var isOtherForm: Bool {
        guard let chain = session.ownChain, chain.next > chain.first else { return false }
        return speaksOld == (form == .version3)
    }

    /// Members that have to be given the own chain before anything is sealed: all of them if there is none, if it is
    /// too old or has sealed too much, or if the form of the group has changed since.
    public borrowing func pending(at now: Timestamp) -> [PeerID] {
        isOtherForm ? members.filter { $0 != own } : session.pending(at: now).map(Self.peer)
    }

    /// The own chain for a member: seal it in the session with it, and store both. Members of the old form read it, too.
    ///
    /// A chain that begins goes on at the number at which the former one stands: apps of the old form refuse a lower one,
    /// also after their user was not a member for a while.
    /// - Throws: `.notMember`, `.numberTooHigh`. Then nothing has changed.
    public mutating func distribution(for id: PeerID, at now: Timestamp) throws(GroupError) -> GroupDistribution {
        try distribution(for: id, at: now, first: sent?.next ?? 0) {
            (id: Random.bytes(ChainID.count), key: HeldKey(Random.secret(32)))
        }
    }

    /// - Parameters:
    ///   - first: number of the first message, if a chain begins.
    ///   - draw: makes ID, 16 bytes, and key, 32 bytes, of a chain that begins.
    package mutating func distribution(
        for id: PeerID, at now: Timestamp, first: UInt32, draw: () -> (id: [UInt8], key: HeldKey)
    ) throws(GroupError) -> GroupDistribution {
        let id = try sender(id)
        if isOtherForm {
            guard first < .max, session.lastGeneration != .max else { throw .numberTooHigh }
            session.endChain()
        }
        let chain = try session.distribution(for: Self.member(id), at: now, first: first, draw: draw)
        if sent?.chain != chain.chain {
            sent = TranscriptView(chain: chain.chain, next: chain.number, hash: Transcript.start(chain.chain))
            speaksOld = false
        }
        return GroupDistribution(group: name, chain: chain, transcript: sent!.head(of: own).hash)
    }

    /// Ends the own chain, as a copied or restored group has to. Nothing is sealed before another one was given to all.
    public mutating func endChain() { session.endChain() }

    /// Accepts a chain from its sender, in either form. If it is stored, open what is kept of its sender: its chain, and
    /// `GroupPayload.unnamedChain`.
    /// - Parameter sender: whose session of two it has come in.
    /// - Throws: `.lowerForm` for an old one of a member that has proved version 3, `.notMember`, `.oldGeneration`,
    ///   `.numberTooHigh`, `.malformedDistribution`. Then nothing has changed.
    public mutating func accept(
        _ distribution: SenderKeyDistribution, from sender: PeerID, at now: Timestamp
    ) throws(GroupError) -> DistributionResult {
        switch distribution {
        case .version3(let distribution):
            return try accept(distribution, from: sender, at: now)
        case .old(let group, let key, let iteration):
            let sender = try self.sender(sender)
            guard group == name else { throw .malformedDistribution }
            guard !proofs.contains(sender) else { throw .lowerForm }
            return try session.accept(unnamed: key, number: iteration, from: Self.member(sender), at: now)
        }
    }

    /// Accepts a chain of version 3 from its sender, who has proved version 3 by it: chains that it gave before are
    /// closed. One that it has given in the old form, as an invitation does, gets its name and stays where it stands.
    /// - Parameter sender: whose session of two it has come in.
    public mutating func accept(
        _ distribution: GroupDistribution, from sender: PeerID, at now: Timestamp
    ) throws(GroupError) -> DistributionResult {
        guard distribution.group == name, distribution.transcript.count == SHA256.count else {
            throw .malformedDistribution
        }
        let sender = try self.sender(sender)
        let result = try session.accept(
            distribution.chain, from: Self.member(sender), at: now,
            former: proofs.contains(sender) ? .closed : .unnamed)
        if result == .stored {
            views[sender] = TranscriptView(
                chain: distribution.chain.chain, next: distribution.chain.number, hash: distribution.transcript)
            Self.trim(&views)
            prove(sender, .given)
        }
        return result
    }

    /// Seals a message in the form that every member reads. Store the group before it leaves; sign it as a message of
    /// kind `groupMessage`. Version 3 takes along what this side has seen of the others' chains. The longest body with the
    /// longest attachment fits a frame to a neighbour, and no relay (`Relay.maxPayload` of the library SophaxMesh).
    /// - Throws: `.rekeyPending` with those who have to be given the chain first; `.malformedBody` for a body of more
    ///   than 1 MiB, an attachment of more than 512 KiB or a name of a message that has not 1 to 64 bytes. Then nothing
    ///   has changed.
    public mutating func seal(
        _ body: [UInt8], attachment: [UInt8]? = nil, id: String, details: GroupMessageDetails = GroupMessageDetails(),
        at now: Timestamp
    ) throws(GroupError) -> GroupPayload {
        guard body.count <= GroupBoxes.maxBody, (attachment?.count ?? 0) <= GroupBoxes.maxAttachment,
            GroupMessageDetails.ids.contains(id.utf8.count)
        else { throw .malformedBody }
        guard !isOtherForm else { throw .rekeyPending(pending(at: now).map(Self.member)) }
        let keys = try session.seal(at: now)
        speaksOld = form != .version3
        let place = GroupPlace(
            group: name, sender: own, chain: keys.chain, generation: keys.generation, iteration: keys.number,
            previous: sent!.head(of: own).hash)!
        let boxes =
            speaksOld
            ? GroupBoxes.sealOld(body, attachment: attachment, key: keys.messageKey)
            : place.seal(
                GroupContent(body: body, heads: heads).encoded, attachment: attachment, key: keys.messageKey)
        _ = sent!.add(keys.number, previous: place.previous, boxes)
        guard speaksOld else {
            return .version3(GroupMessage(place: place, id: id, time: AppTime(now), details: details, boxes: boxes))
        }
        return .old(
            OldGroupMessage(
                group: name, sender: own, iteration: keys.number, id: id, time: AppTime(now), details: details,
                boxes: boxes))
    }
}
