import ByteStreams
import Foundation
import Glibc
import StreamKit
import Testing

@testable import TCPTransport

/// Serves on a thread of its own until it is released.
final class Serving: Sendable {
    let listener: TCPListener

    init(
        _ address: String, maxConnections: Int = 256, drainTimeout: Duration = .seconds(10),
        _ make: @escaping @Sendable () -> any StreamHandler
    ) throws {
        let listener = try TCPListener(address: address)
        self.listener = listener
        Thread.detachNewThread {
            try? listener.serve(make(), maxConnections: maxConnections, drainTimeout: drainTimeout)
        }
    }

    deinit { listener.stop() }

    func connect(_ host: String) throws -> TCPStream {
        try TCPStream(host: host, port: listener.port, within: .seconds(20))
    }
}

@Suite struct TCPStreamTests {
    @Test(arguments: ["127.0.0.1", "::1"], StreamContract.cases)
    func `it keeps the contract of streams`(_ address: String, _ name: String) throws {
        let serving = try Serving(address) { EchoHandler() }
        try StreamContract.check(name, serving.connect(address))
    }

    /// That of the tests without sockets, too.
    @Test(arguments: StreamContract.cases)
    func `the stream without a network keeps the contract`(_ name: String) throws {
        try StreamContract.check(name, LoopbackStream(LoopbackNetwork(EchoHandler())))
    }

    @Test func `a name has all its addresses`() throws {
        // One of both families has no listener.
        for address in ["127.0.0.1", "::1"] {
            let serving = try Serving(address) { EchoHandler() }
            let port = serving.listener.port
            guard (try? TCPStream(host: "localhost", port: port, within: .seconds(20))) != nil else {
                // A machine whose localhost is of one family only has nobody at the other one.
                let families = try SocketAddress.all(of: "localhost", port: port, until: .now + .seconds(20)).map(
                    \.family)
                #expect(!families.contains(address == "::1" ? AF_INET6 : AF_INET))
                continue
            }
        }
    }

    @Test func `nobody listens`() throws {
        let port = try TCPListener().port
        #expect(throws: StreamError.refused) { try TCPStream(host: "127.0.0.1", port: port, within: .seconds(20)) }
    }

    @Test(arguments: ["name.invalid", "::1::", "a name", "127.0.0.256"])
    func `an unknown name`(_ host: String) {
        do throws(StreamError) {
            _ = try TCPStream(host: host, port: 1, within: .seconds(5))
            Issue.record("connected")
        } catch {
            // Without a name server, the name cannot be known to be unknown.
            #expect([.unknownName, .noNameServer, .timedOut(.lookUp)].contains(error), "\(error)")
        }
    }

    @Test func `a full backlog lets the connection time out`() throws {
        // No more than one connection waits to be accepted, and nobody accepts.
        let socket = try Socket(family: AF_INET)
        let address = try SocketAddress.all(of: "127.0.0.1", port: 0, until: .now + .seconds(9))[0]
        #expect(address.with { bind(socket.descriptor, $0, $1) } == 0)
        #expect(listen(socket.descriptor, 0) == 0)
        let port = try SocketAddress.port(of: socket)
        var streams: [TCPStream] = []
        #expect(throws: StreamError.timedOut(.connect)) {
            for _ in 0..<4 { streams.append(try TCPStream(host: "127.0.0.1", port: port, within: .milliseconds(200))) }
        }
    }

    @Test func `a write to somebody who does not read times out`() throws {
        let socket = try Socket(family: AF_INET)
        let address = try SocketAddress.all(of: "127.0.0.1", port: 0, until: .now + .seconds(9))[0]
        #expect(address.with { bind(socket.descriptor, $0, $1) } == 0)
        #expect(listen(socket.descriptor, 1) == 0)
        let stream = try TCPStream(
            host: "127.0.0.1", port: SocketAddress.port(of: socket), within: .seconds(20))
        let bytes = [UInt8](repeating: 1, count: 64 << 20)
        #expect(throws: StreamError.timedOut(.write)) { try stream.write(bytes.span, within: .milliseconds(200)) }
    }

    @Test func `a connection that the kernel gives up is not one that was never made`() throws {
        let listener = try Socket(family: AF_INET)
        let address = try SocketAddress.all(of: "127.0.0.1", port: 0, until: .now + .seconds(9))[0]
        #expect(address.with { bind(listener.descriptor, $0, $1) } == 0)
        #expect(listen(listener.descriptor, 1) == 0)
        let port = try SocketAddress.port(of: listener)
        let socket = try Socket(family: AF_INET)
        let server = try SocketAddress.all(of: "127.0.0.1", port: port, until: .now + .seconds(9))[0]
        _ = server.with { Glibc.connect(socket.descriptor, $0, $1) }
        #expect(try socket.wait(for: POLLOUT, until: .now + .seconds(20)))
        // The kernel gives up if nothing is taken for so many milliseconds.
        var limit: UInt32 = 300
        let count = socklen_t(MemoryLayout<UInt32>.size)
        #expect(setsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, count) == 0)
        #expect(throws: StreamError.system(code: ETIMEDOUT)) {
            let bytes = [UInt8](repeating: 1, count: 1 << 20)
            let deadline = ContinuousClock.now + .seconds(20)
            while try socket.send(bytes.span) > 0 || socket.wait(for: POLLOUT, until: deadline) {}
        }
        #expect(StreamError(connecting: ETIMEDOUT) == .timedOut(.connect))
    }

    @Test func `close ends a read on another thread`() throws {
        let serving = try Serving("127.0.0.1") { EchoHandler() }
        let stream = try serving.connect("127.0.0.1")
        Thread.detachNewThread {
            usleep(50_000)
            stream.close()
        }
        let start = ContinuousClock.now
        #expect(try stream.read(upTo: 1, within: .seconds(60)) == [])
        #expect(start.duration(to: .now) < .seconds(30))
    }
}

