import Encodings
import Foundation
import SecureMemory
import SessionStore
import Testing
import Threema
import ThreemaChat
import ThreemaMessages
import VectorKit

@testable import ThreemaClient

/// Alice has a token, and Bob writes to her while she is away.
@Suite struct PushTests {
    private let home: Household
    private let network: Network
    private let token = PushToken.apns(token: [1, 2, 3], bundleID: "org.example.app", isProduction: true)
    private var alice: Side { home.alice }
    private static let day: Int64 = 86_400_000

    init() throws {
        home = try Household()
        network = Network(home)
    }

    /// The payload of the notification of a message from Bob, who is connected just for it.
    private func pushed(by id: MessageID = .random()) throws -> [UInt8] {
        let (bob, stream) = try network.connect(home.bob)
        try bob.send(.chat(.text("Hello")), to: alice.id, id: id)
        stream.close()
        return try #require(network.pushed.last).payload
    }

    private func open(_ payload: [UInt8]) throws -> Push { try alice.mailbox.openPush(payload.span) }

    private func message(_ payload: [UInt8]) throws -> MessageID? {
        guard case .message(let notification) = try open(payload) else { return nil }
        #expect(notification.sender == home.bob.id)
        return notification.messageID
    }

    private func skip(days: Int64) {
        alice.now = Timestamp(milliseconds: alice.now.milliseconds + days * Self.day)
    }

    private func isDue() throws -> Bool { try !alice.mailbox.unsentPushRegistration().isEmpty }

    @Test func `a notification names sender and message`() throws {
        try alice.mailbox.setPushToken(token)
        try network.visit(alice)
        let id = MessageID.random()
        #expect(try message(pushed(by: id)) == id)
        #expect(network.pushed.last?.token == token)
        // The same token changes nothing, and the process may have died.
        try alice.open()
        try alice.mailbox.setPushToken(token)
        #expect(try !isDue())
        #expect(try message(#require(network.pushed.last).payload) == id)
    }

