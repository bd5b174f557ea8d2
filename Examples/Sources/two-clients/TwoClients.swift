import SecureMemory
import Threema
import ThreemaChat
import ThreemaDirectory
import ThreemaForwardSecurity
import ThreemaMessages

/// Two identities on a chat server exchange a text, a receipt, a file and a message to a group, under forward security.
///
///     echo 'TEXT' | two-clients
@main
struct TwoClients {
    static func main() throws {
        let (aliceID, bobID) = (try ThreemaID("000ALICE"), try ThreemaID("00000BOB"))
        let ofAlice = Identity(id: aliceID, clientKey: .random())
        let ofBob = Identity(id: bobID, clientKey: .random())
        let servers = Servers([aliceID: ofAlice.clientKey.publicKey, bobID: ofBob.clientKey.publicKey])
        let serverKey = ServerKey.random()
        let port = try servers.startChat(serverKey)
        func connect(_ own: borrowing Identity, _ contact: ThreemaID) throws -> Person {
            guard let key = try servers.ask(.fetch(contact)).publicKey else { throw NoKey() }
            return try Person(own, contact: contact, key: key, server: serverKey.publicKey, port: port)
        }
        let (alice, bob) = (try connect(ofAlice, bobID), try connect(ofBob, aliceID))

        try alice.send(.chat(.text(readLine() ?? "")))
        let text = try show(bob, servers)
        try bob.send(.chat(.deliveryReceipt(DeliveryReceipt(.read, of: [text]))))
        _ = try show(alice, servers)

        let key = EnclosedKey.random()
        let file = Array("a file".utf8)
        let blob = try servers.ask(.upload(Blob.seal(file.span, key: key), to: .threema, persists: false))
        try alice.send(
            .chat(.file(FileMessage(blobID: blob, key: key, mediaType: "text/plain", size: Int64(file.count)))))
        _ = try show(bob, servers)

        let rules = GroupRules(own: aliceID)
        let change = try rules.create(.random(), members: [bobID], name: "Lake", ids: .random())
        for sending in try change.sendings + rules.send(.text("Saturday?"), to: change.group, id: .random()) {
            try alice.send(sending.body, id: sending.id)
            _ = try show(bob, servers)
        }
    }

    /// Waits for a message and prints it.
    static func show(_ person: Person, _ servers: Servers) throws -> MessageID {
        guard let (message, mode) = try person.receive() else { throw NoMessage() }
        let words =
            switch message.body {
            case .chat(.text(let text)): text
            case .chat(.deliveryReceipt(let receipt)): "\(receipt.status)"
            case .chat(.file(let file)):
                "a file of \(try download(file, servers).count) bytes"
            case .groupName(_, let name): "group \(name)"
            case .groupChat(_, .text(let text)): "in the group: \(text)"
            default: "\(message.body.type)"
            }
        print("\(message.receiver) reads: \(words) (\(mode == .fourDH ? "4DH" : "2DH"))")
        return message.id
    }

    static func download(_ file: FileMessage, _ servers: Servers) throws -> SecureBytes {
        let blob = try servers.ask(.download(file.blobID, from: .threema))
        return try Blob.open(blob.span, key: file.key)
    }

    struct NoKey: Error {}
    struct NoMessage: Error {}
}
