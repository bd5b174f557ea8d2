import Foundation
import Synchronization
import TCPTransport
import Threema
import ThreemaChat
import ThreemaClient

/// A chat server on a port of this machine, and the platform's service that carries its notifications.
final class Server: Sendable {
    /// The payload of the last notification.
    let pushed = Mutex<[UInt8]>([])
    private let key = ServerKey.random()
    private let listener: TCPListener

    init(knowing people: Person...) throws {
        let keys = Dictionary(uniqueKeysWithValues: people.map { ($0.id, $0.publicKey) })
        listener = try TCPListener(address: "127.0.0.1")
        Thread.detachNewThread { [self] in
            let server = ChatServer(key: key, publicKey: { keys[$0] }) { [self] _, payload in
                pushed.withLock { $0 = payload }
            }
            try? listener.serve(server)
        }
    }

    func logIn(_ person: Person) throws -> ChatSession {
        let stream = try TCPStream(host: "localhost", port: listener.port, within: .seconds(20))
        let client = ChatClient(
            identity: person.identity, serverKeys: [key.publicKey],
            extensions: try LoginExtensions([.clientInfo("1.0;L;en/CH")]))
        return try ChatSession(client, on: stream)
    }
}