    @Test func `no bytes wake up who expects none`() throws {
        #expect(throws: PushNotificationError.notAuthentic) { try open([]) }
        try alice.mailbox.setPushToken(token)
        #expect(throws: PushNotificationError.json(.syntax(offset: 0))) {
            try open([])
        }
        for other in [PushToken.fcm(token: "a"), .hms(appID: "1", token: "b")] {
            try alice.mailbox.setPushToken(other)
            try network.visit(alice)
            #expect(try open(pushed()) == .wakeUp)
            #expect(network.pushed.last?.token == other)
            #expect(throws: PushNotificationError.notSealed) { try open(Array("{}".utf8)) }
        }
    }

    @Test func `a registration is sent on each connection until the server has it`() throws {
        try alice.mailbox.setPushToken(token)
        for _ in 0..<2 {
            // The echo is lost.
            try network.connect(alice).1.close()
            try alice.open()
            #expect(try isDue())
        }
        try network.visit(alice)
        #expect(try !isDue())
        // Registered at once on a connection that is there.
        let (client, _) = try network.connect(alice)
        try alice.mailbox.renewPushKey()
        #expect(try isDue())
        try client.registerPush()
        while try client.receive(within: .zero) != nil {}
        #expect(try !isDue())
    }

    @Test func `the echo of an earlier registration proves nothing of the next one`() throws {
        try alice.mailbox.setPushToken(.fcm(token: "one"))
        let (client, _) = try network.connect(alice)
        try alice.mailbox.setPushToken(.fcm(token: "two"))
        while try client.receive(within: .zero) != nil {}
        #expect(try isDue())
        try network.visit(alice)
        #expect(try !isDue())
        _ = try pushed()
        #expect(network.pushed.last?.token == .fcm(token: "two"))
    }

    @Test func `an earlier key opens what is on its way`() throws {
        try alice.mailbox.setPushToken(token)
        try network.visit(alice)
        let old = try pushed()
        try alice.mailbox.renewPushKey()
        // The server does not know the new key, however long it takes.
        skip(days: 100)
        let late = try pushed()
        #expect(try message(late) != nil)
        try network.visit(alice)
        let new = try pushed()
        skip(days: 13)
        try alice.open()
        for payload in [old, late, new] { #expect(try message(payload) != nil) }
        // A third key does not prolong the life of the first one.
        try alice.mailbox.renewPushKey()
        try network.visit(alice)
        skip(days: 1)
        for payload in [old, late] {
            #expect(throws: PushNotificationError.notAuthentic) { try message(payload) }
        }
        #expect(try message(new) != nil)
        // The next connection removes the key.
        let before = try storedCount()
        try network.visit(alice)
        #expect(try before - storedCount() == EnclosedKey.count + 8)
    }

    private func storedCount() throws -> Int { try alice.mailbox.store.read("push", Mailbox.pushName)!.count }

    @Test func `a key that the server is not known to have is not replaced`() throws {
        try alice.mailbox.renewPushKey()
        #expect(try alice.mailbox.pushRegistration() == nil)
        try alice.mailbox.setPushToken(token)
        let first = try alice.mailbox.pushRegistration()
        try alice.mailbox.renewPushKey()
        #expect(try alice.mailbox.pushRegistration() == first)
        let other = PushToken.apns(token: [9], bundleID: "org.example.app", isProduction: false)
        try alice.mailbox.setPushToken(other)
        let second = try #require(try alice.mailbox.pushRegistration())
        #expect(second.key == first?.key && second.token == other && second.mark != first?.mark)
        // At most 16 earlier ones.
        for _ in 0..<20 {
            try network.visit(alice)
            try alice.mailbox.renewPushKey()
        }
        #expect(try alice.mailbox.pushRegistration()?.keys(at: alice.now).count == 17)
    }

    @Test func `a token that is taken back leaves nothing`() throws {
        try alice.mailbox.setPushToken(token)
        try network.visit(alice)
        let payload = try pushed()
        try alice.mailbox.setPushToken(.none)
        #expect(throws: PushNotificationError.notAuthentic) { try message(payload) }
        #expect(try alice.mailbox.pushRegistration()?.keys(at: alice.now) == [])
        try network.visit(alice)
        #expect(try alice.count("push") == 0)
        let count = network.pushed.count
        _ = try pushed()
        #expect(network.pushed.count == count)
        // Again: with another key.
        try alice.mailbox.setPushToken(token)
        try network.visit(alice)
        #expect(try message(pushed()) != nil)
        #expect(throws: PushNotificationError.notAuthentic) { try message(payload) }
    }

    @Test func `a transaction that was undone leaves the key before`() throws {
        try alice.mailbox.setPushToken(token)
        try network.visit(alice)
        let registration = try alice.mailbox.pushRegistration()
        #expect(throws: Crash.self) {
            try alice.mailbox.store.transaction { changes in
                try alice.mailbox.set(PushRegistration(.fcm(token: "a"), after: registration), in: changes)
                throw Crash()
            }
        }
        #expect(try alice.mailbox.pushRegistration() == registration)
        // The process dies between the transaction and the connection.
        try alice.mailbox.renewPushKey()
        let key = try alice.mailbox.pushRegistration()?.key
        try alice.open()
        try network.visit(alice)
        #expect(try message(pushed()) != nil)
        #expect(try alice.mailbox.pushRegistration()?.key == key && key != registration?.key)
    }

    @Test func `a copied store has neither token nor key, and the other one goes on`() throws {
        try alice.mailbox.setPushToken(token)
        try network.visit(alice)
        let payload = try pushed()
        let copy = home.path + "/copy"
        try FileManager.default.createDirectory(
            atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        alice.mailbox.store.close()
        try FileManager.default.copyItem(atPath: alice.path + "/sessions.db", toPath: copy + "/sessions.db")
        try alice.open(at: copy)
        #expect(try alice.mailbox.wasCopied && alice.count("push") == 0)
        #expect(throws: PushNotificationError.notAuthentic) { try message(payload) }
        #expect(try !isDue())
        try alice.open()
        #expect(try message(payload) != nil)
    }

    @Test(arguments: Damage.allCases) func `a damaged registration is an error, and can be removed`(_ kind: Damage)
        throws
    {
        try alice.mailbox.setPushToken(token)
        try alice.damage(kind, .push)
        #expect(throws: (any Error).self) { try open([1]) }
        #expect(throws: (any Error).self) { try alice.mailbox.setPushToken(token) }
        #expect(throws: (any Error).self) { try alice.mailbox.renewPushKey() }
        #expect(throws: (any Error).self) { try network.connect(alice) }
        try alice.mailbox.setPushToken(.none)
        try alice.mailbox.setPushToken(token)
        try network.visit(alice)
        #expect(try message(pushed()) != nil)
    }

    @Test func `a token that fits no frame is refused`() throws {
        let limit = 8172
        let fits = PushToken.fcm(token: String(repeating: "a", count: limit - 1))
        try alice.mailbox.setPushToken(fits)
        #expect(throws: ChatSendingError.tooLong(limit: limit, actual: limit + 1)) {
            try alice.mailbox.setPushToken(.fcm(token: String(repeating: "a", count: limit)))
        }
        #expect(try alice.mailbox.pushRegistration()?.token == fits)
        try network.visit(alice)
        #expect(try !isDue())
    }

    @Test func `a token that would be read as another one is refused`() throws {
        try alice.mailbox.setPushToken(token)
        let ambiguous: [PushToken] = [
            .hms(appID: "a|b", token: "t"), .apns(token: [1], bundleID: "a|b", isProduction: true),
        ]
        for other in ambiguous {
            #expect(throws: MailboxError.malformedValue(alice.id)) { try alice.mailbox.setPushToken(other) }
            #expect(try alice.mailbox.pushRegistration()?.token == token)
        }
        // The mark and the delimiter before it look like one character.
        let marked = PushToken.hms(appID: "1", token: "\u{301}x")
        try alice.mailbox.setPushToken(marked)
        try alice.open()
        #expect(try alice.mailbox.pushRegistration()?.token == marked)
    }

    @Test func `changed bytes never open and never stop the process`() throws {
        let random = SeededRandom(seed: 36)
        var registration = PushRegistration(token, after: nil)
        for _ in 0..<3 {
            registration.taken(at: alice.now)
            registration = PushRegistration(token, after: registration)
        }
        let value = registration.encoded.copied
        #expect(PushRegistration(decoding: value.span) == registration)
        let notification = PushNotification(
            isGroup: false, sender: home.bob.id, messageID: .random(), isCall: false)
        let key = try #require(registration.key).pushKey
        let payload = notification.sealed(key: key)
        try alice.mailbox.store.transaction { try alice.mailbox.set(registration, in: $0) }
        #expect(try open(payload) == .message(notification))
        for _ in 0..<10_000 {
            let changed = random.changed(value)
            if var accepted = PushRegistration(decoding: changed.span) {
                #expect(accepted.encoded.copied == changed)
                accepted.taken(at: Timestamp(milliseconds: .max))
                _ = accepted.keys(at: Timestamp(milliseconds: .min))
            }
            // What opens says the same: a change outside of the box, or of the bits that Base64 does not use.
            let opened = try? open(random.changed(payload))
            #expect(opened == nil || opened == .message(notification))
        }
    }
}
