import Dispatch
import Encodings
import Foundation
import SafeStore
import SecureMemory
import Synchronization
import Testing

@testable import SafeServer

func basic(_ user: String, _ password: String) -> String {
    "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
}

@Suite struct BasicLoginTests {
    @Test func `user and password are read`() {
        for (user, password) in [("a", "b"), ("a", ""), ("", "b"), ("a", "b:c"), ("ä", "pässword\t")] {
            #expect(parts([basic(user, password)]) == [user, password])
        }
        for value in ["bAsIc YTpi", "BASIC    YTpi"] { #expect(parts([value]) == ["a", "b"]) }
    }

    @Test(
        arguments: [
            [], ["Basic YTpi", "Basic YTpi"], [""], ["Basic"], ["Basic "], ["BasicYTpi"], ["Bearer YTpi"],
            ["Basic YTpi "], ["Basic YTp"], ["Basic YQ=="], ["Basic YQ"], ["Basic YTp\u{e9}"], ["Basic YTpiAA=="],
            ["Basic\0YTpi"], ["Basic YTpj\0"], ["Basic\tYTpi"],
            [" Basic YTpi"], ["Basic YTpi, Basic YTpi"], ["Basic " + String(repeating: "YTpi", count: 3000)],
            ["Basic " + Data(("a:" + String(repeating: "x", count: 4097)).utf8).base64EncodedString()],
        ]) func `anything else is no login`(_ values: [String])
    {
        #expect(parts(values) == nil)
    }

    /// User and password; nil if there is no login.
    private func parts(_ values: [String]) -> [String]? {
        switch BasicLogin(values) {
        case .some(let login): [login.user, login.password.revealText()]
        case .none: nil
        }
    }
}

@Suite struct LoginCheckTests {
    private let alice = Account(name: AccountName("alice")!, hash: cheapHash("right"), quota: nil)

    private func check(
        _ check: LoginCheck, _ user: String, _ password: String, _ file: AccountFile, at now: Int = 0,
        from client: String = "c"
    ) -> LoginCheck.Answer {
        let login = BasicLogin([basic(user, password)])!
        return check.check(login, in: file, client: client, at: .seconds(now))
    }

    private func file(_ accounts: Account...) -> AccountFile {
        var file = AccountFile([])
        for account in accounts { file.set(account) }
        return file
    }

    private func make(_ turns: HashTurns = HashTurns(), burst: Int = 3) -> LoginCheck {
        let rate = RequestRate(burst: burst, interval: .seconds(10))
        return LoginCheck(key: Random.secret(32), turns: turns, failureRate: rate, capacity: 100)
    }

    @Test func `the right password is accepted, others are not`() {
        let logins = make(burst: 100)
        #expect(check(logins, "alice", "right", file(alice)) == .accepted(alice))
        for (user, password) in [
            ("alice", "wrong"), ("bob", "right"), ("Alice", "right"), ("", ""), ("../alice", "right"),
        ] {
            #expect(check(logins, user, password, file(alice)) == .wrong)
        }
        #expect(check(logins, "alice", "right", file()) == .wrong)
    }

    @Test func `a login that was right needs no hash for ten minutes, as long as the password stays`() {
        // While the only turn is taken, no hash is computed.
        let free = HashTurns(count: 1, waiters: 0)
        let logins = make(free)
        #expect(check(logins, "alice", "right", file(alice)) == .accepted(alice))
        free.holding {
            #expect(check(logins, "alice", "right", file(alice), at: 599) == .accepted(alice))
            #expect(check(logins, "alice", "right", file(alice), at: 600) == .busy)
            #expect(check(logins, "alice", "wrong", file(alice)) == .busy)
            // Another hash of the same password, and an account that is gone.
            let changed = Account(name: alice.name, hash: cheapHash("right", salt: 2), quota: nil)
            #expect(check(logins, "alice", "right", file(changed)) == .busy)
            #expect(check(logins, "alice", "right", file()) == .busy)
            let quota = Account(name: alice.name, hash: alice.hash, quota: 5)
            #expect(check(logins, "alice", "right", file(quota)) == .accepted(quota))
            // A check of another process knows nothing.
            #expect(check(make(free), "alice", "right", file(alice)) == .busy)
        }
    }

    @Test func `an address that fails too often is refused before the hash`() {
        let free = HashTurns(count: 1, waiters: 0)
        let logins = make(free)
        for _ in 0..<20 { #expect(check(logins, "alice", "right", file(alice), from: "good") == .accepted(alice)) }
        for user in ["alice", "bob", "nobody"] { #expect(check(logins, user, "x", file(alice)) == .wrong) }
        free.holding { #expect(check(logins, "alice", "y", file(alice)) == .throttled(.seconds(10))) }
        // Also the right password has to wait, from there; not from elsewhere.
        let other = Account(name: AccountName("other")!, hash: cheapHash("o"), quota: nil)
        #expect(check(logins, "other", "o", file(alice, other)) == .throttled(.seconds(10)))
        #expect(check(logins, "other", "o", file(alice, other), from: "d") == .accepted(other))
        #expect(check(logins, "alice", "y", file(alice), at: 10) == .wrong)
        #expect(check(logins, "alice", "y", file(alice), at: 10) == .throttled(.seconds(10)))
        // A login that is known does not wait.
        #expect(check(logins, "other", "o", file(alice, other), at: 10) == .accepted(other))
    }

    @Test func `no answer for lack of a turn costs no token`() {
        let free = HashTurns(count: 1, waiters: 0)
        let logins = make(free)
        free.holding {
            for _ in 0..<10 { #expect(check(logins, "alice", "x", file(alice)) == .busy) }
        }
        #expect(check(logins, "alice", "x", file(alice)) == .wrong)
    }

    @Test func `a decoy costs what some account costs`() {
        // With the standard cost, a hundred decoys would take seconds.
        let logins = make(burst: 1000)
        let start = ContinuousClock.now
        for number in 0..<100 { _ = check(logins, "nobody\(number)", "x", file(alice)) }
        #expect(ContinuousClock.now - start < .seconds(2))
        let slow = ContinuousClock.now
        _ = check(logins, "nobody", "x", file())
        let standard = ContinuousClock.now - slow
        #expect(standard > .milliseconds(10))
    }
}

@Suite struct HashTurnsTests {
    @Test func `never more at once than turns, and all who may wait get one`() {
        let turns = HashTurns(count: 2, waiters: 20, wait: .seconds(20))
        let state = Mutex((now: 0, most: 0, done: 0))
        DispatchQueue.concurrentPerform(iterations: 12) { _ in
            let result: Void? = turns.holding {
                state.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                usleep(10_000)
                state.withLock {
                    $0.now -= 1
                    $0.done += 1
                }
            }
            #expect(result != nil)
        }
        #expect(state.withLock { $0.most <= 2 && $0.done == 12 })
    }

    @Test func `who waits too long gets none, and who finds too many waiting gets none at once`() {
        let turns = HashTurns(count: 1, waiters: 1, wait: .milliseconds(100))
        let start = ContinuousClock.now
        let inner: Bool?? = turns.holding { turns.holding { true } }
        let time = ContinuousClock.now - start
        #expect(inner == .some(nil) && time >= .milliseconds(100) && time < .seconds(5))
        let none = HashTurns(count: 1, waiters: 0, wait: .seconds(60))
        let soon = ContinuousClock.now
        #expect(none.holding { none.holding { true } } == .some(nil))
        #expect(ContinuousClock.now - soon < .seconds(5))
        #expect(none.holding { true } == true)
    }
}
