#if Server
internal import CLinux
internal import NIOCore
internal import Synchronization

/// What the C library's malloc retains of freed memory.
///
/// By itself it gives each thread a heap, up to eight for each processor. A body that one thread has taken and another
/// one has freed leaves room in a heap that the next thread does not use. And it returns the end of a heap to the
/// system as soon as 128 KiB are free there, so that each answer makes the kernel give the same pages again. The buffers
/// of a connection are mapped by themselves: they go when it is closed, and take only what was used of them.
package enum Heaps {
    private static let count: Int32 = 2
    private static let maxFreeBytes: Int32 = 4 * 1024 * 1024
    private static let largestBlock: Int32 = 64 * 1024

    /// To be called before other threads exist.
    package static func bound() { keytool_bound_heaps(count, maxFreeBytes, largestBlock) }
}

/// Returns freed memory to the system a second after a connection was closed: malloc itself returns only the end of a
/// heap, and one small block there holds all before it.
final class HeapTrimming: Sendable {
    private static let delay = TimeAmount.seconds(1)

    private let isDue = Atomic<Bool>(false)

    /// Has the heaps trimmed soon, by a thread of `pool`. More calls until then add nothing.
    func begin(on loop: any EventLoop, by pool: WorkPool) {
        guard !isDue.exchange(true, ordering: .relaxed) else { return }
        loop.scheduleTask(in: Self.delay) {
            self.isDue.store(false, ordering: .relaxed)
            pool.begin { keytool_trim_heaps() }
        }
    }
}
#endif
