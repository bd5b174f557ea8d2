import Encodings
import Ratchet
import SecureMemory
import SophaxChat
import SophaxKit
import Testing
import VectorKit

@testable import SophaxMesh

/// What stands in messages between two, and in messages about members.
@Suite struct PayloadTests {
    private static func changed(_ text: String, _ old: String, _ new: String) -> [UInt8] {
        let changed = text.replacing(old, with: new)
        precondition(changed != text)
        return Array(changed.utf8)
    }

    // MARK: Messages between two

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "chat-message"))
    func `a message with its name`(_ vector: Vector) throws {
        let pair = PairMessage(header: try vector.inputs.bytes("header"), body: try vector.inputs.bytes("body"))
        let id = try vector.inputs.string("id")
        let message = try #require(ChatMessage(id: id, message: pair))
        let text = try vector.expected.string("text")
        #expect(String(decoding: message.encoded, as: UTF8.self) == text)
        #expect(ChatMessage(parsing: Array(text.utf8)) == message)
        #expect(ChatMessage(parsing: Self.changed(text, "\"messageID\"", "\"messageId\"")) == nil)
        #expect(ChatMessage(parsing: Self.changed(text, "\"ciphertext\"", "\"text\"")) == nil)
    }

    @Test func `a name has 1 to 64 bytes`() {
        let pair = PairMessage(header: [UInt8](repeating: 1, count: 28), body: [UInt8](repeating: 2, count: 28))
        for (count, isName) in [(0, false), (1, true), (64, true), (65, false)] {
            #expect((ChatMessage(id: String(repeating: "x", count: count), message: pair) != nil) == isName)
        }
    }

    @Test func `the last 1000 names are remembered, also from what was stored`() throws {
        let pair = PairMessage(header: [UInt8](repeating: 1, count: 28), body: [UInt8](repeating: 2, count: 28))
        func message(_ number: Int) throws -> ChatMessage {
            try #require(ChatMessage(id: "\(number)", message: pair))
        }
        var received = ReceivedIDs()
        for number in 0..<1000 { #expect(try received.insert(message(number)) == true) }
        #expect(try received.insert(message(0)) == false)
        #expect(received.ids.count == 1000)
        var stored = ReceivedIDs(received.ids)
        #expect(stored == received)
        #expect(try stored.insert(message(0)) == false)
        #expect(try stored.insert(message(1000)) == true)
        #expect(try stored.insert(message(0)) == true, "it was the oldest")
        #expect(try stored.insert(message(2)) == false)
        #expect(stored.ids.count == 1000)
        let many = ReceivedIDs((0..<1500).map { "\($0)" } + [String(repeating: "x", count: 65)])
        #expect(many.ids == (500..<1500).map { "\($0)" })
    }

    /// Sealed again it has another key and signature: nothing but the name says that it is the same.
    @Test func `a message that is sent again is known by its name`() throws {
        let identity = try alice()
        let other = try bob()
        let prekeys = PrekeyStore(at: now)
        let first: [UInt8] = [0]
        let (published, own) = (
            prekeys.bundle(of: other, oneTime: nil, username: "bob", at: now),
            PrekeyStore(at: now).bundle(of: identity, oneTime: nil, username: "alice", at: now)
        )
        let peer = try #require(published).check(asked: other.peerID, known: nil, pinned: nil, at: now)
        var begun = try identity.initiate(with: peer, own: #require(own), first: first.span)
        let answer = try other.respond(
            to: begun.initiation, from: identity.publicIdentity, prekeys: prekeys, known: nil, pinned: nil, at: now)
        var session = answer.session
        var received = ReceivedIDs()
        var signatures: Set<[UInt8]> = []
        let text: [UInt8] = [1]
        for round in 0..<2 {
            let pair = try begun.session.seal(text.span)
            let sealed = try #require(ChatMessage(id: "m", message: pair))
            let wire = try WireMessage.sign(.message, payload: sealed.encoded, to: bob().peerID, by: identity, at: now)
            signatures.insert(wire.signature)
            let read = try #require(ChatMessage(parsing: wire.payload))
            let opened = try session.open(read.message, at: now)
            session = opened.next
            #expect(received.insert(read) == (round == 0))
        }
        #expect(signatures.count == 2)
    }

    // MARK: Members

    private static func peers(_ text: String) throws -> [PeerID] {
        try text.split(separator: ",").map { try #require(PeerID(String($0))) }
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "group-invite"))
    func `an invitation`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let members = try Self.peers(inputs.string("members"))
        let creator = try Self.peers(inputs.string("creator"))[0]
        let (group, title) = (try inputs.string("group"), try inputs.string("title"))
        let (key, iteration) = (try inputs.bytes("chain_key"), UInt32(try inputs.integer("iteration")))
        let invite = try #require(
            GroupInvite(
                group: group, title: title, members: members, creator: creator, chainKey: held(key),
                iteration: iteration))
        let text = try vector.expected.string("text")
        #expect(String(decoding: invite.encoded().copied, as: UTF8.self) == text)
        let bytes = Array(text.utf8)
        let read = try GroupInvite(parsing: bytes.span)
        #expect(read.group == invite.group && read.title == invite.title && read.members == members)
        #expect(read.creator == invite.creator && read.iteration == invite.iteration)
        #expect(read.chainKey.bytes.copied == key)
    }

    private static let invitation =
        #"{"groupID":"G","groupName":"","memberIDs":["0f7248b2f5bc6f92"],"creatorID":"0f7248b2f5bc6f92","#
        + #""senderChainKey":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","senderIteration":0}"#

    private static func invite(_ old: String, _ new: String) throws -> GroupInvite {
        let bytes = changed(invitation, old, new)
        return try GroupInvite(parsing: bytes.span)
    }

    @Test func `a group that is marked mls is not supported`() throws {
        for mark in ["true", "1", "\"v1\"", "{}"] {
            #expect(throws: GroupInviteError.unsupported) { _ = try Self.invite("{", "{\"mls\":\(mark),") }
        }
        // It says so also if the rest is of no form that is known here.
        let bytes = Array("{\"groupID\":\"G\",\"mls\":true}".utf8)
        #expect(throws: GroupInviteError.unsupported) { _ = try GroupInvite(parsing: bytes.span) }
        for mark in ["false", "null"] { #expect(try Self.invite("{", "{\"mls\":\(mark),").group == "G") }
    }

    @Test(arguments: [
        (#""G""#, #""""#), ("\"G\"", "\"\(String(repeating: "g", count: 256))\""),
        (#""groupName":"""#, "\"groupName\":\"\(String(repeating: "t", count: 257))\""),
        (#"["0f7248b2f5bc6f92"]"#, "[]"), (#"["0f7248b2f5bc6f92"]"#, #""0f7248b2f5bc6f92""#),
        (#"["0f7248b2f5bc6f92"]"#, #"["0f7248b2f5bc6f92","0f7248b2f5bc6f92"]"#),
        (#"["0f7248b2f5bc6f92"]"#, #"["0F7248b2f5bc6f92"]"#), (#"["0f7248b2f5bc6f92"]"#, "[1]"),
        ("Hh8=", "Hg=="), ("Hh8=", "Hh8*"), (":0}", ":4294967296}"), (":0}", ":-1}"), ("creatorID", "creator"),
        ("senderChainKey", "chainKey"), (":0}", ":0"),
    ]) func `what is no invitation`(_ old: String, _ new: String) {
        #expect(throws: GroupInviteError.malformed) { _ = try Self.invite(old, new) }
    }

    @Test func `an invitation has up to 100 members`() throws {
        let ids = try (0..<101).map { try #require(PeerID(String(repeating: "c", count: 29) + "\(100 + $0)")) }
        func invite(_ members: [PeerID]) -> GroupInvite? {
            GroupInvite(
                group: "G", title: "", members: members, creator: ids[0],
                chainKey: held([UInt8](repeating: 1, count: 32)), iteration: 0)
        }
        let full = try #require(invite(ids.dropLast()))
        let text = full.encoded().copied
        #expect(try GroupInvite(parsing: text.span).members.count == 100 && invite(ids) == nil)
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(throws: GroupInviteError.malformed) { _ = try Self.invite("\"0f7248b2f5bc6f92\"]", "\(list)]") }
        let long = text + [UInt8](repeating: 0x20, count: GroupInvite.maxCount + 1 - text.count)
        _ = try GroupInvite(parsing: long.span.extracting(0..<long.count - 1))
        #expect(throws: GroupInviteError.malformed) { _ = try GroupInvite(parsing: long.span) }
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "group-member-left"))
    func `a member has left`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let leaving = try Self.peers(inputs.string("leaving"))[0]
        let (group, remaining) = (try inputs.string("group"), try Self.peers(inputs.string("remaining")))
        let left = try #require(GroupMemberLeft(group: group, leaving: leaving, remaining: remaining))
        let text = try vector.expected.string("text")
        #expect(String(decoding: left.encoded, as: UTF8.self) == text)
        #expect(GroupMemberLeft(parsing: Array(text.utf8)) == left)
        // The vectors' leaving member is alice. Nobody else may say it.
        let (one, other) = (try alice().publicIdentity, try bob().publicIdentity)
        #expect(left.isSaid(by: one) && !left.isSaid(by: other))
    }

    @Test func `lists of who remains`() throws {
        let ids = try (0..<101).map { try #require(PeerID(String(repeating: "c", count: 29) + "\(100 + $0)")) }
        #expect(GroupMemberLeft(group: "G", leaving: ids[0], remaining: Array(ids[1...99])) != nil)
        #expect(GroupMemberLeft(group: "G", leaving: ids[0], remaining: Array(ids[1...100])) == nil)
        #expect(GroupMemberLeft(group: "G", leaving: ids[0], remaining: [ids[1], ids[0]]) == nil)
        #expect(GroupMemberLeft(group: "G", leaving: ids[0], remaining: [ids[1], ids[1]]) == nil)
        #expect(GroupMemberLeft(group: "", leaving: ids[0], remaining: []) == nil)
    }

    // MARK: Mutations

    @Test func `10,000 mutations of each payload`() throws {
        let random = SeededRandom(seed: 1)
        func text(_ op: String) throws -> [UInt8] {
            Array(try Vector.all(in: .sophaxChat, op: op)[0].expected.string("text").utf8)
        }
        let (message, invite, left) = (
            try text("chat-message"), try text("group-invite"), try text("group-member-left")
        )
        var read = [0, 0, 0]
        for _ in 0..<10_000 {
            if let other = ChatMessage(parsing: random.changed(message)) {
                #expect(ChatMessage(parsing: other.encoded) == other)
                read[0] += 1
            }
            let bytes = random.changed(invite)
            if let other = try? GroupInvite(parsing: bytes.span) {
                let again = other.encoded().copied
                #expect(try GroupInvite(parsing: again.span).members == other.members)
                read[1] += 1
            }
            if let other = GroupMemberLeft(parsing: random.changed(left)) {
                #expect(GroupMemberLeft(parsing: other.encoded) == other)
                read[2] += 1
            }
        }
        #expect(read.allSatisfy { $0 > 100 && $0 < 9_900 })
    }
}
