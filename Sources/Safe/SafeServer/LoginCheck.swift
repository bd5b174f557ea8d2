internal import Primitives
internal import SafeStore
internal import SecureMemory
internal import Synchronization

/// Decides about logins.
///
/// A hash is computed at most once in ten minutes for an account that logs in with each request: a login that was right
/// is known again by an authentication code under a key of this process. The code covers the hash in the file, too, so
/// it ends with the password. A user who does not exist costs the same hash as one who does.
final class LoginCheck: Sendable {
    /// How long a login that was right is known again.
    static let cacheTime = Duration.seconds(600)
    /// Wrong logins of an address: ten at once, then one in 30 seconds.
    static let standardFailureRate = RequestRate(burst: 10, interval: .seconds(30))
    /// Length of the key, in bytes.
    static let keyCount = 32
    /// Longest name of a client that is stored, in bytes; of a longer one, the beginning.
    private static let maxKeyBytes = 256

    enum Answer: Equatable {
        case accepted(Account)
        /// The user does not exist, or the password is wrong.
        case wrong
        /// The address has failed too often; the time until its next try.
        case throttled(Duration)
        /// Too many hashes are being computed.
        case busy
    }

    private struct Known {
        let code: [UInt8]
        let end: Duration
    }

    private let key: SecureBytes
    private let turns: HashTurns
    private let failures: Mutex<TokenBuckets<String>>
    /// One login of each account.
    private let known = Mutex<[AccountName: Known]>([:])

    /// - Parameters:
    ///   - key: 32 random bytes of this process.
    ///   - failureRate: of wrong logins, by address.
    init(
        key: consuming SecureBytes, turns: HashTurns, failureRate: RequestRate = standardFailureRate,
        capacity: Int = Throttle.standardCapacity
    ) {
        precondition(key.count == Self.keyCount)
        self.key = key
        self.turns = turns
        failures = Mutex(TokenBuckets(failureRate, capacity: capacity))
    }

    /// - Parameters:
    ///   - client: what wrong logins are counted by.
    ///   - now: the monotonic clock.
    func check(
        _ login: borrowing BasicLogin, in file: AccountFile, client: String, at now: Duration
    ) -> Answer {
        let account = AccountName(login.user).flatMap { file[$0] }
        let hash = account?.hash ?? decoy(for: login.user, in: file)
        let code = code(login, hash)
        if let account, isKnown(account.name, code, at: now) { return .accepted(account) }
        let client = String(decoding: client.utf8.prefix(Self.maxKeyBytes), as: UTF8.self)
        // The token is taken before the hash, or many tries at once would all find it.
        if let wait = failures.withLock({ $0.take(client, at: now) }) { return .throttled(wait) }
        // Without memory there is no answer either.
        let matches = turns.holding { try? hash.matches(login.password) } ?? nil
        if let matches, !matches || account == nil { return .wrong }
        failures.withLock { $0.giveBack(client) }
        guard matches != nil, let account else { return .busy }
        known.withLock { $0[account.name] = Known(code: code, end: now + Self.cacheTime) }
        return .accepted(account)
    }

    /// Forgets the logins of accounts that are not in the file.
    func forget(except file: AccountFile) {
        known.withLock { known in known = known.filter { file[$0.key] != nil } }
    }

    private func isKnown(_ name: AccountName, _ code: [UInt8], at now: Duration) -> Bool {
        guard let known = known.withLock({ $0[name] }), now < known.end else { return false }
        return ConstantTime.areEqual(known.code.span, code.span)
    }

    /// The code of user, hash and password.
    private func code(_ login: borrowing BasicLogin, _ hash: PasswordHash) -> [UInt8] {
        // A hash has no NUL, and two different texts before it would need one.
        let head = Array("login\0\(hash.text)\0\(login.user)\0".utf8)
        var message = SecureBuffer(capacity: head.count + login.password.count)
        message.append(head.span)
        message.append(login.password)
        return authenticate(message.finish())
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
