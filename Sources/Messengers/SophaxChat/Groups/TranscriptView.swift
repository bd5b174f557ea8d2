public import Ratchet

/// What this side has seen of a sender's chain, and whether it fits together. It detects a sender who shows members
/// different messages, or withholds some; it cannot prevent that.
public struct TranscriptView: Equatable, Sendable {
    /// What is known of the chain.
    public enum Status: Equatable, Sendable {
        /// All messages up to the newest fit.
        case consistent
        /// These messages are missing.
        case gap(from: UInt32, to: UInt32)
        /// Two members were shown different messages, or a message was changed: tell the user.
        case forked
    }

    /// A member's statement about a chain: the transcript before the message with this number.
    public struct Head: Equatable, Sendable {
        /// Whose chain.
        public let member: PeerID
        /// The chain.
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

    private struct Entry: Equatable, Sendable {
        let previous: [UInt8]
        let hash: [UInt8]
    }

    /// The chain.
    public let chain: ChainID
    /// Number of the first message that has not been received.
    public private(set) var next: UInt32
    private var hash: [UInt8]
    private var ahead: [UInt32: Entry] = [:]
    /// The transcript before each of the last messages.
    private var past: [UInt32: [UInt8]]
    private var isForked = false

    /// A view that begins with a distribution.
    /// - Parameter hash: the transcript before the message with this number, 32 bytes.
    public init(chain: ChainID, next: UInt32, hash: [UInt8]) {
        self.chain = chain
        self.next = next
        self.hash = hash
        past = [next: hash]
    }

    /// The status.
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

    /// Compares with what another member has seen.
    public mutating func compare(_ head: Head) -> Status {
        guard head.chain == chain else { return status }
        if let own = past[head.iteration], own != head.hash { isForked = true }
        if let entry = ahead[head.iteration], entry.previous != head.hash { isForked = true }
        return status
    }
}
