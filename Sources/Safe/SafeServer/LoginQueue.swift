/// The logins that wait for the hash of their password, which costs 16 MiB and a processor. It reads no clock and hashes
/// nothing: `LoginCheck` does what it says.
///
///     known     the account has logged in from this address before
///     new       any other
///     failed    the address has given a wrong login lately
///
/// The known ones get their hash first, those of an address that has failed last, and among equals the first one. If too
/// many wait, the last one in this order leaves. So wrong logins from many addresses do not stop those that are right.
struct LoginQueue<Login: Hashable> {
    enum Rank: Int, Comparable, CaseIterable {
        case known, new, failed

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    enum Admission: Equatable {
        /// It waits; the other one, if there is one, leaves.
        case waits(leaving: Login?)
        /// It cannot wait.
        case refused
    }

    private struct Entry {
        let login: Login
        var rank: Rank
        let number: Int
        let end: Duration

        var place: (Int, Int) { (rank.rawValue, number) }
    }

    private let capacity: Int
    private let wait: Duration
    private var waiting: [Entry] = []
    private var numbers = 0

    /// - Parameters:
    ///   - capacity: most logins that wait.
    ///   - wait: how long one waits at most.
    init(capacity: Int, wait: Duration) {
        self.capacity = capacity
        self.wait = wait
    }

    var count: Int { waiting.count }

    /// - Parameter login: not one that waits already.
    mutating func add(_ login: Login, _ rank: Rank, at now: Duration) -> Admission {
        var leaving: Login?
        if waiting.count >= capacity {
            guard let last = waiting.indices.max(by: { waiting[$0].place < waiting[$1].place }),
                rank < waiting[last].rank
            else { return .refused }
            leaving = waiting.remove(at: last).login
        }
        numbers += 1
        waiting.append(Entry(login: login, rank: rank, number: numbers, end: now + wait))
        return .waits(leaving: leaving)
    }

    /// Lets a login that waits go first among those of a better rank. A worse rank changes nothing.
    mutating func raise(_ login: Login, to rank: Rank) {
        guard let index = waiting.firstIndex(where: { $0.login == login }), rank < waiting[index].rank else { return }
        waiting[index].rank = rank
    }

    /// Takes those out that have waited for too long.
    mutating func takeLate(at now: Duration) -> [Login] {
        let late = waiting.filter { $0.end <= now }.map(\.login)
        if !late.isEmpty { waiting.removeAll { $0.end <= now } }
        return late
    }

    /// Takes the next one out; nil if none waits.
    mutating func takeNext() -> Login? {
        guard let next = waiting.indices.min(by: { waiting[$0].place < waiting[$1].place }) else { return nil }
        return waiting.remove(at: next).login
    }
}
