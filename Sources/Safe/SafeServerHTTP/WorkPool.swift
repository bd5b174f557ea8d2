#if Server
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The threads on which stores block. Their number is bounded, and so is the number of calls that wait for one. They end
/// with the process: a call that hangs in a store must not delay it.
final class WorkPool: Sendable {
    private let threads: NIOThreadPool
    private let capacity: Int
    private let count = Atomic<Int>(0)

    /// - Parameters:
    ///   - workers: the number of threads.
    ///   - maxWaiting: most calls that wait.
    init(workers: Int, maxWaiting: Int) {
        threads = NIOThreadPool(numberOfThreads: workers)
        capacity = workers + maxWaiting
        threads.start()
    }

    /// Calls `body` on one of the threads, unless the call is abandoned before.
    /// - Returns: its result on the event loop, nil if it was abandoned; no future if too many calls are waiting.
    func run<Result: Sendable>(
        _ call: WaitingCall, on loop: any EventLoop, _ body: @escaping @Sendable () -> Result
    ) -> EventLoopFuture<Result?>? {
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= capacity else {
            count.wrappingSubtract(1, ordering: .relaxed)
            return nil
        }
        return threads.runIfActive(eventLoop: loop) {
            defer { self.count.wrappingSubtract(1, ordering: .relaxed) }
            return call.begin() ? body() : nil
        }
    }

    /// Calls `body` on one of the threads. Nobody waits for it.
    func begin(_ body: @escaping @Sendable () -> Void) {
        threads.submit { if $0 == .active { body() } }
    }
}

/// A call that waits for a thread: either it begins, or it is abandoned.
final class WaitingCall: Sendable {
    private let isDecided = Atomic<Bool>(false)

    /// - Returns: false if it was abandoned before.
    fileprivate func begin() -> Bool { decide() }

    /// - Returns: false if it has begun.
    func abandon() -> Bool { decide() }

    private func decide() -> Bool {
        isDecided.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
    }
}
#endif
