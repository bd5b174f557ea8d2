internal import Glibc

/// A thread that nobody waits for, for a call of the C library that may not return in time.
package enum DetachedThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `work` on a new thread, which takes no signals that end the process: they are for the thread that works.
    /// - Returns: false if there can be no new thread; then `work` does not run.
    package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let context = unsafe Unmanaged.passRetained(Work(work))
        var thread = pthread_t()
        // A new thread inherits the signal mask.
        let result = EndingSignals.held {
            unsafe pthread_create(
                &thread, nil,
                { context in
                    unsafe Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().run()
                    return nil
                }, context.toOpaque())
        }
        guard result == 0 else {
            unsafe context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
