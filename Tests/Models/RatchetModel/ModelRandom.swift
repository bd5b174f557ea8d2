/// Random numbers that a seed repeats (SplitMix64). They are no secrets.
package struct ModelRandom: Sendable {
    private var state: UInt64

    /// Neighbouring seeds must not begin at neighbouring places of one sequence, so the seed is mixed first.
    package init(seed: UInt64) { state = Self.mix(seed &+ 1) }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mix(state)
    }

    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    package mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Whether something happens that happens in so many of a thousand cases.
    package mutating func happens(_ permille: Int) -> Bool { number(below: 1000) < permille }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}

/// What must not happen has happened.
package struct Violation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
