import Encodings
import Primitives
import SecureMemory
import Testing
import Threema

@testable import ThreemaMessages

@Suite struct IncomingPipelineTests {
    /// A payload around any container and any metadata.
    private func payload(
        _ container: [UInt8], from sender: Party, to receiver: Party, metadataID: MessageID? = nil,
        hasMetadata: Bool = true, flags: MessageFlags = []
    ) throws -> [UInt8] {
        let keys = try sender.keys(with: receiver.publicKey)
        let (id, nonce) = (MessageID.random(), MessageNonce(Random.bytes(24)))
        let metadata = MessageMetadata(
            nickname: .set("N"), messageID: metadataID ?? id, createdAt: Timestamp(milliseconds: 5))
        return MessagePayload(
            sender: sender.id, receiver: receiver.id, id: id, createdAt: 7, flags: flags,
            legacyNickname: [UInt8](repeating: 0, count: 32),
            metadataBox: hasMetadata ? metadata.seal(nonce: nonce, keys: keys) : [], nonce: nonce,
            messageBox: Box.seal(container.span, nonce: nonce.bytes, sharedKey: keys.message)
        ).encoded
    }

    /// `type ‖ body ‖ one byte of padding`.
    private func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [1] }

    @Test(
        arguments: [
            ([0xff, 0x41], .refusedType), ([0xab, 0x41], .unknownType(0xab)), ([0x00], .unknownType(0)),
            ([0x01, 0xff], .body(.notUnicode)), ([0x90], .body(.wrongLength(expected: 1, actual: 0))),
            ([0xfe, 0x00], .notFromThisSender(.webSessionResume)), ([0xfd], .notFromThisSender(.workDelta)),
        ] as [([UInt8], DiscardReason)]) func `what the box holds`(_ container: [UInt8], _ reason: DiscardReason) throws
    {
        var (alice, bob) = try Engine.pair()
        let result = try bob.receive(payload(padded(container), from: alice.party, to: bob.party))
        #expect(result.decision == .discard(reason))
        // The sender has made it, so it counts as received.
        #expect(result.nonceDigest != nil)
        if case .due(let bytes) = result.acknowledgement {
            #expect(bytes.count == 16 && bytes.starts(with: alice.party.id.bytes))
        } else {
            Issue.record("no acknowledgement")
        }
        #expect(bob.asked == ["nonce", "contact"])
        alice.asked = []
    }

    @Test(arguments: [[], [1], [1, 0], [1, 9]] as [[UInt8]])
    func `a container without type and padding`(_ container: [UInt8]) throws {
        var (alice, bob) = try Engine.pair()
        let result = try bob.receive(payload(container, from: alice.party, to: bob.party))
        #expect(result.decision == .discard(.box(.container)))
        alice.asked = []
    }

    @Test func `a malformed payload is acknowledged if it names sender, ID and flags`() throws {
        var (alice, bob) = try Engine.pair()
        let whole = try payload(padded([0x01, 0x41]), from: alice.party, to: bob.party)
        let names = alice.party.id.bytes + whole[16..<24]
        for count in 0..<88 {
            let result = try bob.receive(Array(whole[..<count]))
            #expect(result.decision == .discard(.payload(.tooShort(minimum: 88, actual: count))))
            #expect(result.acknowledgement == (count < 29 ? .impossible : .due(names)))
            #expect(result.nonceDigest == nil && bob.asked.isEmpty)
        }
        let long = whole + [UInt8](repeating: 0, count: MessagePayload.maxCount)
        #expect(try bob.receive(long).acknowledgement == .due(names))
        // The sender is no ID, but the server knows the message by these bytes.
        let nobody = Array("noid\0\0\0\0".utf8)
        let result = try bob.receive(nobody + whole[8...])
        #expect(result.decision == .discard(.payload(.invalidID)))
        #expect(result.acknowledgement == .due(nobody + whole[16..<24]))
        var quiet = Array(whole[..<29])
        quiet[28] = 0x04
        #expect(try bob.receive(quiet).acknowledgement == .unwanted)
        alice.asked = []
    }

    @Test func `checks come in their order`() throws {
        var (alice, bob) = try Engine.pair()
        let carol = try Party("000CAROL")
        let text = padded(MessageType.text.rawValue.bytes + [0x41])
        // To somebody else, with a used nonce: the nonce comes first.
        let forCarol = try payload(text, from: alice.party, to: carol)
        #expect(try bob.receive(forCarol).decision == .discard(.notForMe(carol.id)))
        #expect(bob.asked == ["nonce"])
        let nonce = try MessagePayload(decoding: forCarol.span).nonce
        bob.nonces.digests.insert(nonce.digest(for: bob.party.id))
        #expect(try bob.receive(forCarol).decision == .discard(.nonceReused))
        // From oneself.
        let own = try payload(text, from: bob.party, to: bob.party)
        #expect(try bob.receive(own).decision == .discard(.fromMe))
        // From nobody, and from somebody with another key.
        let stranger = try payload(text, from: carol, to: bob.party)
        #expect(try bob.receive(stranger).decision == .discard(.invalidSender))
        bob.contacts[carol.id] = alice.party.publicKey
        let result = try bob.receive(stranger)
        #expect(result.decision == .discard(.metadata(.metadataNotAuthentic)))
        #expect(result.nonceDigest == nil)
        #expect(result.acknowledgement == .due(carol.id.bytes + stranger[16..<24]))
        let withoutMetadata = try payload(text, from: carol, to: bob.party, hasMetadata: false)
        #expect(try bob.receive(withoutMetadata).decision == .discard(.box(.notAuthentic)))
        // Another message's metadata.
        let mixed = try payload(text, from: alice.party, to: bob.party, metadataID: MessageID(1))
        #expect(try bob.receive(mixed).decision == .discard(.idMismatch))
        #expect(bob.asked == ["nonce", "contact"])
        alice.asked = []
    }

    @Test func `without metadata the payload's time counts`() throws {
        var (alice, bob) = try Engine.pair()
        let text = padded([0x01, 0x41])
        guard
            case .deliver(let message) = try bob.receive(
                payload(text, from: alice.party, to: bob.party, hasMetadata: false)
            ).decision
        else {
            Issue.record("not delivered")
            return
        }
        #expect(message.createdAt == Timestamp(milliseconds: 7000) && message.nickname == .unchanged)
        guard case .deliver(let sealed) = try bob.receive(payload(text, from: alice.party, to: bob.party)).decision
        else {
            Issue.record("not delivered")
            return
        }
        #expect(sealed.createdAt == Timestamp(milliseconds: 5) && sealed.nickname == .set("N"))
        alice.asked = []
    }

    @Test func `a flag says that nothing is acknowledged`() throws {
        var (alice, bob) = try Engine.pair()
        let quiet = try payload(
            padded([0x90, 0x01]), from: alice.party, to: bob.party, flags: [.noServerAcknowledgement])
        let result = try bob.receive(quiet)
        #expect(result.acknowledgement == .unwanted && result.nonceDigest == nil)
        // Nor is a refusal.
        let refused = try payload(
            padded([0xff]), from: alice.party, to: bob.party, flags: [.noServerAcknowledgement])
        #expect(try bob.receive(refused).acknowledgement == .unwanted)
        alice.asked = []
    }

    @Test func `the same ID under another nonce is a duplicate, in a group from any sender`() throws {
        var (alice, bob) = try Engine.pair()
        let carol = try Party("000CAROL")
        bob.contacts[carol.id] = carol.publicKey
        func send(_ body: MessageBody, from sender: Party, _ id: UInt64) throws -> IncomingResult.Decision {
            let message = Message(body, from: sender, to: bob.party, id: MessageID(id))
            return try bob.receive(sender.seal(message, for: bob.party).encoded).decision
        }
        let group = GroupIdentity(creator: alice.party.id, id: .random())
        func isNew(_ body: MessageBody, from sender: Party, _ id: UInt64) throws -> Bool {
            let decision = try send(body, from: sender, id)
            if case .deliver = decision { return true }
            #expect(decision == .discard(.duplicate))
            return false
        }
        #expect(try isNew(.chat(.text("a")), from: alice.party, 1))
        #expect(try !isNew(.chat(.text("b")), from: alice.party, 1))
        #expect(try isNew(.chat(.text("a")), from: carol, 1))
        #expect(try isNew(.groupChat(group, .text("a")), from: alice.party, 1))
        #expect(try !isNew(.groupChat(group, .text("a")), from: carol, 1))
        #expect(try isNew(.groupChat(group, .text("a")), from: carol, 2))
        // Setup is of the sender's group, a sync request of the receiver's.
        #expect(try isNew(.groupSyncRequest(group.id), from: alice.party, 1))
        #expect(try !isNew(.groupSetup(group.id, members: []), from: alice.party, 1))
        #expect(try isNew(.groupSetup(group.id, members: []), from: carol, 1))
        alice.asked = []
    }

    @Test func `a blocked contact reaches groups only`() throws {
        var (alice, bob) = try Engine.pair()
        bob.blocked = [alice.party.id]
        let direct = Message(.chat(.text("a")), from: alice.party, to: bob.party)
        let result = try bob.receive(alice.send(direct, to: bob.party))
        #expect(result.decision == .discard(.blocked) && result.nonceDigest != nil)
        let group = GroupIdentity(creator: alice.party.id, id: .random())
        let inGroup = Message(.groupChat(group, .text("a")), from: alice.party, to: bob.party)
        #expect(try bob.receive(alice.send(inGroup, to: bob.party)).decision == .deliver(inGroup))
    }

    @Test func `forward security hands over what its envelope holds`() throws {
        var (alice, bob) = try Engine.pair()
        func receive(_ inner: [UInt8]?) throws -> IncomingResult.Decision {
            bob.unwrap = { $0 == [1, 2] ? inner : nil }
            let message = Message(.forwardSecurity([1, 2]), from: alice.party, to: bob.party)
            return try bob.receive(alice.send(message, to: bob.party)).decision
        }
        guard case .deliver(let message) = try receive([0x01, 0x48, 0x69]) else {
            Issue.record("not delivered")
            return
        }
        #expect(message.body == .chat(.text("Hi")))
        #expect(bob.asked == ["nonce", "contact", "unwrap", "origin"])
        #expect(try receive(nil) == .discard(.forwardSecurity))
        #expect(try receive([]) == .discard(.box(.container)))
        #expect(try receive([0xa0, 1, 2]) == .discard(.nestedEnvelope))
        #expect(try receive([0xff]) == .discard(.refusedType))
        #expect(try receive([0xfe]) == .discard(.notFromThisSender(.webSessionResume)))
    }

    @Test func `special senders may send their types`() throws {
        var (_, bob) = try Engine.pair()
        let push = try Party("*3MAPUSH")
        bob.contacts[push.id] = push.publicKey
        let message = Message(.opaque(.webSessionResume, .of([1])), from: push, to: bob.party)
        #expect(try bob.receive(push.seal(message, for: bob.party).encoded).decision == .deliver(message))
    }
}

extension UInt8 {
    fileprivate var bytes: [UInt8] { [self] }
}
