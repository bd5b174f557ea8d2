import Glibc
import SophaxKit
import Testing

@testable import SophaxStorage

@Suite struct PINTimingTests {
    /// CPU time of this thread in nanoseconds: other threads and programs do not count.
    private static func used() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// At least 200 checks of each PIN, in turn. The shortest of each are compared: what else the processor does makes
    /// checks longer, and never shorter. While they differ, there are more of them, because one of the two may not have
    /// been undisturbed yet; a difference that is the lock's own stays. Benchmarks/pin measures the program.
    @Test func `a check takes the same time for both PINs`() throws {
        let lock = try PINLock(pin: PINTests.pin("271828")).setting(duress: PINTests.pin("161803"))
        var shortest: [PINLock.Result: Double] = [:]
        var difference: Double { abs(shortest[.real, default: 0] - shortest[.duress, default: .infinity]) }
        for round in 0..<1000 where round < 200 || difference >= 1 {
            for pin in round.isMultiple(of: 2) ? ["271828", "161803"] : ["161803", "271828"] {
                let before = Self.used()
                let result = try lock.check(PINTests.pin(pin), counts: .none, at: now) { _ in }.result
                shortest[result] = min(shortest[result, default: .infinity], Double(Self.used() - before) / 1e6)
            }
        }
        #expect(shortest.count == 2 && difference < 1, "milliseconds: \(shortest)")
    }
}
