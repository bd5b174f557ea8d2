public import Encodings
public import Primitives
public import SecureMemory

/// A message that was opened, and the session after it.
@frozen
public struct OpenedMessage: ~Copyable, Sendable {
    /// What the closure `body` has returned, in guarded memory.
    public var plaintext: SecureBytes
    /// The session after the message. Store it with the plaintext in one transaction; then it replaces the one that has
    /// opened the message.
    public var next: DoubleRatchet
    /// Whether the message is the first one on its chain to be received: then the session has new keys.
    public var hasTurned: Bool
    /// Messages before it that have not been received; their keys are stored.
    public var skipped: Int
}

extension DoubleRatchet {
    /// Opens a message. The session itself does not change: without `next`, nothing has happened.
    /// - Parameters:
    ///   - header: not authenticated yet, so anybody may have written it.
    ///   - now: skipped keys are stored with this time, and too old ones removed.
    ///   - body: opens the body with the key of its message (32 bytes, or as long as the suite's expansion), and
    ///     authenticates it with the header. It is called once, and after all checks.
    /// - Throws: `RatchetError`, except `.notYetReceived` and `.chainExhausted`. Before `.tooManySkipped` and
    ///   `.numberTooHigh` no key was derived.
    public borrowing func open(
        _ header: ReceivedHeader, at now: Timestamp,
        body: (HeldKey) throws(AuthenticationError) -> SecureBytes
    ) throws(RatchetError) -> OpenedMessage {
        try open(header, at: now, ratchetKey: { HeldKey(Random.secret(X25519.count)) }, body: body)
    }

    /// Opens a message with a given next ratchet key, for tests and vectors only; all else is as above.
    /// - Parameter ratchetKey: makes the next private ratchet key, 32 bytes, random. It is called if a chain begins.
    @_spi(GivenKeys) public borrowing func open(
        _ header: ReceivedHeader, at now: Timestamp, ratchetKey: () -> HeldKey,
        body: (HeldKey) throws(AuthenticationError) -> SecureBytes
    ) throws(RatchetError) -> OpenedMessage {
        var next = state
        next.expire(at: now, suite.limits)
        let place = try next.place(of: header, suite)
        guard place.header.number < KeyChain.endNumber else { throw .numberTooHigh }
        let key: HeldKey
        var skipped = 0
        switch place.index {
        case .some(let index) where next.isReceived(place.header.number, on: index):
            key = try next.takeSkipped(place.header.number, on: index)
        case .some(let index):
            try next.check(skips: [next.skips(place.header.number, on: index)], suite.limits)
            skipped = next.skips(place.header.number, on: index)
            key = next.advance(index, to: place.header.number, at: now)
        case .none:
            skipped = try next.turn(place.header, at: now, suite, ratchetKey)
            key = next.advance(next.receiving.count - 1, to: place.header.number, at: now)
        }
        next.trim(suite.limits)
        let plaintext = try Self.opened(suite.messageKey(key), body)
        return OpenedMessage(
            plaintext: plaintext, next: DoubleRatchet(suite: suite, state: next), hasTurned: place.index == nil,
            skipped: skipped)
    }

    private static func opened(
        _ key: HeldKey, _ body: (HeldKey) throws(AuthenticationError) -> SecureBytes
    ) throws(RatchetError) -> SecureBytes {
        do throws(AuthenticationError) { return try body(key) } catch { throw .notAuthentic }
    }
}

extension RatchetState {
    /// A message's header, and its chain; nil for a chain that is not there yet.
    fileprivate struct Place {
        let header: RatchetHeader
        let index: Int?
    }

    fileprivate func place(of header: ReceivedHeader, _ suite: RatchetSuite) throws(RatchetError) -> Place {
        switch header {
        case .plain(let header):
            guard suite.headerKeys == nil else { throw .unknownHeader }
            return Place(header: header, index: receiving.lastIndex { $0.ratchetKey == header.ratchetKey })
        case .sealed(let open):
            // The current chain comes first, because most messages are on it. A header opens under one key only.
            let current = receiving.indices.last
            if let current, let key = receiving[current].headerKey, let header = open(key) {
                return Place(header: header, index: current)
            }
            if let key = nextReceivingKey, let header = open(key) { return Place(header: header, index: nil) }
            for index in receiving.indices.dropLast().reversed() {
                guard let key = receiving[index].headerKey, let header = open(key) else { continue }
                return Place(header: header, index: index)
            }
            throw .unknownHeader
        }
    }

    /// Whether a message is not ahead on its chain. On a closed chain none is.
    fileprivate func isReceived(_ number: UInt32, on index: Int) -> Bool {
        receiving[index].chain.map { number < $0.next } ?? true
    }

    fileprivate mutating func takeSkipped(_ number: UInt32, on index: Int) throws(RatchetError) -> HeldKey {
        guard let key = receiving[index].skipped.key(number) else { throw .duplicate }
        receiving[index].skipped.remove(number)
        removeEmptyChains()
        return key
    }

    /// How many messages a chain would skip.
    fileprivate func skips(_ number: UInt32, on index: Int) -> Int {
        receiving[index].chain.map { number > $0.next ? Int(number - $0.next) : 0 } ?? 0
    }

    /// Compares what a message skips with the limits, before anything is derived.
    fileprivate func check(skips: [Int], _ limits: RatchetSuite.Limits) throws(RatchetError) {
        // Two numbers of 32 bits: the sum does not overflow.
        let sum = skips.reduce(0, +)
        guard sum <= limits.maxSkipped else { throw .tooManySkipped }
        guard limits.overflow == .removeOldest || storedCount + sum <= limits.maxStored else { throw .tooManySkipped }
    }

    /// Advances a chain behind a message, and stores the keys of those before it.
    /// - Returns: the message's key.
    fileprivate mutating func advance(_ index: Int, to number: UInt32, at now: Timestamp) -> HeldKey {
        let chain = receiving[index].chain!
        if chain.next == number {
            let step = chain.step()
            receiving[index].chain = step.chain
            return step.key
        }
        let walk = chain.walk(to: number + 1)
        walk.store(in: &receiving[index].skipped, from: chain.next, walk.count - 1, at: now)
        receiving[index].chain = walk.chain
        return walk.lastKey
    }

    /// Begins the chains of either direction that the other side's next ratchet key leads to.
    /// - Returns: how many messages were skipped, also on the former chain.
    fileprivate mutating func turn(
        _ header: RatchetHeader, at now: Timestamp, _ suite: RatchetSuite, _ ratchetKey: () -> HeldKey
    ) throws(RatchetError) -> Int {
        guard header.ratchetKey.count == X25519.count else { throw .weakKey }
        let closed = suite.formerChains == .areClosed ? receiving.indices.last : nil
        let skips = [closed.map { self.skips(header.previousCount, on: $0) } ?? 0, Int(header.number)]
        try check(skips: skips, suite.limits)
        if let closed { close(closed, at: header.previousCount, now) }
        try startReceiving(from: header.ratchetKey, suite)
        previousCount = sending?.chain.next ?? 0
        try startSending(with: KeyPair(ratchetKey()), to: header.ratchetKey, suite)
        return skips[0] + skips[1]
    }

    /// Stores the keys up to, and not including, the message `end`, and wipes the chain key.
    private mutating func close(_ index: Int, at end: UInt32, _ now: Timestamp) {
        guard let chain = receiving[index].chain else { return }
        if end > chain.next {
            let walk = chain.walk(to: end)
            walk.store(in: &receiving[index].skipped, from: chain.next, walk.count, at: now)
        }
        receiving[index].chain = nil
        removeEmptyChains()
    }
}