@Suite struct TCPListenerTests {
    @Test func `a port is taken once`() throws {
        let listener = try TCPListener()
        #expect(throws: StreamError.portNotAvailable) { try TCPListener(port: listener.port) }
    }

    @Test func `an address of another machine is refused`() {
        #expect(throws: StreamError.unreachable) { try TCPListener(address: "192.0.2.1") }
    }

    @Test func `others wait while all places are taken`() throws {
        let serving = try Serving("127.0.0.1", maxConnections: 1) { EchoHandler() }
        let first = try serving.connect("127.0.0.1")
        try first.write([1].span, within: .seconds(20))
        #expect(try first.read(upTo: 1, within: .seconds(20)) == [1])
        let second = try serving.connect("127.0.0.1")
        try second.write([2].span, within: .seconds(20))
        #expect(throws: StreamError.timedOut(.read)) { try second.read(upTo: 1, within: .milliseconds(200)) }
        first.close()
        #expect(try second.read(upTo: 1, within: .seconds(20)) == [2])
    }

    @Test func `what is sent before closing arrives, though more was sent to the server`() throws {
        let serving = try Serving("127.0.0.1") { EchoHandler() }
        for _ in 0..<20 {
            let stream = try serving.connect("127.0.0.1")
            let bytes = [5, EchoHandler.closing] + [UInt8](repeating: 3, count: 200_000)
            // The server may have closed before all is written.
            try? stream.write(bytes.span, within: .seconds(20))
            #expect(try stream.read(upTo: 9, within: .seconds(20)) == [5])
        }
    }

    @Test func `a client that does not read the last bytes loses its place`() throws {
        let serving = try Serving("127.0.0.1", maxConnections: 1, drainTimeout: .milliseconds(200)) { LastWords() }
        let first = try serving.connect("127.0.0.1")
        try first.write([1].span, within: .seconds(20))
        let second = try serving.connect("127.0.0.1")
        try second.write([1].span, within: .seconds(20))
        #expect(try second.read(upTo: 1, within: .seconds(5)) == [9])
        // It has been open all the time.
        #expect(try first.read(upTo: 1, within: .zero) == [9])
    }

    @Test func `a client that reads gets all of the last bytes`() throws {
        let serving = try Serving("127.0.0.1", drainTimeout: .seconds(20)) { LastWords() }
        let stream = try serving.connect("127.0.0.1")
        try stream.write([1].span, within: .seconds(20))
        var count = 0
        while case let piece = try stream.read(upTo: 1 << 20, within: .seconds(20)), !piece.isEmpty {
            count += piece.count
        }
        #expect(count == LastWords.count)
    }

    @Test func `a client that does not read is not read either`() throws {
        let serving = try Serving("127.0.0.1") { EchoHandler() }
        let stream = try serving.connect("127.0.0.1")
        let bytes = [UInt8](repeating: 1, count: 64 << 20)
        #expect(throws: StreamError.timedOut(.write)) { try stream.write(bytes.span, within: .milliseconds(500)) }
        // Others are served.
        let other = try serving.connect("127.0.0.1")
        try other.write([4].span, within: .seconds(20))
        #expect(try other.read(upTo: 1, within: .seconds(20)) == [4])
    }

