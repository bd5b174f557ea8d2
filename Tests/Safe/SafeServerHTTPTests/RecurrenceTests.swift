import Testing

@testable import SafeServerHTTP

@Suite struct RecurrenceTests {
    @Test func `due at once, and again after the interval`() {
        var daily = Recurrence(every: .seconds(86_400))
        let due = [5, 605, 86_000, 86_404, 86_405, 87_005, 172_805].filter { daily.isDue(at: .seconds($0)) }
        #expect(due == [5, 86_405, 172_805])
    }

    @Test func `what became due while the machine slept is done once`() {
        var daily = Recurrence(every: .seconds(86_400))
        let due = [0, 600, 500_000, 500_600, 586_400].filter { daily.isDue(at: .seconds($0)) }
        #expect(due == [0, 500_000, 586_400])
    }

    @Test(arguments: [(86_400, 600), (60, 60)])
    func `how often it is asked`(_ interval: Int, _ period: Int) {
        #expect(Recurrence(every: .seconds(interval)).period == .seconds(period))
    }
}
