import StreamKit
import Threema
import ThreemaChat
import ThreemaMessages

@testable import ThreemaClient

/// A chat server in the same thread, for both of a household.
final class Network {
    let loopback: LoopbackNetwork
    private let serverKey = ServerKey.random()
    /// What the server has given to the platforms' services.
    var pushed: [(token: PushToken, payload: [UInt8])] = []

    private final class Weak {
        weak var network: Network?
    }

    init(_ home: Household) {
        let keys = [home.alice.id: home.alice.publicKey, home.bob.id: home.bob.publicKey]
        let this = Weak()
        loopback = LoopbackNetwork(
            ChatServer(key: serverKey, publicKey: { keys[$0] }, push: { this.network?.pushed.append(($0, $1)) }))
        this.network = self
    }

    func connect(_ side: Side) throws -> (MessageClient, LoopbackStream) {
        let stream = LoopbackStream(loopback)
        let client = ChatClient(
            identity: side.identity(), serverKeys: [serverKey.publicKey], extensions: try LoginExtensions([]))
        return (
            try MessageClient(side.mailbox, on: ChatSession(client, on: stream) { [loopback] in loopback.now }), stream
        )
    }

    /// Connects, receives all that is there, and ends the connection.
    @discardableResult
    func visit(_ side: Side) throws -> [Incoming] {
        let (client, stream) = try connect(side)
        var all: [Incoming] = []
        while let event = try client.receive(within: .zero) {
            if case .received(let incoming) = event { all.append(incoming) }
        }
        stream.close()
        return all
    }
}
