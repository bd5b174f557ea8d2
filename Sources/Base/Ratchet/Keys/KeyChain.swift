internal import Encodings
internal import Primitives
internal import SecureMemory

/// A chain of keys, one for each message (The Double Ratchet Algorithm, section 5.2):
///
///     message key    = HMAC-SHA-256(chain key, 01)
///     next chain key = HMAC-SHA-256(chain key, 02)
///
/// The same in the chains of a double ratchet and in those of sender keys.
struct KeyChain: Sendable {
    /// The number that no message may have: the one after it would not fit.
    static let endNumber = UInt32.max

    /// The key of the next message's step, 32 bytes.
    let key: HeldKey
    /// The number of the next message.
    let next: UInt32

    init(key: HeldKey, next: UInt32 = 0) {
        precondition(key.bytes.count == KeyTable.keyCount)
        self.key = key
        self.next = next
    }

    /// Steps, and what they give.
    struct Walk {
        /// 32 bytes for each message from the former `next` on, then the chain key.
        fileprivate let keys: HeldKey
        /// How many messages.
        let count: Int
        /// The chain behind them.
        let chain: KeyChain

        /// The last message's key.
        var lastKey: HeldKey {
            keys.bytes.withBytes { HeldKey($0.extracting((count - 1) * KeyTable.keyCount..<count * KeyTable.keyCount)) }
        }

        /// Stores the keys before the last message.
        func store(in table: inout KeyTable, from first: UInt32, _ number: Int, at now: Timestamp) {
            keys.bytes.withBytes { table.append($0.extracting(0..<number * KeyTable.keyCount), from: first, at: now) }
        }
    }

    /// A message's key, and the chain behind it.
    struct Step {
        let key: HeldKey
        let chain: KeyChain
    }

    /// Derives the key of the next message, as `walk` does, with less guarded memory.
    func step() -> Step {
        let (output, following): ([UInt8], [UInt8]) = ([1], [2])
        return key.bytes.withBytes { key in
            Step(
                key: HeldKey(HMACSHA256.derive(output.span, key: key, life: .brief)),
                chain: KeyChain(
                    key: HeldKey(HMACSHA256.derive(following.span, key: key, life: .brief)), next: next + 1))
        }
    }

    /// Derives the keys of the messages up to, and not including, `end`. The caller has checked the number of steps.
    func walk(to end: UInt32) -> Walk {
        precondition(end >= next)
        let count = Int(end - next)
        let keys = HeldKey(HMACSHA256.walkChain(key.bytes, steps: count, output: 1, next: 2))
        let last = count * KeyTable.keyCount
        let chainKey = keys.bytes.withBytes { HeldKey($0.extracting(last..<last + KeyTable.keyCount)) }
        return Walk(keys: keys, count: count, chain: KeyChain(key: chainKey, next: end))
    }
}
