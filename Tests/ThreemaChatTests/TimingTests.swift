import Testing
import VectorKit

@testable import ThreemaChat

@Suite struct TimingTests {
    @Test func `a client waits longer after each failure, up to a limit`() {
        var policy = ReconnectPolicy()
        let waits = (0..<6).map { _ in policy.wait(jitter: 0) }
        #expect(waits == [2, 4, 8, 10, 10, 10].map { .seconds($0) })
        policy.loggedIn()
        #expect(policy == ReconnectPolicy())
        #expect(policy.wait(jitter: 1) == .seconds(1))
        #expect(policy.wait(jitter: 0.5) == .seconds(3))
        for _ in 0..<100 { #expect((.seconds(2) ... .seconds(10)).contains(policy.wait(jitter: 0.5))) }
    }

    @Test func `an echo that is late ends the connection`() {
        var timer = EchoTimer(at: .seconds(100))
        #expect(timer.due(at: .seconds(159)) == .wait(until: .seconds(160)))
        #expect(timer.due(at: .seconds(160)) == .request([1, 0, 0, 0, 0, 0, 0, 0]))
        #expect(timer.due(at: .seconds(161)) == .wait(until: .seconds(170)))
        timer.received([1, 0, 0, 0, 0, 0, 0, 0])
        #expect(timer.due(at: .seconds(170)) == .wait(until: .seconds(220)))
        #expect(timer.due(at: .seconds(225)) == .request([2, 0, 0, 0, 0, 0, 0, 0]))
        // A response to the first one.
        timer.received([1, 0, 0, 0, 0, 0, 0, 0])
        #expect(timer.due(at: .seconds(235)) == .close)
    }

    @Test func `a server waits as long as the client has asked for`() {
        var timer = IdleTimer(at: .seconds(10))
        #expect(timer.deadline == .seconds(310))
        timer.received(.idleTimeout(seconds: EchoTimer.idleTimeoutSeconds), at: .seconds(20))
        #expect(timer.deadline == .seconds(140))
        timer.received(.echoRequest([]), at: .seconds(30))
        #expect(timer.deadline == .seconds(150))
        timer.receivedMessage(at: .seconds(40))
        #expect(timer.deadline == .seconds(160))
    }
}
