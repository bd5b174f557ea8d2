import Glibc
import Synchronization
@testable import Encodings
@testable import SafeServer
@testable import SafeServerHTTP
@testable import SafeStore
@testable import SafeWire

/// What the listener asks: a server whose store is empty at the start of each connection.
final class Answering: SafeAnswering {
    static let shared = Answering()

    private let responder = Mutex(Answering.empty)

    func forget() { responder.withLock { $0 = Self.empty } }

    func examine(_ request: ServerRequest, at now: ClockReading) -> ExaminedRequest {
        responder.withLock { $0 }.examine(request, at: now)
    }

    func answerAtOnce(_ request: ServerRequest, at now: ClockReading) -> ImmediateAnswer? {
        responder.withLock { $0 }.answerAtOnce(request, at: now)
    }

    private static var empty: SafeResponder<MemoryStore> {
        let rate = RequestRate(burst: 1_000_000, interval: .nanoseconds(1))
        return SafeResponder(
            MemoryStore(), limits: ServerLimits(maxBackupBytes: longestBody, retentionDays: 180),
            throttle: Throttle(clientRate: rate, backupRate: rate))
    }

    // MARK: The listener

    /// Longer than an answer that is not counted.
    private static let longestBody = 2048

    private static var limits: ListenerLimits {
        var limits = ListenerLimits()
        limits.maxConnectionsPerClient = 1
        limits.maxBodyBytes = longestBody
        limits.maxBodyMemory = 16 * 1024
        limits.workers = 1
        limits.lingerTime = .milliseconds(5)
        return limits
    }

    static let service = Service(
        shared, limits: limits, forwarding: Forwarding(), readiness: nil,
        clock: { ClockReading(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonic: .zero) },
        observe: { event in
            if case .ended(.tooMany) = event { fatalError("a connection that has ended is counted") }
        })

    /// A thread may still work on a request whose client has gone, and gives back what it has taken after that.
    func expectNothingTaken() {
        for _ in 0..<100_000 {
            if Self.isNothingTaken { return }
            usleep(100)
        }
        fatalError("a connection that has ended has given its memory back")
    }

    /// Whether all memory can be taken at once.
    private static var isNothingTaken: Bool {
        let (uploads, answers) = (service.uploads, service.answers)
        let number = uploads.open(for: "all") { _ in }
        defer { uploads.close(number) }
        let all = limits.maxAnswerMemory
        guard uploads.take(limits.maxBodyMemory, for: number, at: .zero) == .taken(ending: []),
            answers.take(all, for: "all")
        else { return false }
        answers.give(back: all, of: "all")
        return true
    }
}
