import ByteStreams
import Testing
import VectorKit

@testable import ThreemaChat

@Suite struct TimingTests {
    @Test func `a client waits longer after each failure, up to a limit`() {
        var policy = ReconnectPolicy()
        let waits = (0..<6).map { _ in policy.next(after: .network, jitter: 0) }
        #expect(waits == [2, 4, 8, 10, 10, 10].map { .wait(.seconds($0)) })
        policy.loggedIn()
        #expect(policy == ReconnectPolicy())
        #expect(policy.next(after: .network, jitter: 1) == .wait(.seconds(1)))
        #expect(policy.next(after: .network, jitter: 0.5) == .wait(.seconds(3)))
        #expect(policy.next(after: .network, jitter: 0.5) == .wait(.seconds(6)))
        for _ in 0..<100 { #expect(policy.next(after: .network, jitter: 0.5) == .wait(.milliseconds(7500))) }
    }

    /// What ended a connection, and the decisions after it, after a second time and after a login: seconds; nil is never.
    static let ends: [(ConnectionEnd, [Int?])] = [
        (.network, [2, 4, 2]), (.noEcho, [2, 4, 2]), (.closedByServer(mayReconnect: true), [2, 4, 2]),
        (.refusedBytes, [10, 10, 10]), (.loginRefused, [10, 10, 10]),
        (.closedByServer(mayReconnect: false), [nil, nil, nil]), (.wrongServer, [nil, nil, nil]),
        (.stopped, [nil, nil, nil]),
    ]

    @Test(arguments: ends) func `what ended a connection decides if there is another one`(
        _ end: ConnectionEnd, _ seconds: [Int?]
    ) {
        var policy = ReconnectPolicy()
        var decisions = [policy.next(after: end, jitter: 0), policy.next(after: end, jitter: 0)]
        policy.loggedIn()
        decisions.append(policy.next(after: end, jitter: 0))
        #expect(decisions == seconds.map { $0.map { .wait(.seconds($0)) } ?? .never })
    }

    static let errors: [(any Error, ConnectionEnd?)] = [
        (StreamError.refused, .network), (StreamError.unknownName, .network),
        (StreamError.timedOut(.connect), .network), (ChatSessionError.stream(.closed), .network),
        (ChatSessionError.noEcho, .noEcho), (ChatSessionError.loginRefused, .loginRefused),
        (ChatSessionError.closedByServer(mayReconnect: false), .closedByServer(mayReconnect: false)),
        (ChatSessionError.closedByServer(mayReconnect: true), .closedByServer(mayReconnect: true)),
        (ChatSessionError.chat(.serverHelloNotAuthentic), .wrongServer),
        (ChatSessionError.chat(.clientCookieNotRepeated), .wrongServer),
        (ChatSessionError.chat(.cookiesAreEqual), .wrongServer),
        (ChatSessionError.chat(.weakTemporaryKey), .wrongServer),
        (ChatSessionError.chat(.loginAcknowledgementNotAuthentic), .refusedBytes),
        (ChatSessionError.chat(.frameNotAuthentic), .refusedBytes),
        (ChatSessionError.chat(.frameTooLong(limit: 1, actual: 2)), .refusedBytes),
        (ChatSessionError.sending(.notOpen), nil), (ChatError.frameNotAuthentic, nil), (CancellationError(), nil),
    ]

    @Test func `an error says how the connection has ended`() {
        for (error, end) in Self.errors { #expect(ConnectionEnd(error) == end, "\(error)") }
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
