import Testing

@testable import SafeServerHTTP

@Suite struct ReadinessStateTests {
    private let ready = ReadinessReport(isReady: true, text: "ready")

    @Test func `a report counts for five seconds`() {
        var state = ReadinessState()
        #expect(state.decide(at: .seconds(100)) == .ask)
        state.ended(ready, at: .seconds(101))
        #expect(state.decide(at: .seconds(105)) == .known(ready))
        #expect(state.decide(at: .seconds(106)) == .ask)
    }

    @Test func `the store is asked by one caller, for whose report the others wait`() {
        var state = ReadinessState()
        #expect(state.decide(at: .seconds(100)) == .ask)
        #expect(state.decide(at: .seconds(104)) == .wait)
        #expect(state.decide(at: .seconds(105)) == .isSilent)
        #expect(state.decide(at: .seconds(500)) == .isSilent)
        state.ended(ready, at: .seconds(500))
        #expect(state.decide(at: .seconds(504)) == .known(ready))
    }
}
