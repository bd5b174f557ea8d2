import Encodings
import Foundation
import TCPTransport
import Threema
import ThreemaChat
import ThreemaMessages

/// A chat server with its queues in memory, a client that sends, and one that receives, over TCP on loopback.
final class Exchange {
    /// Messages in one write, and in one acknowledgement.
    static let batch = 50
    /// Most batches that are on their way: the queue of a slow receiver would grow.
    static let window = 10

    let payloadBytes: Int
    private let template: [UInt8]
    private let message: Message
    private let alice = Identity(id: try! ThreemaID("000ALICE"), clientKey: .random())
    let bob = Identity(id: try! ThreemaID("00000BOB"), clientKey: .random())
    private let serverKey = ServerKey.random()
    private let port: UInt16
    private var next: UInt64 = 0

    init(textBytes: Int) throws {
        let keys = try ContactKeys(own: alice.clientKey, contact: bob.clientKey.publicKey)
        message = Message(
            from: alice.id, to: bob.id, id: .random(), createdAt: Timestamp(milliseconds: 1_700_000_000_000),
            body: .chat(.text(String(repeating: "a", count: textBytes))))
        // The padding of 1 to 255 bytes is random: runs can be compared if it is always the longest.
        var longest: [UInt8] = []
        for _ in 0..<5_000 {
            let sealed = try message.seal(keys: keys, notIn: NoNonces()).payload.encoded
            if sealed.count > longest.count { longest = sealed }
        }
        template = longest
        payloadBytes = template.count
        let listener = try TCPListener()
        port = listener.port
        let known = [alice.id: alice.clientKey.publicKey, bob.id: bob.clientKey.publicKey]
        Thread.detachNewThread { [serverKey] in
            try! listener.serve(ChatServer(key: serverKey) { known[$0] })
        }
    }

    var sender: PublicKey { alice.clientKey.publicKey }
    var senderID: ThreemaID { alice.id }

    /// Messages with IDs and nonces of their own, without forward security.
    func seal(_ count: Int) throws -> [[UInt8]] {
        let keys = try ContactKeys(own: alice.clientKey, contact: bob.clientKey.publicKey)
        return try (0..<count).map { _ in
            let each = Message(
                from: message.sender, to: message.receiver, id: .random(), createdAt: message.createdAt,
                body: message.body)
            return try each.seal(keys: keys, notIn: NoNonces()).payload.encoded
        }
    }

    func logInReceiver() throws -> ChatSession { try logIn(bob) }

    private func logIn(_ identity: borrowing Identity) throws -> ChatSession {
        let stream = try TCPStream(host: "127.0.0.1", port: port, within: .seconds(20))
        let client = ChatClient(
            identity: identity, serverKeys: [serverKey.publicKey], extensions: try LoginExtensions([]))
        return try ChatSession(client, on: stream)
    }

    /// Sends messages, and receives all of them.
    /// - Parameters:
    ///   - progress: called after each message.
    func run(_ count: Int, progress: (Int) -> Void = { _ in }) throws {
        let receiver = try logIn(bob)
        let (template, first) = (template, next)
        next += UInt64(count)
        let places = try send(count) { number in
            var bytes = template
            bytes.replaceSubrange(16..<24, with: MessageID(first + UInt64(number)).bytes)
            return bytes
        }
        var waiting: [[UInt8]] = []
        var received = 0
        while received < count {
            guard let payload = try receiver.receive(within: .seconds(60)) else { fatalError("no message") }
            guard case .incomingMessage(let bytes) = payload else { continue }
            received += 1
            waiting.append(bytes)
            if waiting.count == Self.batch || received == count {
                try receiver.send(
                    waiting.map { bytes in
                        let id = MessageID(bytes: bytes.span.extracting(16..<24))
                        return .clientAcknowledgement(ChatAcknowledgement(alice.id, id))
                    })
                waiting = []
                places.signal()
            }
            progress(received)
        }
        receiver.close()
    }

    /// Sends messages in a thread of their own.
    /// - Parameter payload: by its number.
    /// - Returns: to be signalled for each batch that was received.
    func send(_ count: Int, payload: @escaping @Sendable (Int) -> [UInt8]) throws -> DispatchSemaphore {
        let sender = UncheckedSession(try logIn(alice))
        let places = DispatchSemaphore(value: Self.window)
        Thread.detachNewThread { try! Self.send(count, payload, sender.session, places) }
        return places
    }

    private static func send(
        _ count: Int, _ payload: (Int) -> [UInt8], _ session: ChatSession, _ places: DispatchSemaphore
    ) throws {
        for start in stride(from: 0, to: count, by: batch) {
            places.wait()
            let payloads = (start..<min(start + batch, count)).map { ChatPayload.outgoingMessage(payload($0)) }
            try session.send(payloads)
            var acknowledged = 0
            while acknowledged < payloads.count {
                let payload = try session.receive(within: .seconds(60))
                if case .serverAcknowledgement = payload { acknowledged += 1 }
            }
        }
        session.close()
    }
}

/// The thread that sends is the only one that uses it.
private struct UncheckedSession: @unchecked Sendable {
    let session: ChatSession
    init(_ session: ChatSession) { self.session = session }
}

private struct NoNonces: UsedNonces {
    func contains(_ digest: NonceDigest) throws(Never) -> Bool { false }
}
