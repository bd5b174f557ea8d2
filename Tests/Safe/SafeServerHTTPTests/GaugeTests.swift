#if Server
import Synchronization
import Testing

@testable import SafeServerHTTP

@Suite struct GaugeTests {
    /// Counts the measurements; each waits while the test holds the lock.
    private final class Store: Sendable {
        let lock = Mutex(())
        let count = Atomic(0)

        func measure() -> Int {
            let number = count.add(1, ordering: .relaxed).newValue
            return lock.withLock { _ in number }
        }
    }

    @Test func `a figure is new, and the last one while the store hangs`() {
        let store = Store()
        let gauge = Gauge { store.measure() }
        var last = 0
        // On a busy machine, a figure may take longer than a second.
        while last < 2 || last != store.count.load(ordering: .relaxed) { last = gauge.read() ?? 0 }
        store.lock.withLock { _ in
            for _ in 0..<2 { #expect(gauge.read() == last) }
        }
        // One measurement waits, however often it is asked for.
        #expect(store.count.load(ordering: .relaxed) == last + 1)
        while gauge.read() == last {}
    }

    @Test func `there is no figure before the first one`() {
        let store = Store()
        let gauge = Gauge { store.measure() }
        store.lock.withLock { _ in #expect(gauge.read() == nil) }
    }

    @Test func `a figure is good for an interval`() {
        let store = Store()
        let gauge = Gauge(every: .seconds(3600)) { store.measure() }
        while gauge.read() == nil {}
        for _ in 0..<3 { #expect(gauge.read() == 1) }
    }
}
#endif
