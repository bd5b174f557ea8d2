public import Ratchet
public import SophaxChat

/// What this side has seen of a sender's chain, and whether it fits together. It detects a sender who shows members
/// different messages, or withholds some; it cannot prevent that.
public struct TranscriptView: Equatable, Sendable {
    /// What is known of the chain.
    public enum Status: Equatable, Sendable {
        /// All messages up to the newest fit.
        case consistent
        /// These messages are missing.
        case gap(from: UInt32, to: UInt32)
        /// The messages received here do not fit together: the sender has shown members different ones, or one was
        /// changed. Tell the user.
        case forked
    }

    /// A member's statement about a chain: the transcript before the message with this number.
    public struct Head: Equatable, Sendable {
        /// The member that sends on the chain.
        public let member: PeerID
        /// The name of the chain.
        public let chain: ChainID
        /// Number of the next message.
        public let iteration: UInt32
        /// 32 bytes.
        public let hash: [UInt8]

        /// All values are compared and not trusted.
        public init(member: PeerID, chain: ChainID, iteration: UInt32, hash: [UInt8]) {
            self.member = member
            self.chain = chain
            self.iteration = iteration
            self.hash = hash
        }
    }

    /// Hashes that are remembered for comparison with heads, and messages ahead of a gap.
    public static let remembered = 1000

    /// A message behind a gap: the transcript before and after it, 32 bytes each.
    struct Entry: Equatable, Sendable {
        let previous: [UInt8]
        let hash: [UInt8]
    }

    /// The name of the chain that is followed.
    public let chain: ChainID
    /// Number of the first message that has not been received.
    public private(set) var next: UInt32
    private var hash: [UInt8]
    /// Messages behind `next`, by number.
    private(set) var ahead: [UInt32: Entry] = [:]
    /// The transcript before each of the last messages, up to `next`, without a gap.
    private var past: [UInt32: [UInt8]]
    private(set) var isForked = false
    /// The first member that claims to have seen other messages of the chain; nil if none does. Nothing proves it.
    public private(set) var claimant: PeerID?

    /// A view that begins with a distribution.
    /// - Parameter hash: the transcript before the message with this number, 32 bytes.
    public init(chain: ChainID, next: UInt32, hash: [UInt8]) {
        self.chain = chain
        self.next = next
        self.hash = hash
        past = [next: hash]
    }

    /// The view that a record has. The caller has checked it.
    /// - Parameters:
    ///   - past: 1 to 1000 hashes, at most `next` + 1; the last one is the transcript before `next`.
    ///   - ahead: numbers above `next`, at most 1000.
    init(
        chain: ChainID, next: UInt32, past: [[UInt8]], ahead: [UInt32: Entry], isForked: Bool, claimant: PeerID?
    ) {
        self.init(chain: chain, next: next, hash: past[past.count - 1])
        for (distance, hash) in past.reversed().enumerated() { self.past[next - UInt32(distance)] = hash }
        self.ahead = ahead
        self.isForked = isForked
        self.claimant = claimant
    }

    /// The hashes that are remembered, from the oldest to that before `next`; 1 to 1000.
    var pastHashes: [[UInt8]] { (0..<past.count).reversed().map { past[next - UInt32($0)]! } }

    /// How many hashes are remembered.
    var pastCount: Int { past.count }

    /// Bytes of what is remembered: 32 for a hash, 68 for a message behind a gap.
    var encodedCount: Int { 32 * past.count + 68 * ahead.count }

    /// Drops the oldest hash. Statements about that place are not compared any more.
    mutating func dropOldest() {
        guard past.count > 1 else { return }
        past[next - UInt32(past.count - 1)] = nil
    }

    /// Drops the message that is furthest ahead, as if it had not been added.
    mutating func dropFurthest() {
        if let furthest = ahead.keys.max() { ahead[furthest] = nil }
    }

    /// Whether all messages so far fit together, some are missing, or the sender has told members different things.
    public var status: Status {
        if isForked { return .forked }
        guard let lowest = ahead.keys.min() else { return .consistent }
        return .gap(from: next, to: lowest - 1)
    }

    /// The statement to send with a message of one's own.
    public func head(of member: PeerID) -> Head { Head(member: member, chain: chain, iteration: next, hash: hash) }

    /// Adds a message that was opened.
    /// - Returns: the status after it.
    public mutating func add(_ iteration: UInt32, previous: [UInt8], _ boxes: GroupBoxes) -> Status {
        guard iteration >= next else { return status }
        guard ahead.count < Self.remembered || iteration == next else { return status }
        let entry = Entry(previous: previous, hash: Transcript.next(previous, boxes))
        if let known = ahead[iteration], known != entry { isForked = true }
        ahead[iteration] = ahead[iteration] ?? entry
        while let entry = ahead.removeValue(forKey: next) {
            if entry.previous != hash { isForked = true }
            hash = entry.hash
            next += 1
            past[next] = hash
            if next >= UInt32(Self.remembered) { past[next - UInt32(Self.remembered)] = nil }
        }
        return status
    }

    /// Whether another member claims to have seen other messages.
    func contradicts(_ head: Head) -> Bool {
        guard head.chain == chain else { return false }
        if let own = past[head.iteration], own != head.hash { return true }
        return ahead[head.iteration].map { $0.previous != head.hash } ?? false
    }

    /// Compares with what another member claims to have seen. The status stays as it is: any member may claim anything.
    /// - Returns: whether it has seen other messages, as it says.
    public mutating func compare(_ head: Head, of member: PeerID) -> Bool {
        guard contradicts(head) else { return false }
        claimant = claimant ?? member
        return true
    }
}
