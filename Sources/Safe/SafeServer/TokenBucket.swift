internal import Synchronization

/// A rate of requests: a bucket of `burst` tokens, into which one more falls every `interval`. Each request takes one.
public struct RequestRate: Equatable, Sendable {
    /// Most requests at once, at least 1.
    public let burst: Int
    /// The time after which one more request is allowed, at least a nanosecond.
    public let interval: Duration

    /// - Parameters:
    ///   - burst: less than 1 counts as 1.
    ///   - interval: less than a nanosecond counts as one; more than a day as one.
    public init(burst: Int, interval: Duration) {
        self.burst = min(max(1, burst), 1_000_000)
        self.interval = min(max(.nanoseconds(1), interval), .seconds(86_400))
    }

    /// The time in which an empty bucket becomes full.
    var refill: Duration { interval * burst }
}

/// The buckets of many keys, in bounded memory.
///
/// Each is one time: when it will be full again. Buckets that are full need not be stored. So there are two tables:
/// every `refill`, the older one, whose buckets are all full by then, is dropped. If a table has `capacity` keys before
/// that, it is dropped early: then some keys begin again with a full bucket.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private let rate: RequestRate
    private let capacity: Int
    private var young: [Key: Duration] = [:]
    private var old: [Key: Duration] = [:]
    private var rotation: Duration?
    /// A clock that goes back stands still instead.
    private var latest: Duration?

    /// - Parameter capacity: most keys of each of the two tables.
    init(_ rate: RequestRate, capacity: Int) {
        self.rate = rate
        self.capacity = capacity
    }

    var count: Int { young.count + old.count }

    /// Takes a token.
    /// - Parameter monotonic: the monotonic clock.
    /// - Returns: nil if there was one, else the time until there is one. A refused request costs nothing.
    mutating func take(_ key: Key, at monotonic: Duration) -> Duration? {
        let now = max(monotonic, latest ?? monotonic)
        latest = now
        rotateIfDue(now)
        let full = fullAfterOne(key, at: now)
        let wait = full - now - rate.refill
        guard wait <= .zero else { return wait }
        if young[key] == nil, young.count >= capacity { rotate(now) }
        young[key] = full
        return nil
    }

    /// Whether there is a token. None is taken.
    func hasToken(_ key: Key, at monotonic: Duration) -> Bool {
        let now = max(monotonic, latest ?? monotonic)
        return fullAfterOne(key, at: now) - now <= rate.refill
    }

    /// Whether no token is missing.
    func isFull(_ key: Key, at monotonic: Duration) -> Bool {
        (young[key] ?? old[key]).map { $0 <= max(monotonic, latest ?? monotonic) } ?? true
    }

    /// When a bucket will be full again if one more token is taken.
    private func fullAfterOne(_ key: Key, at now: Duration) -> Duration {
        max(now, young[key] ?? old[key] ?? now) + rate.interval
    }

    /// Puts a token back that was taken.
    mutating func giveBack(_ key: Key) {
        guard let full = young[key] ?? old[key] else { return }
        young[key] = full - rate.interval
    }

    private mutating func rotateIfDue(_ now: Duration) {
        guard let rotation else {
            rotation = now
            return
        }
        guard now - rotation >= rate.refill else { return }
        // After twice the time, all buckets of both tables are full.
        if now - rotation >= rate.refill * 2 { young = [:] }
        rotate(now)
    }

    private mutating func rotate(_ now: Duration) {
        old = young
        young = [:]
        rotation = now
    }
}

/// Limits how often a client may ask, and how often a backup may be asked for. The servers of all accounts share one,
/// so that an address has one bucket. It may be used from several threads.
public final class Throttle: Sendable {
    /// 240 requests at once and four in a second: households and offices share an address.
    public static let standardClientRate = RequestRate(burst: 240, interval: .milliseconds(250))
    /// 60 requests at once and one in two seconds.
    public static let standardBackupRate = RequestRate(burst: 60, interval: .seconds(2))
    /// Most clients and most backups in each of two tables: some 20 MB in total.
    public static let standardCapacity = 65_536

    private struct State {
        var clients: TokenBuckets<String>
        var backups: TokenBuckets<String>
    }

    private let state: Mutex<State>

    /// Longest key that is stored, in bytes; of a longer one, the beginning.
    private static let maxKeyBytes = 256

    /// - Parameters:
    ///   - clientRate: of each client.
    ///   - backupRate: of each backup, whether it exists or not.
    ///   - capacity: most clients and most backups in each of two tables.
    public init(
        clientRate: RequestRate = standardClientRate, backupRate: RequestRate = standardBackupRate,
        capacity: Int = standardCapacity
    ) {
        state = Mutex(
            State(
                clients: TokenBuckets(clientRate, capacity: capacity),
                backups: TokenBuckets(backupRate, capacity: capacity)))
    }

    /// Counts a request of a client.
    /// - Returns: nil if it is allowed, else the time to wait.
    func wait(client: String, at monotonic: Duration) -> Duration? {
        state.withLock { $0.clients.take(Self.key(client), at: monotonic) }
    }

    private static func key(_ client: String) -> String {
        String(decoding: client.utf8.prefix(maxKeyBytes), as: UTF8.self)
    }

    /// Counts a request for a backup.
    /// - Parameter path: prefix and id.
    /// - Returns: nil if it is allowed, else the time to wait.
    func wait(backup path: String, at monotonic: Duration) -> Duration? {
        state.withLock { $0.backups.take(path, at: monotonic) }
    }

    /// Whether a request of a client for a backup would be allowed. It is not counted.
    func allows(client: String, backup path: String, at monotonic: Duration) -> Bool {
        state.withLock {
            $0.clients.hasToken(Self.key(client), at: monotonic) && $0.backups.hasToken(path, at: monotonic)
        }
    }
}
