import Encodings
import Ratchet

/// What a receiver should make of each message, in labels instead of keys: its sender's chains by number.
struct Expectation: Sendable {
    enum Result: Equatable, Sendable { case opened, duplicate, tooManySkipped, refused }

    private struct Chain: Sendable {
        let name: Int
        var next: Int
        var isOpen = true
        var skipped: [Int: Timestamp] = [:]
    }

    private let suite: RatchetSuite
    private var chains: [Chain] = []
    private var newest: Int

    /// - Parameter knowsFirst: whether the first chain is known from the start.
    init(_ suite: RatchetSuite, knowsFirst: Bool) {
        self.suite = suite
        newest = knowsFirst ? 0 : -1
        if knowsFirst { chains = [Chain(name: 0, next: 0)] }
    }

    private var stored: Int { chains.reduce(0) { $0 + $1.skipped.count } }

    private func isWithin(_ gap: Int) -> Bool {
        gap <= suite.limits.maxSkipped
            && (suite.limits.overflow == .removeOldest || stored + gap <= suite.limits.maxStored)
    }

    /// A message on the sender's chain `name`, which has sent `previous` messages on the one before.
    mutating func receive(chain name: Int, previous: Int, number: Int, at now: Timestamp) -> Result {
        var next = self
        let result = next.step(name, previous, number, now)
        if result == .opened { self = next }
        return result
    }

    private mutating func step(_ name: Int, _ previous: Int, _ number: Int, _ now: Timestamp) -> Result {
        for index in chains.indices {
            chains[index].skipped = chains[index].skipped.filter { now - $0.value < suite.limits.maxAge }
        }
        chains.removeAll { !$0.isOpen && $0.skipped.isEmpty }
        if let index = chains.firstIndex(where: { $0.name == name }) {
            if !chains[index].isOpen || number < chains[index].next {
                guard chains[index].skipped.removeValue(forKey: number) != nil else { return .duplicate }
            } else {
                guard isWithin(number - chains[index].next) else { return .tooManySkipped }
                skip(index, to: number, now)
                chains[index].next += 1
            }
        } else if name == newest + 1 {
            let former = suite.formerChains == .areClosed ? chains.indices.last : nil
            let gap = former.map { max(0, previous - chains[$0].next) } ?? 0
            guard isWithin(gap + number) else { return .tooManySkipped }
            if let former {
                skip(former, to: previous, now)
                chains[former].isOpen = false
            }
            chains.append(Chain(name: name, next: 0))
            newest = name
            skip(chains.count - 1, to: number, now)
            chains[chains.count - 1].next += 1
        } else {
            return .refused
        }
        trim()
        return .opened
    }

    private mutating func skip(_ index: Int, to number: Int, _ now: Timestamp) {
        while chains[index].next < number {
            chains[index].skipped[chains[index].next] = now
            chains[index].next += 1
        }
    }

    private mutating func trim() {
        chains.removeAll { !$0.isOpen && $0.skipped.isEmpty }
        if chains.count > suite.limits.maxChains { chains.removeFirst(chains.count - suite.limits.maxChains) }
        for index in chains.indices {
            for number in chains[index].skipped.keys.sorted() where stored > suite.limits.maxStored {
                chains[index].skipped[number] = nil
            }
        }
        chains.removeAll { !$0.isOpen && $0.skipped.isEmpty }
    }
}
