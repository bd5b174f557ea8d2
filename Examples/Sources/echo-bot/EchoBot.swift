import Encodings
import Foundation
import Keystore
import SecureMemory
import SessionStore
import TCPTransport
import Threema
import ThreemaChat
import ThreemaClient
import ThreemaDirectory
import ThreemaMessages
import ThreemaTransport

/// A bot that answers each text and each file with the same, in a group only those of its creator. All that it knows is in
/// a keystore in DIR: kill it and start it again at will.
///
///     echo 'PASSPHRASE' | echo-bot DIR DIRECTORY-URL CERTIFICATES CHAT-HOST PORT KEY
@main
struct EchoBot {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 7, let port = UInt16(words[5]), let key = Data(base64Encoded: words[6]),
            let chatKey = PublicKey(Array(key))
        else { return print("DIR DIRECTORY-URL CERTIFICATES CHAT-HOST PORT KEY, please") }
        let server = try DirectoryServer(url: words[2], authority: Array(Data(contentsOf: URL(filePath: words[3]))))
        let directory = DirectoryClient(server, userAgent: "echo-bot")
        let passphrase = SecureBytes(copying: Array((readLine() ?? "").utf8).span)
        let keystore = try OpenKeystore.openOrCreate(at: words[1], passphrase: passphrase)
        if try keystore.identities().isEmpty { try register(directory, in: keystore) }
        let owner = try keystore.identities()[0]
        let records = try keystore.lockedIdentity(owner, wait: .seconds(5))
        func own() throws -> Identity { try records.records.read("identity")!.withBytes { try Identity(decoding: $0) } }
        let store = try records.withDirectory { [key = keystore.digestKey("sessions")] directory in
            try OpenSessionStore(in: directory, messenger: owner.messenger, id: owner.id, key: key)
        }
        let now = { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
        let mailbox = try Mailbox(own(), in: store, now: now) {
            Contact(try directory.ask(.fetch($0)))
        } check: {
            try directory.ask(.check($0))
        }
        FileHandle.standardOutput.write(Data("\(mailbox.id)\n".utf8))
        let extensions = try LoginExtensions([.clientInfo("1.0;L;en/CH")])
        let end = try MessageClient.stayConnected(mailbox) {
            try ChatSession(
                ChatClient(identity: own(), serverKeys: [chatKey], extensions: extensions),
                on: TCPStream(host: words[4], port: port, within: .seconds(20)))
        } sleep: {
            Thread.sleep(forTimeInterval: $0 / .seconds(1))
        } use: { client in
            while true {
                // Once a day. The answers ask nobody, because they are sent in transactions.
                try mailbox.refreshStates()
                _ = try client.receive(upTo: 50, within: .seconds(60)) { try answer($0, mailbox, in: $1) }
            }
        }
        print(end)
    }

    static let echoed: Set<MessageType> = [.text, .file, .groupText, .groupFile]

    /// In the transaction of the message: it is answered once, whatever dies.
    static func answer(_ incoming: Incoming, _ mailbox: Mailbox, in changes: borrowing Transaction) throws {
        try mailbox.sendAgain(rejectedBy: incoming, in: changes)
        guard let message = incoming.message, echoed.contains(message.body.type) else { return }
        do {
            if case .chat = message.body { try mailbox.send(message.body, to: message.sender, in: changes) }
            // If it answered others in a group, two bots would answer each other for ever.
            guard case .groupChat(let identity, let content) = message.body, identity.creator == message.sender,
                let group = try mailbox.group(identity)
            else { return }
            try mailbox.send(GroupRules(own: mailbox.id).send(content, to: group, id: .random()), in: changes)
        } catch is SealingError<SessionStoreError> {
            // Others may send longer texts and names. If this threw, the message would come again for ever.
        } catch MailboxError.revokedContact {
            // It was sent before its ID was revoked.
        }
    }

    static func register(_ directory: borrowing DirectoryClient, in keystore: OpenKeystore) throws {
        let key = ClientKey.random()
        let id = try directory.ask(.create(key), key: key).id
        try directory.ask(.setFeatureMask([.forwardSecurity, .groups], of: id), key: key)
        let bytes = Identity(id: id, clientKey: key).encoded()
        try keystore.add(Owner(messenger: "threema", id: id.text)!) { records in
            try bytes.withBytes { try records.write("identity", $0) }
        }
    }
}
