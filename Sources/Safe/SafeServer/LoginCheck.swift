internal import AtomicFiles
internal import Primitives
internal import SafeStore
internal import SecureMemory
internal import Synchronization

/// Decides about logins.
///
///     a login that was right from this address in the last ten minutes     accepted
///     an address that has failed too often                                 throttled, whatever the password
///     a login that was right from another address in that time             accepted
///     any other                                                            by the hash of its password
///
/// A user who does not exist costs the same hash as one who does. Two hashes are computed at a time, by threads of their
/// own; requests with the same login share one, and `LoginQueue` has the order. No caller waits: what is not decided at
/// once is told later.
final class LoginCheck: Sendable {
    /// Wrong logins of an address: ten at once, then one in 30 seconds.
    static let standardFailureRate = RequestRate(burst: 10, interval: .seconds(30))
    /// Length of the key, in bytes.
    static let keyCount = 32
    /// Hashes at once.
    static let hashers = 2
    /// Logins that wait for their hash: two threads compute so many in two seconds.
    static let maxWaiting = 64
    /// How long they wait.
    static let wait = Duration.seconds(5)
    /// Longest name of a client that is stored, in bytes; of a longer one, the beginning.
    private static let maxKeyBytes = 256

    enum Answer: Equatable, Sendable {
        case accepted(Account)
        /// The user does not exist, or the password is wrong.
        case wrong
        /// The address has failed too often; the time until its next try.
        case throttled(Duration)
        /// Too many hashes are being computed.
        case busy
    }

    typealias Code = [UInt8]
    /// Runs a call on a thread of its own.
    /// - Returns: false if there can be none; then nothing is run.
    typealias ThreadStart = @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

    private struct Waiter: Sendable {
        let client: String
        let account: Account?
        let now: Duration
        /// Whether it has taken a token of its client.
        let hasToken: Bool
        let decided: @Sendable (Answer) -> Void
    }

    /// A password and the hash that it is compared with.
    private final class Candidate: Sendable {
        let password: SecureBytes
        let hash: PasswordHash

        init(_ password: consuming SecureBytes, _ hash: PasswordHash) {
            self.password = password
            self.hash = hash
        }

        /// nil without memory.
        func matches() -> Bool? { try? hash.matches(password) }
    }

    private struct State {
        var failures: TokenBuckets<String>
        var known = KnownLogins()
        var queue: LoginQueue<Code>
        /// Of each login that waits or is being compared.
        var waiters: [Code: [Waiter]] = [:]
        var candidates: [Code: Candidate] = [:]
        var hashing = 0
        var recent = RecentHeaders()
    }

    private typealias Told = (waiter: Waiter, answer: Answer)

    private let key: SecureBytes
    private let start: ThreadStart
    private let state: Mutex<State>
    private let beginning = ContinuousClock.now

    /// - Parameters:
    ///   - failureRate: of wrong logins, by address.
    ///   - capacity: most addresses of each of two tables.
    ///   - maxWaiting: logins that wait for their hash.
    init(
        key: consuming SecureBytes, failureRate: RequestRate = standardFailureRate,
        capacity: Int = Throttle.standardCapacity, maxWaiting: Int = maxWaiting,
        start: @escaping ThreadStart = DetachedThread.start
    ) {
        precondition(key.count == Self.keyCount)
        self.key = key
        self.start = start
        state = Mutex(
            State(
                failures: TokenBuckets(failureRate, capacity: capacity),
                queue: LoginQueue(capacity: maxWaiting, wait: Self.wait)))
    }

    /// - Parameters:
    ///   - client: what wrong logins are counted by.
    ///   - now: the monotonic clock.
    ///   - decided: called once, on any thread, if nil is returned. It must not block.
    /// - Returns: nil if a hash has to be computed first.
    func check(
        _ login: consuming BasicLogin, in file: AccountFile, client: String, at now: Duration,
        decided: @escaping @Sendable (Answer) -> Void
    ) -> Answer? {
        let account = AccountName(login.user).flatMap { file[$0] }
        let hash = account?.hash ?? decoy(for: login.user, in: file)
        let code = code(login, hash)
        let candidate = Candidate(login.password, hash)
        let client = Self.stored(client)
        var told: [Told] = []
        var isThreadWanted = false
        let answer: Answer? = state.withLock { state in
            if let answer = Self.decide(&state, account, code, client, now) { return answer }
            // The same address gives the same password twice: it learns no more than by once.
            let isRepeated = state.waiters[code]?.contains { $0.client == client } ?? false
            let rank = Self.rank(state, account, client, now)
            if !isRepeated {
                // The token is taken before the hash, or many tries at once would all find it.
                if let wait = state.failures.take(client, at: now) { return .throttled(wait) }
                if let account, let end = state.known.end(account.name, code, at: now) {
                    state.failures.giveBack(client)
                    state.known.insert(account.name, code, from: client, until: end)
                    return .accepted(account)
                }
            }
            let waiter = Waiter(
                client: client, account: account, now: now, hasToken: !isRepeated, decided: decided)
            if state.waiters[code] != nil {
                state.waiters[code]?.append(waiter)
                state.queue.raise(code, to: rank)
                return nil
            }
            switch state.queue.add(code, rank, at: ContinuousClock.now - beginning) {
            case .refused:
                state.failures.giveBack(client)
                return .busy
            case .waits(let leaving):
                if let leaving { told += Self.settle(&state, leaving, nil) }
            }
            state.waiters[code] = [waiter]
            state.candidates[code] = candidate
            isThreadWanted = state.hashing < Self.hashers
            if isThreadWanted { state.hashing += 1 }
            return nil
        }
        Self.tell(told)
        if isThreadWanted, !start({ self.hash() }) { abandon() }
        return answer
    }

