import Encodings
import Primitives
import Ratchet
import SecureMemory

/// One side of the random run. What is on the disk survives a crash; a step writes it in one transaction.
final class Side {
    struct Disk: Sendable {
        /// Of the session.
        var record: [UInt8]
        /// Messages that wait to be sent.
        var outbox: [Sent] = []
        /// Texts of messages that were opened.
        var opened: Set<[UInt8]> = []
    }

    /// A message with what is known of it.
    struct Sent: Sendable {
        let letter: Letter
        let text: [UInt8]
        /// The session it belongs to.
        let session: Int
        /// The sender's chain, by number.
        let chain: Int
        let header: RatchetHeader
        let sent: Timestamp
    }

    let suite: RatchetSuite
    var disk: Disk
    /// In the process's memory: lost in a crash.
    var ratchet: DoubleRatchet
    /// What the other side's messages should do.
    var expectation: Expectation
    /// Ratchet keys of this side's chains, in order.
    var chains: [[UInt8]] = []
    var session = 0

    init(_ suite: RatchetSuite, _ ratchet: consuming DoubleRatchet, isInitiator: Bool) {
        self.suite = suite
        disk = Disk(record: Self.record(ratchet))
        self.ratchet = ratchet
        expectation = Expectation(suite, knowsFirst: isInitiator && suite.start == .sharedChain)
    }

    static func record(_ ratchet: borrowing DoubleRatchet) -> [UInt8] { ratchet.encoded().revealBytes() }

    /// Starts the process again.
    func restart() throws {
        let record = disk.record
        ratchet = try DoubleRatchet(decoding: record.span, suite: suite)
    }

    /// Writes the session to the disk.
    func store() { disk.record = Self.record(ratchet) }

    /// Begins another session.
    func begin(_ ratchet: consuming DoubleRatchet, isInitiator: Bool, session: Int) {
        disk.record = Self.record(ratchet)
        self.ratchet = ratchet
        disk.outbox = []
        expectation = Expectation(suite, knowsFirst: isInitiator && suite.start == .sharedChain)
        chains = []
        self.session = session
    }

    /// The number of the chain with this ratchet key.
    func chain(_ ratchetKey: [UInt8]) -> Int {
        if let index = chains.firstIndex(of: ratchetKey) { return index }
        chains.append(ratchetKey)
        return chains.count - 1
    }
}
