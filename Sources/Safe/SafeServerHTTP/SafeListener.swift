#if Server
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import SafeServer
internal import SafeStore
internal import Synchronization

/// Where a listener listens.
package enum ListenAddress: Equatable, Sendable {
    /// An address or a host name, and a port; 0 for any free one.
    case tcp(host: String, port: Int)
    /// The path of a Unix socket. One that exists is replaced.
    case unix(path: String)
}

/// Accepts connections and has requests answered. Methods block; they must not be called from a thread of the
/// listener.
package final class SafeListener: Sendable {
    private let service: Service
    private let group: MultiThreadedEventLoopGroup
    private let server: Server<ConnectionSetup>
    private let bound: EventLoopPromise<Int>
    private let ended: EventLoopPromise<Bool>
    private let socket: UnixSocket?

    /// - Parameters:
    ///   - certificate: nil for plain HTTP.
    package init(at address: ListenAddress, _ service: Service, certificate: ServerCertificate?) {
        self.service = service
        group = MultiThreadedEventLoopGroup(numberOfThreads: min(Processors.count, Self.maxThreads))
        let bound = group.next().makePromise(of: Int.self)
        self.bound = bound
        ended = group.next().makePromise(of: Bool.self)
        socket = if case .unix(let path) = address { UnixSocket(path: path) } else { nil }
        let bind: BindAddress =
            switch address {
            case .tcp(let host, let port): .hostname(host, port: port)
            case .unix(let path): .unixDomainSocket(path: path)
            }
        let silent = Logger(label: "listener") { _ in SwiftLogNoOpLogHandler() }
        server = Server(
            childChannelSetup: ConnectionSetup(service: service, certificate: certificate),
            configuration: ServerConfiguration(
                address: bind,
                availableConnectionsDelegate: Admission(connections: service.connections)),
            onServerRunning: { channel in
                // Not at once: this may be called while the handler that reads is being changed.
                service.connections.whenAccepting { channel.eventLoop.execute { channel.read() } }
                bound.succeed(channel.localAddress?.port ?? 0)
            },
            eventLoopGroup: group, logger: silent)
    }

    /// Threads that wait for the network.
    private static let maxThreads = 4

    /// Starts to listen.
    /// - Returns: the port; 0 for a Unix socket.
    /// - Throws: `ListenError`.
    package func start() throws(ListenError) -> Int {
        do { try socket?.makeRoom() } catch {
            bound.fail(error)
            ended.succeed(true)
            throw error
        }
        Task {
            do { try await server.run() } catch {
                bound.fail(error)
            }
            ended.succeed(true)
        }
        do {
            let port = try bound.futureResult.wait()
            socket?.open()
            return port
        } catch {
            throw ListenError(error)
        }
    }

    /// Calls `work` at once and again each time after `interval` by the service's monotonic clock, on its own thread
    /// that may block.
    package func repeatedly(every interval: Duration, _ work: @escaping @Sendable () -> Void) {
        let thread = NIOThreadPool(numberOfThreads: 1)
        thread.start()
        let recurrence = Mutex(Recurrence(every: interval))
        let period = TimeAmount(recurrence.withLock(\.period))
        group.next().scheduleRepeatedTask(initialDelay: .zero, delay: period) { [service] _ in
            guard recurrence.withLock({ $0.isDue(at: service.clock().monotonic) }) else { return }
            thread.submit { if $0 == .active { work() } }
        }
    }

    /// Accepts nothing more, lets the requests that have begun come to their end, and closes all connections.
    /// - Parameter time: how long they may take.
    /// - Returns: whether all came to their end.
    package func stop(within time: Duration) -> Bool {
        Task { try? await server.shutdownGracefully() }
        let late = group.next().scheduleTask(in: TimeAmount(time)) { [ended] in ended.succeed(false) }
        defer { late.cancel() }
        return (try? ended.futureResult.wait()) ?? false
    }
}

/// Lets the open connections say whether another one is accepted.
private struct Admission: AvailableConnectionsDelegate {
    let connections: OpenConnections

    func connectionOpened() { connections.accepted() }
    func connectionClosed() { connections.closed() }
    func isAcceptingNewConnections() -> Bool { connections.isAccepting() }
}

/// Why a listener cannot listen.
package enum ListenError: Error, Equatable, Sendable {
    /// `code` is the errno.
    case system(code: Int32)
    /// Another file is in the place of the Unix socket.
    case notASocket
    /// The host name has no address, or something else; in the words of the library.
    case other(String)

    init(_ error: any Error) {
        self = (error as? IOError).map { .system(code: $0.errnoCode) } ?? .other("\(error)")
    }
}
#endif
