import Foundation
import TCPTransport
import Threema
import ThreemaChat
import ThreemaClient
import ThreemaDirectory
import ThreemaMedia
import ThreemaTransport

/// A directory and a media server that are asked over HTTPS, and a chat server on a port of this machine.
final class Servers: Sendable {
    let media: MediaServer
    let blobs: MediaClient
    private let directory: DirectoryClient
    private let key = ServerKey.random()
    private let listener: TCPListener

    init(_ url: String, authority: [UInt8]) throws {
        let server = try DirectoryServer(url: url, authority: authority)
        directory = DirectoryClient(server, userAgent: "two-clients")
        media = try MediaServer(uploadURL: url, downloadURL: url, authority: authority)
        blobs = MediaClient(media, userAgent: "two-clients")
        listener = try TCPListener(address: "127.0.0.1")
        Thread.detachNewThread { [self] in
            try? listener.serve(ChatServer(key: key) { [self] in try? find($0)?.publicKey })
        }
    }

    func register() throws -> Identity {
        let key = ClientKey.random()
        let id = try directory.ask(.create(key), key: key).id
        try directory.ask(.setFeatureMask(.forwardSecurity, of: id), key: key)
        return Identity(id: id, clientKey: key)
    }

    func find(_ id: ThreemaID) throws -> Contact? { Contact(try directory.ask(.fetch(id))) }

    func logIn(_ own: borrowing Identity) throws -> ChatSession {
        let stream = try TCPStream(host: "localhost", port: listener.port, within: .seconds(20))
        let client = ChatClient(
            identity: own, serverKeys: [key.publicKey], extensions: try LoginExtensions([.clientInfo("1.0;L;en/CH")]))
        return try ChatSession(client, on: stream)
    }
}
