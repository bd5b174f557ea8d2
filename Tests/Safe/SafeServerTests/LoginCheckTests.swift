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

/// Threads on which hashes are computed when the test says so.
private final class HeldThreads: Sendable {
    private let state: Mutex<(isHeld: Bool, work: [@Sendable () -> Void])>

    init(isHeld: Bool = false) { state = Mutex((isHeld, [])) }

    func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let isHeld = state.withLock { state in
            if state.isHeld { state.work.append(work) }
            return state.isHeld
        }
        if !isHeld { work() }
        return true
    }

    func hold() { state.withLock { $0.isHeld = true } }

    /// Computes all hashes that wait.
    func run() {
        let work = state.withLock { state in
            defer { state = (false, []) }
            return state.work
        }
        for each in work { each() }
    }
}

@Suite struct LoginCheckTests {
    private let alice = Account(name: AccountName("alice")!, hash: cheapHash("right"), quota: nil)
    private let threads = HeldThreads()

    /// - Returns: nil if a hash has to be computed first.
    private func check(
        _ check: LoginCheck, _ user: String, _ password: String, _ file: AccountFile, at now: Int = 0,
        from client: String = "c", decided: @escaping @Sendable (LoginCheck.Answer) -> Void = { _ in }
    ) -> LoginCheck.Answer? {
        let decision = LoginDecision()
        decision.whenDecided(decided)
        let answer = check.check(
            BasicLogin([basic(user, password)])!, in: file, client: client, at: .seconds(now),
            decided: decision.decide)
        return answer ?? decision.answer
    }

    private func file(_ accounts: Account...) -> AccountFile {
        var file = AccountFile([])
        for account in accounts { file.set(account) }
        return file
    }

    private func make(burst: Int = 3, maxWaiting: Int = 100) -> LoginCheck {
        let rate = RequestRate(burst: burst, interval: .seconds(10))
        return LoginCheck(
            key: Random.secret(32), failureRate: rate, capacity: 1000, maxWaiting: maxWaiting, start: threads.start)
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
        let logins = make(burst: 100)
        #expect(check(logins, "alice", "right", file(alice)) == .accepted(alice))
        threads.hold()
        #expect(check(logins, "alice", "right", file(alice), at: 599) == .accepted(alice))
        #expect(check(logins, "alice", "right", file(alice), at: 600) == nil)
        #expect(check(logins, "alice", "wrong", file(alice)) == nil)
        // Another hash of the same password, and an account that is gone.
        let changed = Account(name: alice.name, hash: cheapHash("right", salt: 2), quota: nil)
        #expect(check(logins, "alice", "right", file(changed)) == nil)
        #expect(check(logins, "alice", "right", file()) == nil)
        let quota = Account(name: alice.name, hash: alice.hash, quota: 5)
        #expect(check(logins, "alice", "right", file(quota)) == .accepted(quota))
        // From another address, too, and no longer than from the first one.
        #expect(check(logins, "alice", "right", file(alice), at: 599, from: "d") == .accepted(alice))
        #expect(check(logins, "alice", "right", file(alice), at: 601, from: "d") == nil)
        // A check of another process knows nothing.
        #expect(check(make(), "alice", "right", file(alice)) == nil)
    }

