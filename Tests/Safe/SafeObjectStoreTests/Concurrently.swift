import Foundation
import Synchronization

/// Runs `body` in as many threads at once, each with its number. Threads, because tasks that block would use up the
/// two that a small machine gives them.
/// - Returns: how many of them answered true.
func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Bool) -> Int {
    let counter = Counter()
    let end = DispatchGroup()
    for index in 0..<count {
        end.enter()
        Thread.detachNewThread {
            if (try? body(index)) ?? false { counter.value.add(1, ordering: .relaxed) }
            end.leave()
        }
    }
    end.wait()
    return counter.value.load(ordering: .relaxed)
}

private final class Counter: Sendable {
    let value = Atomic(0)
}
