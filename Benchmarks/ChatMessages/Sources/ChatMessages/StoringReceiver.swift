import AtomicFiles
import Dispatch
import Encodings
import SecureMemory
import SessionStore
import Threema
import ThreemaClient

/// A receiver that stores what has arrived, as any program on ThreemaClient does, and then acknowledges it.
final class StoringReceiver {
    private let exchange: Exchange
    private let mailbox: Mailbox
    private(set) var commits = 0

    /// - Parameter directory: 0700.
    init(_ exchange: Exchange, in directory: String) throws {
        self.exchange = exchange
        let own = Identity(
            id: exchange.bob.id,
            clientKey: ClientKey(exchange.bob.clientKey.bytes.withBytes { SecureBytes(copying: $0) }))
        let key = SecureBytes(copying: [UInt8](repeating: 0x5a, count: 32).span)
        let store = try OpenSessionStore(
            in: Directory.open(directory, rule: .secret), messenger: "threema", id: own.id.text, key: key)
        mailbox = try Mailbox(own, in: store, now: { Timestamp(milliseconds: 1_700_000_000_000) })
        try mailbox.set(
            Contact(exchange.senderID, exchange.sender, forwardSecurity: .unsupportedByContact))
    }

    func run(_ payloads: [[UInt8]]) throws {
        let client = try MessageClient(mailbox, on: exchange.logInReceiver())
        let places = try exchange.send(payloads.count) { payloads[$0] }
        var received = 0
        while received < payloads.count {
            let before = received
            let events = try client.receive(upTo: Exchange.batch, within: .seconds(60)) { incoming, changes in
                guard let message = incoming.message else { fatalError("\(incoming)") }
                try changes.set("text", message.id.bytes, Span())
            }
            if events.isEmpty { fatalError("no message") }
            for case .received in events { received += 1 }
            // All messages of a call are one transaction.
            if received > before { commits += 1 }
            for _ in before / Exchange.batch..<received / Exchange.batch { places.signal() }
        }
    }

    func stored() throws -> Int { try mailbox.store.count(of: "text") }
}
