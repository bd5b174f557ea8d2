#if Server
internal import NIOCore
package import SafeServer
package import SafeStore

/// What all connections of a listener share.
package final class Service: Sendable {
    let answering: any SafeAnswering
    let limits: ListenerLimits
    let forwarding: Forwarding
    let clock: @Sendable () -> ClockReading
    let observe: @Sendable (ListenerEvent) -> Void
    /// For requests that only read: they must not wait behind writes that hang.
    let reads: WorkPool
    /// For all others.
    let writes: WorkPool
    let readiness: Readiness?
    let connections: OpenConnections
    let uploads: UploadMemory
    let answers: BodyMemory
    let date = AnswerDate()
    let pieces = OutgoingPieces()
    let heaps = HeapTrimming()

    /// - Parameters:
    ///   - answering: called on one of the threads of `limits.workers`.
    ///   - clock: the only one that is read.
    ///   - readiness: answers `GET /ready`, beside which `GET /health` is answered; nil for neither of them.
    ///   - observe: called on the threads of the listener; it must not block.
    package init(
        _ answering: any SafeAnswering, limits: ListenerLimits, forwarding: Forwarding,
        readiness: Readiness?, clock: @escaping @Sendable () -> ClockReading,
        observe: @escaping @Sendable (ListenerEvent) -> Void
    ) {
        self.answering = answering
        self.limits = limits
        self.forwarding = forwarding
        self.clock = clock
        self.observe = observe
        self.readiness = readiness
        reads = WorkPool(workers: limits.workers, maxWaiting: limits.maxWaiting)
        writes = WorkPool(workers: limits.workers, maxWaiting: limits.maxWaiting)
        connections = OpenConnections(
            limit: limits.maxConnections, clientLimit: limits.maxConnectionsPerClient)
        uploads = UploadMemory(limit: limits.maxBodyMemory, largest: limits.maxBodyBytes)
        answers = BodyMemory(limit: limits.maxAnswerMemory, largest: limits.maxBodyBytes)
    }
}
#endif
