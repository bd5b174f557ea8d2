import ByteStreams

/// A stream to a handler in the same thread, with a clock that moves only while a read waits.
package final class LoopbackStream: ByteStream, @unchecked Sendable {
    private let handler: any StreamHandler
    private let network: LoopbackNetwork
    private let number: Int
    fileprivate var arrived: [UInt8] = []
    fileprivate var isClosed = false

    /// Connects.
    package init(_ network: LoopbackNetwork) {
        self.network = network
        handler = network.handler
        number = network.nextNumber()
        network.add(self, number)
        network.obey(handler.opened(number, at: network.now))
    }

    package func read(upTo limit: Int, within timeout: Duration) throws(StreamError) -> [UInt8] {
        if arrived.isEmpty, !isClosed { network.wait(until: network.now + timeout) { !arrived.isEmpty || isClosed } }
        guard !arrived.isEmpty else {
            if isClosed { return [] }
            throw .timedOut(.read)
        }
        let bytes = Array(arrived.prefix(limit))
        arrived.removeFirst(bytes.count)
        return bytes
    }

    package func write(_ bytes: Span<UInt8>, within timeout: Duration) throws(StreamError) {
        guard !isClosed else { throw .closed }
        network.obey(handler.received(bytes, from: number, at: network.now))
        network.settle()
    }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        network.remove(number)
    }
}

/// The connections of one handler, and its clock.
package final class LoopbackNetwork: @unchecked Sendable {
    package let handler: any StreamHandler
    package private(set) var now = Duration.zero
    private var streams: [Int: LoopbackStream] = [:]
    private var drained: [Int] = []
    private var lastNumber = 0

    package init(_ handler: any StreamHandler) { self.handler = handler }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func add(_ stream: LoopbackStream, _ number: Int) { streams[number] = stream }

    func remove(_ number: Int) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        stream.isClosed = true
        obey(handler.closed(number, at: now))
    }

    func obey(_ actions: [StreamAction]) {
        for action in actions {
            switch action {
            case .send(let bytes, let number):
                streams[number]?.arrived += bytes
                drained.append(number)
            case .close(let number): remove(number)
            }
        }
    }

    /// Tells the handler what was taken until it sends nothing more.
    func settle() {
        while !drained.isEmpty {
            let numbers = drained
            drained = []
            for number in Set(numbers).sorted() where streams[number] != nil { obey(handler.drained(number, at: now)) }
        }
    }

    /// Moves the clock from deadline to deadline.
    package func wait(until end: Duration, _ isDone: () -> Bool = { false }) {
        settle()
        while !isDone() {
            guard let deadline = handler.deadline, deadline <= end else {
                now = end
                return
            }
            now = max(now, deadline)
            obey(handler.due(at: now))
            settle()
        }
    }
}
