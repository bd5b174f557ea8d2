import Glibc
import Testing

@testable import SophaxStorage

@Suite struct PINTimingTests {
    /// CPU time of this thread in nanoseconds: other threads and programs do not count.
    private static func used() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// 200 checks of each PIN, in turn. Benchmarks/pin measures the program in the same way.
    @Test func `a check takes the same time for both PINs`() throws {
        let lock = try PINLock(pin: PINTests.pin("271828")).setting(duress: PINTests.pin("161803"))
        var times: [PINLock.Result: [Double]] = [:]
        for round in 0..<200 {
            for pin in round.isMultiple(of: 2) ? ["271828", "161803"] : ["161803", "271828"] {
                let before = Self.used()
                let result = try lock.check(PINTests.pin(pin), counts: .none, at: now) { _ in }.result
                times[result, default: []].append(Double(Self.used() - before) / 1e6)
            }
        }
        func median(_ result: PINLock.Result) throws -> Double {
            let sorted = try #require(times[result]).sorted()
            #expect(sorted.count == 200)
            return (sorted[99] + sorted[100]) / 2
        }
        let (real, duress) = (try median(.real), try median(.duress))
        #expect(abs(real - duress) < 1, "medians: \(real) ms for the PIN, \(duress) ms for that of duress")
    }
}
