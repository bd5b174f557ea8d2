import SecureMemory
import ThreemaForwardSecurity

/// Random numbers that a seed repeats (SplitMix64). They are no secrets.
package final class RepeatableRandom: RandomSource {
    private var state: UInt64

    /// Neighbouring seeds must not begin at neighbouring places of one sequence, so the seed is mixed first.
    package init(seed: UInt64) { state = Self.mix(seed &+ 1) }

    package func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mix(state)
    }

    private static func mix(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    package func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Whether something happens that happens in so many of a hundred cases.
    package func happens(_ percent: Int) -> Bool { number(below: 100) < percent }

    package func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let number = next()
            for shift in stride(from: 0, to: 64, by: 8) where bytes.count < count {
                bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
            }
        }
        return bytes
    }

    package func secret(_ count: Int) -> SecureBytes {
        let bytes = bytes(count)
        return SecureBytes(copying: bytes.span)
    }
}
