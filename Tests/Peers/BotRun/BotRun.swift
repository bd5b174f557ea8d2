import AtomicFiles
import Encodings
import Foundation
import SecureMemory
import SessionStore
import Synchronization
import TCPTransport
import Threema
import ThreemaChat
import ThreemaClient
import ThreemaDirectory
import ThreemaMedia
import ThreemaMessages
import ThreemaSafe
import ThreemaTransport
import VectorKit

/// The creator of groups with two bots, which are killed at any time: sends messages of all kinds, changes the groups, and
/// counts what comes back.
///
///     bot-run DIR URL CERTIFICATES MESSAGES SEED BOT     BOT: the program echo-bot
///
/// URL is that of a directory and a media server. It ends with 1 and what is wrong, or prints one line of counts.
@main
struct BotRun {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 7, let count = Int(words[4]), let seed = UInt64(words[5]) else {
            print("usage: bot-run DIR URL CERTIFICATES MESSAGES SEED BOT")
            exit(64)
        }
        let creator = try Creator(in: words[1], url: words[2], certificates: words[3], seed: seed, bot: words[6])
        try creator.exchange(atLeast: count)
        let faults = try creator.faults()
        for fault in faults.prefix(20) { print(fault) }
        let messages = creator.wire.seen.withLock { $0.messages }
        print(
            "\(messages) messages, \(creator.echoes.count) echoes, \(creator.bots.map(\.kills).reduce(0, +)) kills,",
            "\(creator.restarts) restarts, \(creator.groups.count) groups, \(faults.count) faults")
        exit(faults.isEmpty ? 0 : 1)
    }
}

/// The directory.
final class People: Sendable {
    let client: DirectoryClient

    init(_ server: consuming DirectoryServer) { client = DirectoryClient(server, userAgent: "bot-run") }

    func find(_ id: ThreemaID) throws -> Contact? { Contact(try client.ask(.fetch(id))) }
}

/// One identity that makes groups. One thread uses it.
final class Creator {
    struct Echo: Hashable {
        let bot: ThreemaID
        let group: GroupIdentity
        let content: String
    }

    let wire: Wire
    let bots: [Bot]
    /// How often each echo has come.
    private(set) var echoes: [Echo: Int] = [:]
    private(set) var groups: [GroupIdentity] = []
    private(set) var restarts = 0
    private var awaited: Set<Echo> = []
    private var problems: [String] = []
    private var random: SeededRandom
    private let own: EnclosedKey
    private let id: ThreemaID
    private let path: String
    private let people: People
    private let media: MediaClient
    private let storeKey = EnclosedKey.random()
    /// Of the present connection.
    private var connected: MessageClient?
    private var client: MessageClient {
        guard let connected else { preconditionFailure("nothing is connected") }
        return connected
    }
    private var number = 0
    private let rules: GroupRules

    init(in path: String, url: String, certificates: String, seed: UInt64, bot: String) throws {
        let authority = Array(try Data(contentsOf: URL(filePath: certificates)))
        let directory = People(try DirectoryServer(url: url, authority: authority))
        people = directory
        let server = try MediaServer(uploadURL: url, downloadURL: url, authority: authority)
        media = MediaClient(server, userAgent: "bot-run")
        let key = ClientKey.random()
        own = EnclosedKey(key.bytes.withBytes { SecureBytes(copying: $0) })
        id = try directory.client.ask(.create(key), key: key).id
        try directory.client.ask(.setFeatureMask([.forwardSecurity, .groups], of: id), key: key)
        rules = GroupRules(own: id)
        self.path = path + "/creator"
        random = SeededRandom(seed: seed)
        wire = try Wire { try? directory.find($0)?.publicKey }
        let program = [
            bot, url, certificates, "localhost", "\(wire.port)",
            Data(wire.key.publicKey.bytes).base64EncodedString(),
        ]
        bots = try ["one", "two"].map { try Bot(in: path + "/" + $0, program) }
        try Directory.make(self.path)
        try connect()
    }

    /// Opens the store again, and logs in.
    private func connect() throws {
        connected?.mailbox.store.close()
        let store = try OpenSessionStore(
            in: Directory.open(path, rule: .secret), messenger: "threema", id: id.text,
            key: storeKey.bytes.withBytes { SecureBytes(copying: $0) })
        let identity = { [id, own] in
            Identity(id: id, clientKey: ClientKey(own.bytes.withBytes { SecureBytes(copying: $0) }))
        }
        let mailbox = try Mailbox(
            identity(), in: store, now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
            search: people.find)
        mailbox.media = media
        let stream = try TCPStream(host: "localhost", port: wire.port, within: .seconds(20))
        let login = ChatClient(
            identity: identity(), serverKeys: [wire.key.publicKey],
            extensions: try LoginExtensions([.clientInfo("1.0;L;en/CH")]))
        connected = try MessageClient(mailbox, on: ChatSession(login, on: stream))
    }

    // MARK: Exchange