    @Test func `an address that fails too often is refused before the hash`() {
        let logins = make()
        for _ in 0..<20 { #expect(check(logins, "alice", "right", file(alice), from: "good") == .accepted(alice)) }
        for user in ["alice", "bob", "nobody"] { #expect(check(logins, user, "x", file(alice)) == .wrong) }
        threads.hold()
        #expect(check(logins, "alice", "y", file(alice)) == .throttled(.seconds(10)))
        threads.run()
        // Also the right password has to wait, from there; not from elsewhere.
        let other = Account(name: AccountName("other")!, hash: cheapHash("o"), quota: nil)
        #expect(check(logins, "other", "o", file(alice, other)) == .throttled(.seconds(10)))
        #expect(check(logins, "other", "o", file(alice, other), from: "d") == .accepted(other))
        #expect(check(logins, "alice", "y", file(alice), at: 10) == .wrong)
        #expect(check(logins, "alice", "y", file(alice), at: 10) == .throttled(.seconds(10)))
    }

    @Test func `the throttle does not tell a right password from a wrong one`() {
        let logins = make()
        #expect(check(logins, "alice", "right", file(alice), from: "owner") == .accepted(alice))
        for number in 0..<73 {
            let answer = check(logins, "alice", "guess \(number)", file(alice), from: "attacker")
            #expect(answer == (number < 3 ? .wrong : .throttled(.seconds(10))))
        }
        #expect(check(logins, "alice", "right", file(alice), from: "attacker") == .throttled(.seconds(10)))
        for client in ["owner", "another place"] {
            #expect(check(logins, "alice", "right", file(alice), from: client) == .accepted(alice))
        }
        // One that has logged in there before is not throttled.
        for number in 0..<9 { _ = check(logins, "alice", "guess \(number)", file(alice), from: "owner") }
        #expect(check(logins, "alice", "right", file(alice), from: "owner") == .accepted(alice))
    }

    @Test func `no answer for lack of a turn costs no token`() {
        let logins = make(maxWaiting: 0)
        for _ in 0..<10 { #expect(check(logins, "alice", "x", file(alice)) == .busy) }
        let none = LoginCheck(key: Random.secret(32), start: { _ in false })
        for _ in 0..<20 { #expect(check(none, "alice", "x", file(alice)) == .busy) }
    }

    @Test func `requests with the same login share a hash`() {
        let logins = make(maxWaiting: 1)
        threads.hold()
        let answers = Mutex<[LoginCheck.Answer]>([])
        let note: @Sendable (LoginCheck.Answer) -> Void = { answer in answers.withLock { $0.append(answer) } }
        for _ in 0..<64 { #expect(check(logins, "alice", "right", file(alice), decided: note) == nil) }
        #expect(check(logins, "alice", "right", file(alice), from: "d", decided: note) == nil)
        #expect(check(logins, "alice", "another", file(alice), from: "e", decided: note) == .busy)
        threads.run()
        #expect(answers.withLock { $0.count { $0 == .accepted(alice) } } == 65)
        threads.hold()
        #expect(check(logins, "alice", "right", file(alice), from: "d") == .accepted(alice))
        for _ in 0..<64 { #expect(check(logins, "alice", "wrong", file(alice), decided: note) == nil) }
        threads.run()
        #expect(answers.withLock { $0.count { $0 == .wrong } } == 64)
        // They have cost one token of three.
        for _ in 0..<2 { #expect(check(logins, "alice", "x", file(alice)) == .wrong) }
        #expect(check(logins, "alice", "x", file(alice)) == .throttled(.seconds(10)))
    }

    @Test func `who has logged in from an address goes first, and an address that has failed last`() {
        let logins = make(maxWaiting: 3)
        let accounts = file(alice)
        #expect(check(logins, "alice", "right", accounts, from: "owner") == .accepted(alice))
        for client in ["f", "g", "h"] { #expect(check(logins, "alice", "x", accounts, from: client) == .wrong) }
        threads.hold()
        let told = Mutex<[String]>([])
        func ask(_ client: String) -> LoginCheck.Answer? {
            check(logins, "alice", "from \(client)", accounts, at: 1, from: client) { answer in
                told.withLock { $0.append("\(client) \(answer == .busy ? "busy" : "compared")") }
            }
        }
        for client in ["f", "g", "h", "new"] { #expect(ask(client) == nil) }
        #expect(ask("i") == nil)
        #expect(ask("owner") == nil)
        #expect(told.withLock { $0 } == ["h busy", "g busy", "f busy"])
        #expect(ask("j") == .busy)
        threads.run()
        #expect(
            told.withLock { $0 } == [
                "h busy", "g busy", "f busy", "owner compared", "new compared", "i compared",
            ])
        // Those who were not compared have lost no token.
        for _ in 0..<2 { #expect(check(logins, "alice", "y", accounts, at: 1, from: "h") == .wrong) }
        #expect(check(logins, "alice", "y", accounts, at: 1, from: "h") == .throttled(.seconds(9)))
    }

    @Test func `threads of their own compute hashes for many at once`() {
        let rate = RequestRate(burst: 1000, interval: .seconds(10))
        let logins = LoginCheck(key: Random.secret(32), failureRate: rate, maxWaiting: 1000)
        let accounts = file(alice)
        DispatchQueue.concurrentPerform(iterations: 100) { number in
            let decision = LoginDecision()
            let password = number.isMultiple(of: 3) ? "right" : "wrong \(number % 10)"
            let answer = logins.check(
                BasicLogin([basic("alice", password)])!, in: accounts, client: "c\(number % 7)", at: .zero,
                decided: decision.decide)
            let waits = DispatchSemaphore(value: 0)
            decision.whenDecided { _ in waits.signal() }
            if answer == nil { waits.wait() }
            #expect((answer ?? decision.answer) == (number.isMultiple(of: 3) ? .accepted(alice) : .wrong))
        }
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

@Suite struct LoginQueueTests {
    @Test func `the next one has the best rank and came first, and who leaves has the worst and came last`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var queue = LoginQueue<Int>(capacity: 5, wait: .seconds(100))
            var model: [(login: Int, rank: LoginQueue<Int>.Rank)] = []
            /// Those of a better rank first; the order within a rank is that of coming.
            func ordered() -> [(login: Int, rank: LoginQueue<Int>.Rank)] {
                LoginQueue<Int>.Rank.allCases.flatMap { rank in model.filter { $0.rank == rank } }
            }
            for login in 0..<60 {
                let rank = LoginQueue<Int>.Rank.allCases.randomElement(using: &random)!
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    var expected = LoginQueue<Int>.Admission.waits(leaving: nil)
                    if model.count == 5, let last = ordered().last {
                        expected = rank < last.rank ? .waits(leaving: last.login) : .refused
                        if rank < last.rank { model.removeAll { $0.login == last.login } }
                    }
                    if expected != .refused { model.append((login, rank)) }
                    #expect(queue.add(login, rank, at: .zero) == expected)
                case 2:
                    guard let index = model.indices.randomElement(using: &random) else { continue }
                    queue.raise(model[index].login, to: rank)
                    model[index].rank = min(model[index].rank, rank)
                default:
                    let next = ordered().first?.login
                    model.removeAll { $0.login == next }
                    #expect(queue.takeNext() == next)
                }
                #expect(queue.count == model.count)
            }
        }
    }

    @Test func `who waits too long leaves`() {
        var queue = LoginQueue<Int>(capacity: 5, wait: .seconds(5))
        for login in 0..<3 { #expect(queue.add(login, .new, at: .seconds(login)) == .waits(leaving: nil)) }
        #expect(queue.takeLate(at: .seconds(4)) == [])
        #expect(queue.takeLate(at: .seconds(6)) == [0, 1])
        #expect(queue.takeNext() == 2 && queue.takeNext() == nil)
    }
}

@Suite struct KnownLoginsTests {
    @Test func `of an account's addresses, the one that has not logged in for the longest time is forgotten`() {
        var known = KnownLogins()
        let alice = AccountName("alice")!
        for number in 0..<KnownLogins.maxClients { known.insert(alice, [1], from: "\(number)", until: .seconds(9)) }
        known.insert(alice, [2], from: "0", until: .seconds(9))
        known.insert(alice, [2], from: "new", until: .seconds(9))
        #expect(known.contains(alice, from: "0") && known.contains(alice, from: "2"))
        #expect(known.contains(alice, from: "new") && !known.contains(alice, from: "1"))
        #expect(known.isKnown(alice, [2], from: "0", at: .seconds(8)))
        #expect(!known.isKnown(alice, [2], from: "0", at: .seconds(9)))
        #expect(!known.isKnown(alice, [1], from: "0", at: .zero) && !known.isKnown(alice, [2], from: "2", at: .zero))
        #expect(known.end(alice, [2], at: .zero) == .seconds(9) && known.end(alice, [3], at: .zero) == nil)
        known.forget(except: AccountFile([]))
        #expect(!known.contains(alice, from: "0"))
    }
}