    /// The account of a header that was right from this address, and is known as long as its login. Nothing is decoded,
    /// and no other login is accepted.
    /// - Parameter header: the value of `Authorization`.
    func recall(_ header: String, in file: AccountFile, client: String, at now: Duration) -> Account? {
        guard let code = code(header, from: client), let login = state.withLock({ $0.recent.login(code, at: now) }),
            let account = file[login.name], account.hash == login.hash
        else { return nil }
        return account
    }

    /// Lets `recall` know a header that has just been accepted.
    func remember(_ header: String, of account: Account, client: String) {
        guard let code = code(header, from: client) else { return }
        state.withLock { state in
            guard let end = state.known.end(account.name, from: Self.stored(client)) else { return }
            state.recent.insert(code, .init(name: account.name, hash: account.hash, end: end))
        }
    }

    private static func stored(_ client: String) -> String {
        String(decoding: client.utf8.prefix(maxKeyBytes), as: UTF8.self)
    }

    /// Forgets the logins of accounts that are not in the file.
    func forget(except file: AccountFile) { state.withLock { $0.known.forget(except: file) } }

    // MARK: Decisions

    private static func decide(
        _ state: inout State, _ account: Account?, _ code: Code, _ client: String, _ now: Duration
    ) -> Answer? {
        guard let account, state.known.isKnown(account.name, code, from: client, at: now) else { return nil }
        return .accepted(account)
    }

    private static func rank(
        _ state: State, _ account: Account?, _ client: String, _ now: Duration
    ) -> LoginQueue<Code>.Rank {
        if let account, state.known.contains(account.name, from: client) { return .known }
        return state.failures.isFull(client, at: now) ? .new : .failed
    }

    /// Removes a login with the answers to all who wait for it.
    /// - Parameter matches: nil if it was not compared: that costs no token.
    private static func settle(_ state: inout State, _ code: Code, _ matches: Bool?) -> [Told] {
        state.candidates[code] = nil
        return (state.waiters.removeValue(forKey: code) ?? []).map { waiter in
            if matches == false || matches == true && waiter.account == nil { return (waiter, .wrong) }
            if waiter.hasToken { state.failures.giveBack(waiter.client) }
            guard matches == true, let account = waiter.account else { return (waiter, .busy) }
            state.known.insert(account.name, code, from: waiter.client, until: waiter.now + KnownLogins.time)
            return (waiter, .accepted(account))
        }
    }

    private static func tell(_ told: [Told]) {
        for (waiter, answer) in told { waiter.decided(answer) }
    }

    // MARK: Threads

    /// Computes hashes until none is wanted.
    private func hash() {
        while let (code, candidate) = next() {
            let matches = candidate.matches()
            Self.tell(state.withLock { Self.settle(&$0, code, matches) })
        }
    }

    private func next() -> (Code, Candidate)? {
        var told: [Told] = []
        defer { Self.tell(told) }
        return state.withLock { state in
            for late in state.queue.takeLate(at: ContinuousClock.now - beginning) {
                told += Self.settle(&state, late, nil)
            }
            guard let code = state.queue.takeNext(), let candidate = state.candidates[code] else {
                state.hashing -= 1
                return nil
            }
            return (code, candidate)
        }
    }

    /// There is no thread. If no other one is hashing, nobody can be served.
    private func abandon() {
        Self.tell(
            state.withLock { state in
                state.hashing -= 1
                var told: [Told] = []
                while state.hashing == 0, let code = state.queue.takeNext() { told += Self.settle(&state, code, nil) }
                return told
            })
    }

    // MARK: Codes

    /// The code of user, hash and password.
    private func code(_ login: borrowing BasicLogin, _ hash: PasswordHash) -> Code {
        // A hash has no NUL, and two different texts before it would need one.
        let head = Array("login\0\(hash.text)\0\(login.user)\0".utf8)
        var message = SecureBuffer(capacity: head.count + login.password.count)
        message.append(head.span)
        message.append(login.password)
        return authenticate(message.finish())
    }

    /// The code of a header and the address from which it came; nil if it is longer than those of most passwords.
    private func code(_ header: String, from client: String) -> Code? {
        guard header.utf8.count <= RecentHeaders.maxHeaderBytes else { return nil }
        // No client's name has a NUL.
        let head = Array("header\0\(Self.stored(client))\0".utf8)
        let value = header.utf8
        let message = SecureBytes(count: head.count + value.count, life: .brief) { bytes in
            var place = 0
            for byte in head {
                bytes[place] = byte
                place += 1
            }
            for byte in value {
                bytes[place] = byte
                place += 1
            }
        }
        return authenticate(message)
    }

    /// What a user who does not exist is compared with. The cost is that of some account, always of the same one for
    /// a name, so that accounts of different costs do not stand out.
    private func decoy(for user: String, in file: AccountFile) -> PasswordHash {
        let head = Array("decoy\0\(user)".utf8)
        let random = authenticate(SecureBytes(copying: head.span))
        let number = random.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let cost = file.costs.isEmpty ? .standard : file.costs[Int(number % UInt64(file.costs.count))]
        return PasswordHash(decoy: random, cost: cost)
    }

    private func authenticate(_ message: consuming SecureBytes) -> [UInt8] {
        let message = message
        return key.withBytes { key in message.withBytes { HMACSHA256.authenticate($0, key: key) } }
    }
}
