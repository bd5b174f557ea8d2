import Foundation
import HTTP
import Synchronization
import Testing

@Suite struct RetryPolicyTests {
    /// The waits that were made, without waiting.
    private final class Waits: Sendable {
        let values = Mutex<[Duration]>([])
        let servers = Mutex<[String]>([])
    }

    private let waits = Waits()

    private func policy(total: Duration = .seconds(600), longestWait: Duration = .seconds(30)) -> RetryPolicy {
        RetryPolicy(total: total, longestWait: longestWait) { [waits] delay in
            waits.values.withLock { $0.append(delay) }
        }
    }

    private var made: [Duration] { waits.values.withLock { $0 } }

    @Test func `a failure is followed by four waits, each up to twice as long`() {
        let policy = policy()
        for _ in 0..<100 {
            for tries in 1...4 { #expect(policy.waits(after: tries, at: "a")) }
            #expect(!policy.waits(after: 5, at: "a"))
        }
        #expect(made.count == 400)
        for tries in 1...4 {
            let longest = stride(from: tries - 1, to: 400, by: 4).map { made[$0] }.max()!
            #expect((.seconds(1 << (tries - 1))...(.seconds(1 << tries))).contains(longest), "\(longest)")
        }
    }

    @Test func `each wait is announced with its server, and what is not waited for is not`() {
        let log = Waits()
        let policy = RetryPolicy(
            total: .seconds(20), longestWait: .seconds(30),
            announce: { [log] server, delay in
                log.values.withLock { $0.append(delay) }
                log.servers.withLock { $0.append(server) }
            }, sleep: { [waits] delay in waits.values.withLock { $0.append(delay) } })
        #expect(policy.waits(after: 1, at: "a", asked: 7) && policy.waits(after: 2, at: "b"))
        #expect(!policy.waits(after: 5, at: "a") && !policy.waits(after: 1, at: "a", asked: 31))
        #expect(!policy.waits(after: 1, at: "a", asked: 25))
        #expect(log.servers.withLock { $0 } == ["a", "b"] && log.values.withLock { $0 } == made)
    }

    @Test func `what the server asks for is waited for, at least a second`() {
        let policy = policy()
        for seconds in [0, 1, 2, 30] { #expect(policy.waits(after: 1, at: "a", asked: seconds)) }
        #expect(made == [.seconds(1), .seconds(1), .seconds(2), .seconds(30)])
    }

    @Test func `a server that does not say how long is left alone for at least a second, too`() {
        let policy = policy()
        for _ in 0..<100 { #expect(policy.waits(after: 1, at: "a", asked: nil)) }
        #expect(made.allSatisfy { (.seconds(1)...(.seconds(2))).contains($0) })
    }

    @Test(arguments: [31, 3600, Int.max]) func `a longer wait than the limit is not made`(_ seconds: Int) {
        #expect(!policy().waits(after: 1, at: "a", asked: seconds))
        #expect(made == [])
    }

    @Test func `a server that uses up its time takes none from another`() throws {
        let policy = policy(total: .milliseconds(50))
        _ = policy.timeout(atMost: .seconds(9), at: "a")
        Thread.sleep(forTimeInterval: 0.06)
        #expect(policy.timeout(atMost: .seconds(9), at: "a") == .milliseconds(1))
        #expect(policy.timeout(atMost: .seconds(9), at: "b") > .milliseconds(10))
    }

    @Test func `no time for retries leaves one try and all of its own time`() {
        let policy = policy(total: .zero)
        #expect(policy.timeout(atMost: .seconds(9), at: "a") == .seconds(9))
        #expect(policy.timeout(atMost: .zero, at: "a") == .milliseconds(1))
        // A random wait of 0 ms is one of 2000.
        for _ in 0..<20_000 { #expect(!policy.waits(after: 1, at: "a")) }
        #expect(!policy.waits(after: 1, at: "a", asked: nil))
        #expect(policy.timeout(atMost: .seconds(9), at: "a") == .seconds(9))
        #expect(made == [])
    }

    @Test func `nor one that ends after the total time, nor a fifth`() {
        #expect(!policy(total: .seconds(5)).waits(after: 1, at: "a", asked: 6))
        #expect(!policy().waits(after: 5, at: "a", asked: 1))
        #expect(made == [])
    }
}
