import AtomicFiles
import Encodings
import Foundation
import SecureMemory
import SessionStore
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

@testable import ThreemaClient

/// The disk of one identity, and the mailbox that a process has opened on it.
final class Side {
    let id: ThreemaID
    let publicKey: PublicKey
    let path: String
    private let clientKey: SecureBytes
    private var opened: Mailbox?
    /// Who is found when an unknown sender is asked for.
    var directory: [ThreemaID: Contact] = [:]
    /// What the directory says of contacts; nil if the mailbox is to ask nobody.
    var check: Mailbox.Check?
    /// Called before the directory answers.
    var whenAsked: () throws -> Void = {}
    var now = Timestamp(milliseconds: 1_700_000_000_000)
    /// How many milliseconds the clock goes on whenever it is read.
    var tick: Int64 = 0

    init(_ id: String, in path: String) throws {
        let identity = Identity(id: try ThreemaID(id), clientKey: .random())
        self.id = identity.id
        publicKey = identity.clientKey.publicKey
        clientKey = identity.clientKey.bytes.withBytes { SecureBytes(copying: $0) }
        self.path = path + "/" + id
        try FileManager.default.createDirectory(
            atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try open()
    }

    var mailbox: Mailbox {
        guard let opened else { preconditionFailure("the store is closed") }
        return opened
    }

    /// The process dies, and another one is started.
    /// - Parameter path: where the store is now, if it was copied.
    func open(at path: String? = nil) throws {
        opened?.store.close()
        opened = nil
        let key = SecureBytes(copying: [UInt8](repeating: 5, count: 32).span)
        let store = try OpenSessionStore(
            in: Directory.open(path ?? self.path, rule: .secret), messenger: "threema", id: id.text, key: key)
        opened = try Mailbox(
            identity(), in: store, now: { [unowned self] in readClock() }, search: { [unowned self] in try ask($0) },
            check: check)
    }

    private func readClock() -> Timestamp {
        now = Timestamp(milliseconds: now.milliseconds + tick)
        return now
    }

    private func ask(_ id: ThreemaID) throws -> Contact? {
        try whenAsked()
        return directory[id]
    }

    func identity() -> Identity {
        Identity(id: id, clientKey: ClientKey(clientKey.withBytes { SecureBytes(copying: $0) }))
    }

    var contact: Contact { Contact(id, publicKey) }

    /// What a chat server does with the outbox.
    /// - Parameter acknowledges: whether this side learns that the server has the messages.
    func sendOutbox(acknowledges: Bool = true) throws -> [[UInt8]] {
        var sent: [[UInt8]] = []
        while true {
            let messages = try mailbox.unsent()
            guard !messages.isEmpty else { return sent }
            sent += messages.map(\.payload.encoded)
            guard acknowledges else { continue }
            try mailbox.written(messages)
            for message in messages { try mailbox.acknowledged(message.payload.receiver, message.payload.id) }
        }
    }

    func send(_ text: String, to other: Side, id: MessageID = .random()) throws {
        try mailbox.send(.chat(.text(text)), to: other.id, id: id)
    }

    /// - Returns: what became of each.
    @discardableResult
    func receive(_ payloads: [[UInt8]]) throws -> [Incoming] {
        try payloads.map { try mailbox.receive($0.span) }
    }

    /// As a program does that sends again what is rejected.
    func receiveSendingAgain(_ payloads: [[UInt8]]) throws {
        for payload in payloads {
            _ = try mailbox.receive(payload.span) { incoming, changes in
                try self.mailbox.sendAgain(rejectedBy: incoming, in: changes)
            }
        }
    }

    func count(_ kind: ValueKind) throws -> Int { try mailbox.store.count(of: kind) }
}

/// Two that know each other, in a directory that goes with them.
final class Household {
    let path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path() + UUID().uuidString
    let alice: Side
    let bob: Side

    init(areKnown: Bool = true) throws {
        alice = try Side("000ALICE", in: path)
        bob = try Side("00000BOB", in: path)
        guard areKnown else { return }
        try alice.mailbox.set(bob.contact)
        try bob.mailbox.set(alice.contact)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Carries messages and their answers.
    func settle() throws {
        for _ in 0..<3 {
            try bob.receive(alice.sendOutbox())
            try alice.receive(bob.sendOutbox())
        }
    }
}

/// A process dies.
struct Crash: Error {}

extension Incoming {
    /// The text of a delivered message.
    var text: String? {
        guard case .chat(.text(let text)) = message?.body else { return nil }
        return text
    }
}

extension Household {
    /// Agrees on a session: both have sent and received.
    func exchange() throws {
        try alice.send("Hello", to: bob)
        try settle()
        try bob.send("Hello", to: alice)
        try settle()
    }
}
