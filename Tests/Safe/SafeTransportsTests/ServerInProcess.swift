import Encodings
import Foundation
import HTTP
import SafeServer
import SafeStore
import SafeTransports
import SafeWire
import SecureMemory
import Synchronization

/// A Safe server in this process, asked by the client's own `HTTPExchange`.
final class ServerInProcess: ServerUnderTest {
    let client: InProcessClient
    let address = "https://safe.example.org/alice/"
    private let password: String?

    /// - Parameter maxBackupBytes: the size that the server accepts.
    init<Store: BackupStore & ~Copyable>(
        _ store: consuming Store, maxBackupBytes: Int = 2 * maxFetchedBytes, throttle: Throttle = Throttle()
    ) {
        let limits = ServerLimits(maxBackupBytes: maxBackupBytes, retentionDays: 180)
        client = InProcessClient(SafeResponder(store, limits: limits, below: "/alice", throttle: throttle))
        password = nil
    }

    /// The account alice of a server in a prepared directory. The file of accounts is made.
    /// - Parameters:
    ///   - password: that of the account.
    ///   - typed: that of the client.
    init(accountsIn path: String, password: String, typed: String? = nil, quota: Int? = nil) throws {
        let name = AccountName("alice")!
        let server = try ServerDirectory(at: path)
        try server.makeAccount(name)
        let hash = try PasswordHash(of: SecureBytes(copying: Array(password.utf8).span), salt: Array(0..<16))
        try server.editLogins { content in
            var file = AccountFile(content)
            file.set(Account(name: name, hash: hash, quota: quota))
            return file.content
        }
        let limits = ServerLimits(maxBackupBytes: 2 * maxFetchedBytes, retentionDays: 180)
        client = InProcessClient(try AccountResponder(at: path, limits: limits, throttle: Throttle()))
        self.password = typed ?? password
    }

    var exchange: any SafeExchange { exchange { _ in } }

    /// - Parameter sleep: lets the time of a wait pass.
    func exchange(sleep: @escaping @Sendable (Duration) -> Void) -> any SafeExchange {
        let endpoint = SafeEndpoint(
            try! SafeServerAddress(parsing: address),
            login: Self.login(password), authority: nil, pins: [])
        let retry = RetryPolicy(total: .seconds(100), longestWait: .seconds(30), sleep: sleep)
        return HTTPExchange(endpoint, for: SafeExchangeRule.id(0), by: client, timeout: .seconds(10), retry: retry)!
    }

    private static func login(_ password: String?) -> Login? {
        guard let password else { return nil }
        return Login(user: "alice", password: SecureBytes(copying: Array(password.utf8).span))
    }

    /// The server's limits are fixed, so there is no document to be put.
    func putConfig(_ content: [UInt8]) throws { throw CocoaError(.fileWriteNoPermission) }

    func putBackup(_ content: [UInt8], at id: BackupID) throws { try exchange.store(content, at: id, if: .none) }

    func takeAway() { client.isAway.withLock { $0 = true } }
}

/// Hands the requests of a client to a server without a socket, and shortens nothing but what a real client would.
final class InProcessClient: HTTPClient {
    private let responder: any SafeAnswering
    let isAway = Mutex(false)
    /// Seconds that have passed.
    let clock = Mutex(0)

    init(_ responder: any SafeAnswering) { self.responder = responder }

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
        if let login = Self.authorization(endpoint) { headers.append(login) }
        if let body = request.body { headers.append(("Content-Length", String(body.count))) }
        let seconds = clock.withLock { $0 }
        let now = ClockReading(wall: Timestamp(milliseconds: 1_795_262_400_000), monotonic: .seconds(seconds))
        let answer = responder.answer(
            ServerRequest(request.method.rawValue, String(target), headers: headers, client: "192.0.2.1"),
            body: request.body ?? [], at: now)
        guard answer.body.count <= request.limit else { throw .bodyTooLong }
        return answer
    }

    /// The header that libcurl is given.
    private static func authorization(_ endpoint: borrowing HTTPEndpoint) -> (name: String, value: String)? {
        switch endpoint.login {
        case .some(let login):
            let line = login.authorization.withBytes { $0.extracting(0..<($0.count - 1)).revealText() }
            return ("Authorization", String(line.dropFirst("Authorization: ".count)))
        case .none: return nil
        }
    }

    func certificate(
        of endpoint: borrowing HTTPEndpoint, isExamined: Bool, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> PresentedCertificate? { nil }

    func chain(
        of endpoint: borrowing HTTPEndpoint, within timeouts: HTTPTimeouts
    ) throws(HTTPError) -> [PresentedCertificate] { [] }
}
