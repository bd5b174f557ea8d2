import AtomicFiles
import Encodings
import Foundation
import SessionStore
import Threema
import ThreemaClient
import ThreemaMedia
import ThreemaMessages
import ThreemaSafe

/// Two identities on a chat server exchange a text, a receipt, a file, a message to a group and pictures, under forward
/// security.
///
///     echo 'TEXT' | two-clients DIR URL CERTIFICATES PICTURE, with what Examples/servers prints
@main
struct TwoClients {
    static func main() throws {
        let arguments = CommandLine.arguments
        let servers = try Servers(arguments[2], authority: Array(Data(contentsOf: URL(filePath: arguments[3]))))
        let alice = try connect(servers.register(), servers, in: arguments[1] + "/alice")
        let bob = try connect(servers.register(), servers, in: arguments[1] + "/bob")
        let (aliceID, bobID) = (alice.mailbox.id, bob.mailbox.id)
        try alice.send(.chat(.text(readLine() ?? "")), to: bobID)
        guard let text = try show(bob, servers) else { return }
        try bob.send(.chat(.deliveryReceipt(DeliveryReceipt(.read, of: [text]))), to: aliceID)
        try show(alice, servers)

        let directory = try Directory.open(arguments[1] + "/alice", rule: .secret)
        try directory.write("note", existing: .refuse) { try $0.write(Array("a file".utf8).span) }
        let file = try directory.inputFile("note")
        let place = UploadPlace(servers.blobs, copiesIn: directory)
        // What an earlier process has left. Nobody reads a file to a revoked contact.
        for case (let message, MailboxError.revokedContact) in try alice.continueUploads(at: place) {
            try alice.mailbox.discardUpload(message, from: place)
        }
        let outgoing = OutgoingFile(mediaType: "text/plain", name: "note.txt", thumbnail: [1, 2, 3])
        try alice.send(file, as: outgoing, to: bobID, at: place)
        try show(bob, servers, in: arguments[1] + "/bob")

        let rules = GroupRules(own: aliceID)
        let change = try rules.create(.random(), members: [bobID], name: "Lake", ids: .random())
        try alice.make(change)
        try alice.send(rules.send(.text("Saturday?"), to: change.group, id: .random()))
        for _ in 0..<3 { try show(bob, servers) }

        // As an app has them in its Safe backup.
        let picture = try ProfilePicture(jpeg: Array(Data(contentsOf: URL(filePath: arguments[4]))))
        let document = SafeDocument.empty.settingPicture(picture).settingPictureAudience(.everyone)
        for client in [alice, bob] { client.mailbox.media = servers.blobs }
        try alice.mailbox.takeOverGroups(of: document)
        try alice.mailbox.takeOverPicture(of: document)
        try alice.mailbox.setPicture(picture, of: change.group)
        try alice.send(.chat(.text("Look!")), to: bobID)
        for _ in 0..<3 { try show(bob, servers) }
        try bob.mailbox.fetchPictures()
        let seen = [try bob.mailbox.picture(of: aliceID), try bob.mailbox.picture(of: change.group.identity)]
        print("\(bobID) has both pictures: \(seen == [try alice.mailbox.picture(of: aliceID), picture.jpeg])")
        print("for a Safe: \(try bob.mailbox.handOverGroups(to: document).groups.map(\.name))")

        // As after a restore: pictures are asked for, and a group that is forgotten comes back with its next message.
        try bob.mailbox.requestPictures()
        try bob.mailbox.forget(change.group.identity)
        try bob.send(.chat(.text("Once more?")), to: aliceID)
        for _ in 0..<2 { try show(alice, servers) }
        try show(bob, servers)
        try alice.send(rules.send(.text("Sunday"), to: change.group, id: .random()))
        try step(bob)
        try show(alice, servers)
        for _ in 0..<3 { try show(bob, servers) }
        print("groups: \(try bob.mailbox.groups().map(\.name))")
    }

    /// A client that stores its messages in a new directory. A real one has its key from a keystore (write-forward).
    static func connect(_ own: consuming Identity, _ servers: Servers, in path: String) throws -> MessageClient {
        let session = try servers.logIn(own)
        try Directory.make(path)
        let store = try OpenSessionStore(
            in: Directory.open(path, rule: .secret), messenger: "threema", id: own.id.text,
            key: EnclosedKey.random().bytes)
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        return try MessageClient(Mailbox(own, in: store, now: { now }, search: servers.find), on: session)
    }

    /// Waits for something from a contact. A user would be asked if a message that was not read is sent again.
    @discardableResult
    static func step(_ client: MessageClient) throws -> Incoming? {
        while let event = try client.receive(within: .seconds(20)) {
            guard case .received(let incoming) = event else { continue }
            if let notice = incoming.notice { print("\(client.mailbox.id) is told: \(notice)") }
            if case .unreadMessage(let id) = incoming.notice, let contact = incoming.sender {
                try client.sendAgain(id, to: contact)
            }
            return incoming
        }
        return nil
    }

    /// Waits for a message and prints it.
    @discardableResult
    static func show(_ client: MessageClient, _ servers: Servers, in path: String = ".") throws -> MessageID? {
        while let incoming = try step(client) {
            guard let message = incoming.message else { continue }
            let protection = incoming.protection == .fourDH ? "4DH" : "2DH"
            print("\(message.receiver) reads: \(try words(message.body, servers, path)) (\(protection))")
            return message.id
        }
        return nil
    }

    static func words(_ body: MessageBody, _ servers: Servers, _ path: String) throws -> String {
        switch body {
        case .chat(.text(let text)): return text
        case .chat(.deliveryReceipt(let receipt)): return "\(receipt.status)"
        case .chat(.file(let file)):
            let directory = try Directory.open(path, rule: .secret)
            let thumbnail = try servers.blobs.receive(file, as: "received", in: directory, isInGroup: false)
            let count = try directory.inputFile("received").count
            return "a file of \(count) bytes with a thumbnail of \(thumbnail?.count ?? 0)"
        case .groupName(_, let name): return "group \(name)"
        case .groupChat(_, .text(let text)): return "in the group: \(text)"
        default: return "\(body.type)"
        }
    }
}
