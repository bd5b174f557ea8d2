#if Server
internal import NIOCore

/// A deadline that each step of a request moves. It is used on one event loop only.
///
/// The loop searches all its tasks for each one that is cancelled. So a task is moved only if the deadline comes
/// before it: one that comes too early finds the deadline later, and waits for the rest.
final class Deadline {
    private let loop: NIOIsolatedEventLoop
    private var due: (time: NIODeadline, action: () -> Void)?
    private var alarm: (time: NIODeadline, task: Scheduled<Void>)?
    private var isOver = false

    init(on loop: any EventLoop) { self.loop = loop.assumeIsolated() }

    /// Calls `action` after `time`, instead of what was set before.
    func set(after time: TimeAmount, _ action: @escaping () -> Void) {
        guard !isOver else { return }
        let time = NIODeadline.now() + time
        due = (time, action)
        guard let alarm else { return ring(at: time) }
        guard time < alarm.time else { return }
        alarm.task.cancel()
        ring(at: time)
    }

    /// Nothing is called.
    func clear() { due = nil }

    /// Nothing is called, and nothing more can be set.
    func end() {
        isOver = true
        due = nil
        alarm?.task.cancel()
        alarm = nil
    }

    private func ring(at time: NIODeadline) {
        let task = loop.scheduleTask(deadline: time) { [weak self] in
            guard let self else { return }
            self.alarm = nil
            guard let due = self.due else { return }
            guard due.time <= .now() else { return self.ring(at: due.time) }
            self.due = nil
            due.action()
        }
        alarm = (time, task)
    }
}
#endif
