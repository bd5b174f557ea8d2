import Encodings
import SecureMemory
import Testing
import Threema

@testable import ThreemaMessages

@Suite struct TwoEnginesTests {
    static let count = 10_000

    @Test func `ten thousand random messages of every type are opened by the other side, and once only`() throws {
        var (alice, bob) = try Engine.pair()
        let types = MessageType.allCases.filter { $0.onlySender == nil && $0 != .forwardSecurity }
        for number in 0..<Self.count {
            let type = types[number % types.count]
            let fromAlice = number / types.count % 2 == 0
            let (sender, receiver) = fromAlice ? (alice.party, bob.party) : (bob.party, alice.party)
            var message = Message(
                try #require(try RandomMessages.body(type, from: sender.id)), from: sender, to: receiver)
            message.nickname = type.distributesProfile ? [.unchanged, .removed, .set("Nick")][number % 3] : .unchanged
            if number % 7 == 0 { message.flags.insert(.noDeliveryReceipt) }

            let payload = fromAlice ? try alice.send(message, to: receiver) : try bob.send(message, to: receiver)
            let result = fromAlice ? try bob.receive(payload) : try alice.receive(payload)
            #expect(result.decision == .deliver(message), "\(type)")
            #expect((result.nonceDigest == nil) == !message.body.needsReplayProtection)
            #expect((result.acknowledgement == .unwanted) == message.flags.contains(.noServerAcknowledgement))
            guard number % 10 == 0 else { continue }
            let again = fromAlice ? try bob.receive(payload) : try alice.receive(payload)
            let reason = message.body.needsReplayProtection ? DiscardReason.nonceReused : .duplicate
            #expect(again.decision == .discard(reason), "\(type)")
        }
    }

    @Test func `a thousand mutations of a message are refused, and leave nothing behind`() throws {
        var (alice, bob) = try Engine.pair()
        let message = Message(.chat(.text("Hello, Bob")), from: alice.party, to: bob.party)
        let payload = try alice.send(message, to: bob.party)
        let bits = 8 * payload.count
        for number in 0..<1000 {
            var mutated = payload
            // Every bit of the IDs, the lengths and the boxes; time, flags, reserved and nickname are not sealed.
            let bit = number < 8 * 24 ? number : 8 * 64 + (number - 8 * 24) % (bits - 8 * 64)
            mutated[bit / 8] ^= 1 << UInt8(bit % 8)
            let result = try bob.receive(mutated)
            switch (bit / 8, result.decision) {
            case (0..<8, .discard(.payload)), (0..<8, .discard(.invalidSender)), (8..<16, .discard(.payload)),
                (8..<16, .discard(.notForMe)), (64..., .discard(.metadata(.metadataNotAuthentic))),
                (64..., .discard(.box(.notAuthentic))):
                #expect(result.nonceDigest == nil)
            case (16..<24, .discard(.idMismatch)):
                // The boxes have opened: the nonce is used up.
                #expect(result.nonceDigest != nil)
                bob.nonces.digests = []
            default: Issue.record("bit \(bit): \(result.decision)")
            }
        }
        for count in stride(from: 0, to: payload.count, by: 3) {
            guard case .discard = try bob.receive(Array(payload[..<count])).decision else {
                Issue.record("\(count) bytes are enough")
                continue
            }
        }
        #expect(bob.nonces.digests.isEmpty && bob.origins.isEmpty)
        #expect(try bob.receive(payload).decision == .deliver(message))
    }

    @Test func `who sends to itself, through another's conversation, is refused`() throws {
        var (alice, bob) = try Engine.pair()
        let message = Message(.chat(.text("x")), from: alice.party, to: bob.party)
        let payload = try alice.send(message, to: bob.party)
        // Reflected: the key is the same in both directions, and the names are not sealed.
        let reflected = Array(payload[8..<16]) + payload[0..<8] + payload[16...]
        #expect(try alice.receive(reflected).decision == .discard(.nonceReused))
        alice.nonces.digests = []
        guard case .deliver(let echoed) = try alice.receive(reflected).decision else {
            Issue.record("the nonce alone is what refuses it")
            return
        }
        #expect(echoed.sender == bob.party.id)
    }
}
