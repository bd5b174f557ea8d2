import SafeStore
import Testing
import VectorKit

@testable import SafeServer

/// Token buckets, and the answers of a server that throttles.
@Suite struct ThrottleTests {
    private let rate = RequestRate(burst: 3, interval: .seconds(2))

    @Test func `a bucket gives its burst, and then one token for each interval`() {
        var buckets = TokenBuckets<String>(rate, capacity: 100)
        for _ in 0..<3 {
            #expect(buckets.hasToken("a", at: .zero))
            #expect(buckets.take("a", at: .zero) == nil)
        }
        #expect(!buckets.hasToken("a", at: .zero))
        #expect(buckets.take("a", at: .zero) == .seconds(2))
        #expect(!buckets.hasToken("a", at: .milliseconds(1999)) && buckets.hasToken("a", at: .seconds(2)))
        #expect(buckets.take("a", at: .milliseconds(1500)) == .milliseconds(500))
        #expect(buckets.take("a", at: .seconds(2)) == nil)
        #expect(buckets.take("a", at: .seconds(2)) == .seconds(2))
        #expect(buckets.take("b", at: .seconds(2)) == nil)
        for _ in 0..<3 { #expect(buckets.take("a", at: .seconds(100)) == nil) }
        #expect(buckets.take("a", at: .seconds(100)) != nil)
    }

    @Test func `a clock that goes back neither traps nor gives tokens`() {
        var buckets = TokenBuckets<String>(rate, capacity: 100)
        for _ in 0..<3 { #expect(buckets.take("a", at: .seconds(10)) == nil) }
        #expect(buckets.take("a", at: .seconds(-1_000_000)) == .seconds(2))
    }

    @Test func `dropping full buckets changes no answer`() {
        var bounded = TokenBuckets<Int>(rate, capacity: 1000)
        // Against a plain count of tokens in milliseconds.
        var levels: [Int: (tokens: Int, at: Int)] = [:]
        let random = SeededRandom(seed: 7)
        var now = 0
        for _ in 0..<20_000 {
            now += random.number(below: 400)
            let key = random.number(below: 8)
            let old = levels[key] ?? (6000, now)
            let level = min(6000, old.tokens + now - old.at)
            let isAllowed = level >= 2000
            levels[key] = (isAllowed ? level - 2000 : level, now)
            let wait = bounded.take(key, at: .milliseconds(now))
            guard (wait == nil) == isAllowed else {
                Issue.record("at \(now) ms")
                return
            }
            if let wait { #expect(wait == .milliseconds(2000 - level)) }
        }
    }

    @Test func `memory is bounded`() {
        var buckets = TokenBuckets<Int>(rate, capacity: 100)
        for key in 0..<10_000 {
            #expect(buckets.take(key, at: .microseconds(key)) == nil)
            #expect(buckets.count <= 200)
        }
        #expect(buckets.take(-1, at: .seconds(1000)) == nil)
        #expect(buckets.count == 1)
    }

    @Test func `a client is told how long to wait, and others are served`() {
        let throttle = Throttle(clientRate: rate, backupRate: RequestRate(burst: 100, interval: .seconds(1)))
        let server = TestServer(MemoryStore(), throttle: throttle)
        // Refused requests count, too.
        #expect(server.ask("GET", "/nothing").status == 404)
        #expect(server.ask("GET", "/config").status == 200)
        #expect(server.ask("GET", "/config").status == 200)
        let refused = server.ask("GET", "/config", at: reading(1))
        #expect(refused.status == 429 && refused.headers["retry-after"] == "1")
        #expect(server.ask("GET", "/config", from: "192.0.2.2", at: reading(1)).status == 200)
        #expect(server.ask("GET", "/config", at: reading(2)).status == 200)
    }

    @Test func `a backup is throttled for all clients, whether it exists or not`() {
        let throttle = Throttle(clientRate: RequestRate(burst: 100, interval: .seconds(1)), backupRate: rate)
        let server = TestServer(MemoryStore(), throttle: throttle)
        let path = "/backups/" + String(repeating: "ab", count: 32)
        for client in ["a", "b", "c"] { #expect(server.ask("GET", path, from: client).status == 404) }
        let refused = server.ask("PUT", path, body: [1], from: "d")
        #expect(refused.status == 429 && refused.headers["retry-after"] == "2")
        #expect(server.ask("GET", path, from: "d", at: reading(2)).status == 404)
        #expect(server.ask("GET", "/config", from: "d").status == 200)
        #expect(server.ask("GET", path.replacing("ab", with: "cd"), from: "d").status == 404)
    }

    @Test func `accounts with one throttle have buckets of their own for a backup, and none for an address`() {
        let throttle = Throttle(clientRate: RequestRate(burst: 5, interval: .seconds(2)), backupRate: rate)
        let alice = TestServer(MemoryStore(), below: "/alice", throttle: throttle)
        let bob = TestServer(MemoryStore(), below: "/bob", throttle: throttle)
        let path = "/backups/" + String(repeating: "ab", count: 32)
        for _ in 0..<3 { #expect(alice.ask("GET", "/alice" + path).status == 404) }
        #expect(bob.ask("GET", "/bob" + path).status == 404)
        #expect(bob.ask("GET", "/bob/config").status == 200)
        #expect(bob.ask("GET", "/bob/config").status == 429)
    }
}
