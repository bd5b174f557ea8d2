import SophaxKit
import Testing
import VectorKit

@testable import SophaxStorage

@Suite struct PINTimingTests {
    /// At least 200 checks of each PIN, in turn. The shortest of each are compared: what else the processor does makes
    /// checks longer, and never shorter. While they differ, there are more of them, because one of the two may not have
    /// been undisturbed yet; a difference that is the lock's own stays. Benchmarks/pin measures the program.
    @Test func `a check takes the same time for both PINs`() throws {
        let lock = try PINLock(pin: PINTests.pin("271828")).setting(duress: PINTests.pin("161803"))
        var shortest: [PINLock.Result: Double] = [:]
        var difference: Double { abs(shortest[.real, default: 0] - shortest[.duress, default: .infinity]) }
        for round in 0..<1000 where round < 200 || difference >= 1 {
            for pin in round.isMultiple(of: 2) ? ["271828", "161803"] : ["161803", "271828"] {
                let before = ThreadTime.used()
                let result = try lock.check(PINTests.pin(pin), counts: .none, at: now) { _ in }.result
                shortest[result] = min(shortest[result, default: .infinity], Double(ThreadTime.used() - before) / 1e6)
            }
        }
        #expect(shortest.count == 2 && difference < 1, "milliseconds: \(shortest)")
    }
}
