import HTTP
import HTTPTransport
import SafeWire
import SecureMemory
import ServerKit
import SafeTransports

/// The WebDAV directory of `HTTPSServer`, as a Safe server.
final class HTTPSSafe: ServerUnderTest {
    private let server: HTTPSServer
    private let parsed: SafeServerAddress

    /// An empty directory, not prepared.
    init() throws {
        server = try HTTPSServer()
        parsed = try SafeServerAddress(parsing: server.address)
    }

    static func prepared() throws -> HTTPSSafe {
        let server = try HTTPSSafe()
        try server.exchange.prepare(.standard)
        return server
    }

    var address: String { server.address }

    var ownAuthority: [UInt8] { server.authority }

    var exchange: any SafeExchange { exchange(password: "correct horse", authority: ownAuthority) }

    /// - Parameter password: nil to ask without a login.
    func exchange(password: String?, authority: [UInt8]?, pins: [PublicKeyPin] = []) -> any SafeExchange {
        let login = password.map { text in
            let bytes = Array(text.utf8)
            return Login(user: "alice", password: SecureBytes(copying: bytes.span))
        }
        let endpoint = SafeEndpoint(parsed, login: login, authority: authority, pins: pins)
        let retry = RetryPolicy(total: .seconds(20), longestWait: .seconds(30)) { _ in }
        let id = BackupID([UInt8](repeating: 0, count: BackupID.count).span)
        return HTTPExchange(endpoint, for: id, by: CurlClient(), timeout: .seconds(10), retry: retry)!
    }

    func putConfig(_ content: [UInt8]) throws { try server.put("config", content) }

    func putBackup(_ content: [UInt8], at id: BackupID) throws { try server.put("backups/" + id.hex, content) }

    func takeAway() throws { try server.takeAway() }
}
