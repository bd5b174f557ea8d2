import Foundation
import Synchronization

/// Runs `body` in as many threads at once, each with its number.
///
/// Threads, because tasks that block would use up the two that a small machine gives them.
/// - Returns: what they answered, in the order of their numbers.
func concurrently<Answer: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) -> Answer
) -> [Answer] {
    let answers = Answers<Answer>()
    let start = DispatchSemaphore(value: 0)
    let end = DispatchGroup()
    for index in 0..<count {
        end.enter()
        Thread.detachNewThread {
            start.wait()
            let answer = body(index)
            answers.values.withLock { $0[index] = answer }
            end.leave()
        }
    }
    for _ in 0..<count { start.signal() }
    end.wait()
    return answers.values.withLock { values in (0..<count).compactMap { values[$0] } }
}

private final class Answers<Answer: Sendable>: Sendable {
    let values = Mutex<[Int: Answer]>([:])
}

extension Thread {
    /// Starts `body` in a thread of its own.
    /// - Returns: a function that waits for its answer.
    static func answer<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) -> () -> Answer {
        let answers = Answers<Answer>()
        let end = DispatchSemaphore(value: 0)
        detachNewThread {
            let answer = body()
            answers.values.withLock { $0[0] = answer }
            end.signal()
        }
        return {
            end.wait()
            return answers.values.withLock { $0[0]! }
        }
    }
}

/// Something that one thread tells others, once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