    func exchange(atLeast count: Int) throws {
        for name in 0..<3 { try makeGroup("Group \(name)") }
        let isOver = Mutex(false)
        let killer = Mutex<(any Error)?>(nil)
        let done = DispatchSemaphore(value: 0)
        let (bots, seed) = (bots, random.next())
        Thread.detachNewThread {
            var random = SeededRandom(seed: seed)
            do {
                while !isOver.withLock({ $0 }) {
                    Thread.sleep(forTimeInterval: .random(in: 0.1...2, using: &random))
                    let again = Bool.random(using: &random) ? Double.random(in: 0...1, using: &random) : nil
                    try bots.randomElement(using: &random)!.restart(killingAgainAfter: again)
                }
            } catch { killer.withLock { $0 = error } }
            done.signal()
        }
        while wire.seen.withLock({ $0.messages }) < count {
            try write()
            if number % 7 == 0 { try change() }
            if number % 150 == 0 { try changeMembers() }
            if number % 200 == 0 {
                restarts += 1
                try connect()
            }
            // So many that a bot which comes back has something to catch up with.
            if awaited.count > 120 { try receive(until: 40) }
        }
        try receive(until: 0)
        isOver.withLock { $0 = true }
        done.wait()
        if let error = killer.withLock({ $0 }) { throw error }
        // What is not to be answered gets more time.
        while try !client.receive(upTo: 50, within: .seconds(10), and: note).isEmpty {}
    }

    private func makeGroup(_ name: String) throws {
        let change = try rules.create(.random(), members: bots.map(\.id), name: name, ids: .random())
        try client.make(change)
        groups.append(change.group.identity)
    }

    /// One message of any kind. Texts and files are answered.
    private func write() throws {
        number += 1
        let group = try client.mailbox.group(groups.randomElement(using: &random)!)!
        let id = MessageID.random()
        let content: ChatContent =
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .location(try Location(latitude: 47.2, longitude: 8.8, address: "Lake \(number)"))
            case 1: .deliveryReceipt(DeliveryReceipt(.read, of: [id]))
            case 2: .reaction(MessageReference(id))
            case 3: .edit(MessageReference(id))
            case 4: .delete(MessageReference(id))
            case 5: .opaque(.pollSetup, EnclosedBytes(copying: Array(#"{"d":"\#(number)"}"#.utf8).span))
            case 6:
                .file(
                    FileMessage(
                        blobID: BlobID([UInt8](repeating: 7, count: 16)), key: .random(), mediaType: "text/plain",
                        size: 6, name: "\(number)"))
            default: .text("\(number)")
            }
        try client.send(rules.send(content, to: group, id: id))
        guard let name = Self.name(of: content) else { return }
        for member in group.others { awaited.insert(Echo(bot: member, group: group.identity, content: name)) }
    }

    /// Nil for what is not answered.
    private static func name(of content: ChatContent) -> String? {
        switch content {
        case .text(let text): text
        case .file(let file): file.name
        default: nil
        }
    }

    private func change() throws {
        let group = try client.mailbox.group(groups.randomElement(using: &random)!)!
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try client.make(rules.rename(group, to: "Name \(number)", ids: .random()))
        case 1: try client.mailbox.setPicture(Self.picture(UInt8(number & 0x7f)), of: group)
        case 2: try client.mailbox.setPicture(nil, of: group)
        default: try client.send(.chat(.text("alone \(number)")), to: bots.randomElement(using: &random)!.id)
        }
    }

    /// One bot leaves a group or comes back. All echoes are there before that, because a bot answers who is in the group
    /// when it reads.
    private func changeMembers() throws {
        try receive(until: 0)
        let group = try client.mailbox.group(groups.randomElement(using: &random)!)!
        let members = group.others.count == 1 ? bots.map(\.id) : [bots.randomElement(using: &random)!.id]
        try client.make(
            rules.update(
                group, members: members, ids: .random(),
                now: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))))
    }

    private static func picture(_ pixel: UInt8) throws -> ProfilePicture {
        try ProfilePicture(jpeg: SampleJPEG(pixels: [pixel]).bytes)
    }

    // MARK: Echoes

    /// Waits for echoes until so many are left.
    private func receive(until left: Int) throws {
        while awaited.count > left {
            guard try !client.receive(upTo: 50, within: .seconds(120), and: note).isEmpty else {
                problems.append("nothing has come for two minutes, and \(awaited.count) echoes are missing")
                return awaited.removeAll()
            }
        }
    }

    private func note(_ incoming: Incoming, in changes: borrowing Transaction) {
        guard let message = incoming.message, case .groupChat(let group, let content) = message.body else { return }
        let name = Self.name(of: content) ?? "\(content.kind)"
        let echo = Echo(bot: message.sender, group: group, content: name)
        echoes[echo, default: 0] += 1
        if awaited.remove(echo) == nil { problems.append("\(echo) has come without being awaited, or again") }
    }

    /// What is wrong in the end. The bots are stopped for it.
    func faults() throws -> [String] {
        for bot in bots { bot.stop() }
        var faults = problems + wire.seen.withLock { $0.faults }
        for bot in bots {
            let known = Dictionary(uniqueKeysWithValues: try bot.groups().map { ($0.identity, $0) })
            for identity in groups {
                let original = try client.mailbox.group(identity)!
                guard let copy = known[identity] else {
                    faults.append("\(bot.id) does not know \(original.name)")
                    continue
                }
                let isMember = original.others.contains(bot.id)
                if isMember != (copy.standing == .member) { faults.append("\(bot.id): member of \(original.name)?") }
                guard isMember else { continue }
                let members = Set(original.others + [id]).subtracting([bot.id])
                if Set(copy.others) != members || copy.name != original.name
                    || copy.picture?.message != original.picture?.message
                {
                    faults.append("\(bot.id): \(copy.name) is not \(original.name)")
                }
            }
        }
        return faults
    }
}
