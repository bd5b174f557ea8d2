import ThreemaChat
import ThreemaClient
import ThreemaMessages

/// Alice tells the server where notifications go, and is notified of what Bob writes while she is away. Then she gives the
/// server another key.
///
///     echo 'TEXT' | wake-up DIR
@main
struct WakeUp {
    static func main() throws {
        let text = readLine() ?? ""
        let (alice, bob) = (try Person("000ALICE"), try Person("00000BOB"))
        let server = try Server(knowing: alice, bob)
        let mailbox = try alice.mailbox(in: CommandLine.arguments[1] + "/alice", knowing: bob)
        let writer = try MessageClient(
            bob.mailbox(in: CommandLine.arguments[1] + "/bob", knowing: alice), on: server.logIn(bob))

        try mailbox.setPushToken(.apns(token: [1, 2, 3], bundleID: "org.example.app", isProduction: true))
        try visit(mailbox, server.logIn(alice))
        let first = try write(text, writer, server)
        try show(first, mailbox)

        let session = try server.logIn(alice)
        let client = try MessageClient(mailbox, on: session)
        try mailbox.renewPushKey()
        try client.registerPush()
        try receive(client)
        session.close()
        // One that is late has the earlier key.
        for payload in try [first, write(text, writer, server)] { try show(payload, mailbox) }
    }

    static func visit(_ mailbox: Mailbox, _ session: ChatSession) throws {
        try receive(MessageClient(mailbox, on: session))
        session.close()
    }

    /// Receives until the server is known to have the key.
    static func receive(_ client: MessageClient) throws {
        while let event = try client.receive(within: .seconds(20)) {
            if case .received(let incoming) = event, case .chat(.text(let text)) = incoming.message?.body {
                print("\(client.mailbox.id) reads: \(text)")
            }
            if case .said(.echoResponse) = event { return }
        }
    }

    /// - Returns: the payload of the notification for it.
    static func write(_ text: String, _ client: MessageClient, _ server: Server) throws -> [UInt8] {
        let id = MessageID.random()
        let alice = try client.mailbox.contacts()[0].id
        try client.send(.chat(.text(text)), to: alice, id: id)
        while let event = try client.receive(within: .seconds(20)), event != .acknowledged(alice, id) {}
        return server.pushed.withLock(\.self)
    }

    static func show(_ payload: [UInt8], _ mailbox: Mailbox) throws {
        switch try mailbox.openPush(payload.span) {
        case .wakeUp: print("something waits")
        case .message(let notification): print("a message of \(notification.sender) waits")
        }
    }
}
