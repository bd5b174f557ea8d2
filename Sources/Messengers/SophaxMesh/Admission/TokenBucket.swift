internal import Encodings

/// How many events of a kind a peer may cause: so many at once, and refilled continuously.
struct TokenBucket: Equatable, Sendable {
    /// How many, and in which time as many come again.
    struct Rule: Equatable, Sendable {
        /// 1 or more.
        let count: Int
        /// Milliseconds, 1 or more.
        let milliseconds: Int64

        init(_ count: Int, per milliseconds: Int64) {
            self.count = count
            self.milliseconds = milliseconds
        }

        /// 10 in 10 seconds.
        static let typing = Rule(10, per: 10_000)
        /// 20 in 10 seconds.
        static let reaction = Rule(20, per: 10_000)
        /// 20 in 10 seconds.
        static let forward = Rule(20, per: 10_000)
        /// 20 in 10 seconds: messages of a connection that are malformed or forged.
        static let refused = Rule(20, per: 10_000)
    }

    /// How many and how often.
    let rule: Rule
    /// In tokens × milliseconds, so that nothing is rounded.
    private var level: Int64
    private var last: Timestamp

    /// Begins full: `rule.count` events may happen at once.
    init(_ rule: Rule, at now: Timestamp) {
        self.rule = rule
        level = Int64(rule.count) * rule.milliseconds
        last = now
    }

    /// Takes a token.
    /// - Returns: false if there is none: drop the event. A clock that went back refills nothing.
    mutating func take(at now: Timestamp) -> Bool {
        let elapsed = min(max((now - last).milliseconds, 0), rule.milliseconds)
        level = min(level + elapsed * Int64(rule.count), Int64(rule.count) * rule.milliseconds)
        last = now
        guard level >= rule.milliseconds else { return false }
        level -= rule.milliseconds
        return true
    }
}
