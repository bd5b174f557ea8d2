import Encodings
import Foundation
import HTTP
import SafeServer
import SafeStore
import SafeTransports
import SafeWire
import Synchronization

/// A Safe server in this process, asked by the client's own `HTTPExchange`.
final class ServerInProcess<Store: BackupStore & ~Copyable>: ServerUnderTest {
    let client: InProcessClient<Store>
    let address = "https://safe.example.org/alice/"

    /// - Parameter maxBackupBytes: the size that the server accepts.
    init(_ store: consuming Store, maxBackupBytes: Int = 2 * maxFetchedBytes, throttle: Throttle = Throttle()) {
        let limits = ServerLimits(maxBackupBytes: maxBackupBytes, retentionDays: 180)
        client = InProcessClient(SafeResponder(store, limits: limits, below: "/alice", throttle: throttle))
    }

    var exchange: any SafeExchange { exchange { _ in } }

    /// - Parameter sleep: lets the time of a wait pass.
    func exchange(sleep: @escaping @Sendable (Duration) -> Void) -> any SafeExchange {
        let endpoint = SafeEndpoint(try! SafeServerAddress(parsing: address))
        let retry = RetryPolicy(total: .seconds(100), longestWait: .seconds(30), sleep: sleep)
        return HTTPExchange(endpoint, for: SafeExchangeRule.id(0), by: client, timeout: .seconds(10), retry: retry)!
    }

    /// The server's limits are fixed, so there is no document to be put.
    func putConfig(_ content: [UInt8]) throws { throw CocoaError(.fileWriteNoPermission) }

    func putBackup(_ content: [UInt8], at id: BackupID) throws { try exchange.store(content, at: id, if: .none) }

    func takeAway() { client.isAway.withLock { $0 = true } }
}

/// Hands the requests of a client to a server without a socket, and shortens nothing but what a real client would.
final class InProcessClient<Store: BackupStore & ~Copyable>: HTTPClient {
    private let responder: SafeResponder<Store>
    let isAway = Mutex(false)
    /// Seconds that have passed.
    let clock = Mutex(0)

    init(_ responder: SafeResponder<Store>) { self.responder = responder }

    func send(
        _ request: HTTPRequest, to endpoint: borrowing HTTPEndpoint, progress: HTTPProgress?
    ) throws(HTTPError) -> HTTPResponse {
        guard !isAway.withLock({ $0 }) else { throw .connection(.notConnected) }
        guard let url = endpoint.url(of: request.path) else { throw .badURL }
        let text = url.withBytes { $0.extracting(0..<($0.count - 1)).revealText() }
        let target = text.dropFirst("https://".count).drop { $0 != "/" }
        var headers = request.headers.compactMap { line -> (name: String, value: String)? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            return (String(parts[0]), String(parts[1].drop { $0 == " " }))
        }
        if let body = request.body { headers.append(("Content-Length", String(body.count))) }
        let seconds = clock.withLock { $0 }
        let now = ClockReading(wall: Timestamp(milliseconds: 1_795_262_400_000), monotonic: .seconds(seconds))
        let answer = responder.answer(
            ServerRequest(request.method.rawValue, String(target), headers: headers, client: "192.0.2.1"),
            body: request.body ?? [], at: now)
        guard answer.body.count <= request.limit else { throw .bodyTooLong }
        return answer
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }
}