    @Test func `stop closes all connections`() throws {
        let serving = try Serving("127.0.0.1") { EchoHandler() }
        let stream = try serving.connect("127.0.0.1")
        try stream.write([1].span, within: .seconds(20))
        #expect(try stream.read(upTo: 1, within: .seconds(20)) == [1])
        serving.listener.stop()
        #expect(try stream.read(upTo: 1, within: .seconds(20)) == [])
    }

    @Test func `without free descriptors clients wait and the listener does too`() async {
        await #expect(processExitsWith: .success) {
            let serving = try Serving("127.0.0.1") { EchoHandler() }
            let stream = try serving.connect("127.0.0.1")
            try stream.write([1].span, within: .seconds(20))
            #expect(try stream.read(upTo: 1, within: .seconds(20)) == [1])
            let address = try SocketAddress.all(
                of: "127.0.0.1", port: serving.listener.port, until: .now + .seconds(20))[0]
            let waiting = try Socket(family: address.family)
            var taken: [Int32] = []
            try limitDescriptors(to: 64)
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            _ = address.with { Glibc.connect(waiting.descriptor, $0, $1) }
            let before = clock()
            usleep(600_000)
            let used = Double(clock() - before) / Double(CLOCKS_PER_SEC)
            #expect(used < 0.2, "seconds of CPU time in 0.6 seconds")
            // Those that are connected are served.
            try stream.write([2].span, within: .seconds(20))
            #expect(try stream.read(upTo: 1, within: .seconds(20)) == [2])
            for descriptor in taken { Glibc.close(descriptor) }
            #expect(try waiting.wait(for: POLLOUT, until: .now + .seconds(20)))
            #expect(try waiting.send([3].span) == 1)
            #expect(try waiting.wait(for: POLLIN, until: .now + .seconds(20)))
            #expect(try waiting.receive(upTo: 1) == [3])
            serving.listener.stop()
        }
    }

    @Test(arguments: [
        EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET, ENOPROTOOPT, EOPNOTSUPP, EPERM, ECONNABORTED,
    ])
    func `a failure of the new connection does not end the listener`(_ code: Int32) throws {
        guard case .nobody = try TCPListener.notAccepted(code) else {
            Issue.record("of the listener")
            return
        }
        #expect(throws: StreamError.system(code: EBADF)) { _ = try TCPListener.notAccepted(EBADF) }
    }

    @Test func `a deadline is kept`() throws {
        let serving = try Serving("127.0.0.1") { ClosesLater() }
        let start = ContinuousClock.now
        let stream = try serving.connect("127.0.0.1")
        #expect(try stream.read(upTo: 9, within: .seconds(60)) == [9])
        #expect(try stream.read(upTo: 9, within: .seconds(60)) == [])
        #expect(start.duration(to: .now) >= .milliseconds(90))
    }
}

/// Lets this process open no more files.
private func limitDescriptors(to count: UInt) throws {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { throw StreamError(errno) }
    limit.rlim_cur = rlim_t(count)
    guard setrlimit(resource, &limit) == 0 else { throw StreamError(errno) }
}

/// Answers the first bytes with more than the kernel takes, and closes.
private final class LastWords: StreamHandler {
    static let count = 32 << 20
    var deadline: Duration? { nil }

    func opened(_ connection: Int, at now: Duration) -> [StreamAction] { [] }

    func received(_ bytes: Span<UInt8>, from connection: Int, at now: Duration) -> [StreamAction] {
        [.send([UInt8](repeating: 9, count: Self.count), to: connection), .close(connection)]
    }

    func drained(_ connection: Int, at now: Duration) -> [StreamAction] { [] }
    func closed(_ connection: Int, at now: Duration) -> [StreamAction] { [] }
    func due(at now: Duration) -> [StreamAction] { [] }
}

/// Closes each connection after a tenth of a second, with a last byte.
private final class ClosesLater: StreamHandler {
    private var ends: [Int: Duration] = [:]
    var deadline: Duration? { ends.values.min() }

    func opened(_ connection: Int, at now: Duration) -> [StreamAction] {
        ends[connection] = now + .milliseconds(100)
        return []
    }

    func received(_ bytes: Span<UInt8>, from connection: Int, at now: Duration) -> [StreamAction] { [] }

    func drained(_ connection: Int, at now: Duration) -> [StreamAction] { [] }

    func closed(_ connection: Int, at now: Duration) -> [StreamAction] {
        ends[connection] = nil
        return []
    }

    func due(at now: Duration) -> [StreamAction] {
        let over = ends.filter { $0.value <= now }.keys
        for number in over { ends[number] = nil }
        return over.flatMap { [.send([9], to: $0), .close($0)] }
    }
}
