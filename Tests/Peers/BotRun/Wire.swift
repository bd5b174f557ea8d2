import Foundation
import Synchronization
import TCPTransport
import Threema
import ThreemaChat
import ThreemaMessages

/// A chat server on a port of this machine that remembers what was sent.
final class Wire: Sendable {
    struct Seen {
        var messages = 0
        fileprivate var nonces: [[UInt8]: [UInt8]] = [:]
        fileprivate var names: [[UInt8]: [UInt8]] = [:]
        /// A nonce with two messages, or a message with two bodies.
        var faults: [String] = []
    }

    let seen = Mutex(Seen())
    let key = ServerKey.random()
    private let listener: TCPListener
    var port: UInt16 { listener.port }

    init(_ publicKey: @escaping @Sendable (ThreemaID) -> PublicKey?) throws {
        listener = try TCPListener(address: "127.0.0.1")
        Thread.detachNewThread { [self] in
            let server = ChatServer(key: key, publicKey: publicKey)
            server.observe = { [self] message in seen.withLock { $0.note(message) } }
            try? listener.serve(server)
        }
    }
}

extension Wire.Seen {
    /// A message that its sender sends again is the same, byte for byte.
    fileprivate mutating func note(_ message: MessagePayload) {
        let bytes = message.encoded
        let name = message.sender.bytes + message.receiver.bytes + message.id.bytes
        let nonce = message.nonce.bytes
        if let before = nonces[nonce] {
            if before != bytes { faults.append("\(message.sender) has used a nonce twice") }
            return
        }
        if names[name] != nil { faults.append("\(message.sender) has sent message \(message.id) twice") }
        nonces[nonce] = bytes
        names[name] = bytes
        messages += 1
    }
}
