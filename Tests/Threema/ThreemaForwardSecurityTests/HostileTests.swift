import IbexModel
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaForwardSecurity

/// A thousand changes of each message of the protocol: by the network, and by a contact that knows the keys.
@Suite struct HostileTests {
    enum Kind: CaseIterable { case initiate, accept, reject, terminate, twoDH, fourDH }

    private let alice = Pair.alice
    private let bob = Pair.bob

    /// Two sides, and a message of this kind on its way to the second one.
    private func scene(_ kind: Kind) throws -> (pair: Pair, payload: [UInt8], receiver: Int) {
        switch kind {
        case .initiate:
            let pair = try Pair()
            return (pair, try pair.post(alice)[0], bob)
        case .twoDH:
            let pair = try Pair()
            let sent = try pair.post(alice)
            try pair.deliver([sent[0]], to: bob)
            return (pair, sent[1], bob)
        case .accept:
            let pair = try Pair()
            try pair.deliver(pair.post(alice), to: bob)
            return (pair, try pair.flush(bob)[0], alice)
        case .reject, .terminate:
            let pair = try Pair.agreed()
            let id = try #require(try pair.best(bob))
            let rejection = Rejection(messageID: MessageID(5), cause: .unknownSession, group: nil)
            let content: Envelope.Content = kind == .reject ? .reject(rejection) : .terminate(.reset)
            return (pair, try pair.forge(Envelope(session: id, content: content), from: bob), alice)
        case .fourDH:
            let pair = try Pair.agreed()
            return (pair, try pair.post(alice)[0], bob)
        }
    }

    private func changed(_ bytes: [UInt8], _ random: SeededRandom) -> [UInt8] {
        var bytes = bytes
        switch random.number(below: 4) {
        case 0: bytes.removeLast(1 + random.number(below: bytes.count))
        case 1: bytes.insert(UInt8(random.number(below: 256)), at: random.number(below: bytes.count + 1))
        case 2: bytes.remove(at: random.number(below: bytes.count))
        default:
            for _ in 0...random.number(below: 3) {
                bytes[random.number(below: bytes.count)] ^= UInt8(1 + random.number(below: 255))
            }
        }
        return bytes
    }

    @Test(arguments: Kind.allCases)
    func `a thousand changes by the network have no effect`(_ kind: Kind) throws {
        let (pair, payload, receiver) = try scene(kind)
        let side = pair.sides[receiver]
        let random = SeededRandom(seed: 11)
        let before = side.disk
        for _ in 0..<1000 {
            let changed = changed(payload, random)
            // A nickname field and flags are not authenticated. What is, begins with the boxes.
            guard let read = try? MessagePayload(decoding: changed.span),
                let original = try? MessagePayload(decoding: payload.span),
                read.metadataBox != original.metadataBox || read.messageBox != original.messageBox
                    || read.nonce != original.nonce
            else { continue }
            var pipeline = IncomingPipeline(changed.span, own: side.id)
            guard case .lookUpNonce = pipeline.start() else { continue }
            guard case .findContact = pipeline.answer(nonceIsUsed: false) else { continue }
            let step = pipeline.open(keys: side.parties.keys, isBlocked: false)
            guard case .finished(let result) = step, case .discard = result.decision, result.nonceDigest == nil else {
                Issue.record("a changed message was opened")
                return
            }
        }
        #expect(side.disk.sessions.record == before.sessions.record)
        try pair.deliver([payload], to: receiver)
        #expect(side.events.count == 1)
    }

    @Test(arguments: Kind.allCases)
    func `a thousand changes by the contact open no other message, and the sides recover`(_ kind: Kind) throws {
        let random = SeededRandom(seed: 12)
        let (pair, payload, receiver) = try scene(kind)
        let side = pair.sides[receiver]
        let original = try #require(try pair.envelope(payload))
        let start = (side.disk, pair.sides[1 - receiver].disk)
        var malformed = 0
        for _ in 0..<1000 {
            side.disk = start.0
            side.delivered = [:]
            let envelope = changed(original.encoded, random)
            let events = try pair.deliver([pair.forge(envelope, from: 1 - receiver)], to: receiver)
            if case .ignored(.malformed) = events.first { malformed += 1 }
            if case .message = events.first {
                // Offer, group and unknown fields are around the box. The message is the one that was sent.
                #expect(kind == .twoDH || kind == .fourDH)
                guard case .encapsulated(let read) = try Envelope(decoding: envelope.span).content,
                    case .encapsulated(let sent) = original.content
                else { throw Unexpected() }
                #expect(read.box == sent.box && read.counter == sent.counter)
            }
            // The record can be read.
            _ = try side.conversation()
        }
        #expect(malformed > 100)
        side.disk = start.0
        pair.sides[1 - receiver].disk = start.1
        try pair.deliver([payload], to: receiver)
        #expect(side.events.count == 1)
    }
}

@Suite struct RecordTests {
    private func record(_ pair: Pair, _ place: Int) -> [UInt8] { pair.sides[place].disk.sessions.record }

    /// Records with each state, and two of them with two sessions.
    private func records() throws -> [[UInt8]] {
        let pair = try Pair(seed: 3)
        var records: [[UInt8]] = [Conversation().sessions.encoded().copied]
        let (fromAlice, fromBob) = (try pair.post(0), try pair.post(1))
        records.append(record(pair, 0))
        try pair.deliver(fromAlice, to: 1)
        try pair.deliver(fromBob, to: 0)
        records += [record(pair, 0), record(pair, 1)]
        try pair.deliver(pair.flush(0), to: 1)
        records.append(record(pair, 1))
        try pair.deliver(pair.flush(1), to: 0)
        for place in 0..<2 { try pair.deliver(pair.post(place), to: 1 - place) }
        return records + [record(pair, 0), record(pair, 1)]
    }

    @Test func `a record is read as it was written`() throws {
        for record in try records() {
            let read = try Conversation(decoding: record.span)
            #expect(read.sessions.encoded().copied == record)
        }
    }

    @Test func `no cut or changed record ends the process`() throws {
        for record in try records() {
            for end in 0..<record.count {
                let cut = Array(record[..<end])
                #expect(throws: RecordError.self) { _ = try Conversation(decoding: cut.span) }
            }
            let longer = record + [0]
            #expect(throws: RecordError.self) { _ = try Conversation(decoding: longer.span) }
            for index in record.indices {
                for value in [record[index] ^ 1, record[index] ^ 0x80, 0, 0xff] {
                    var changed = record
                    changed[index] = value
                    if let read = try? Conversation(decoding: changed.span) {
                        #expect(read.sessions.encoded().copied == changed)
                    }
                }
            }
        }
    }

    @Test func `a record of a later form is named`() throws {
        var record = try records()[1]
        record[0] = 2
        #expect(throws: RecordError.unknownForm(2)) { _ = try Conversation(decoding: record.span) }
    }

    @Test func `only the first message leaves the outbox`() throws {
        let side = try Pair().sides[0]
        _ = side.compose(.chat(.text("a")))
        try side.sealDraft()
        for number in [UInt64(1), 2, .max] {
            #expect(throws: OutboxError.notFirst(number, unsent: 0..<2)) {
                let conversation = try side.conversation()
                _ = try conversation.acknowledge(number, to: side.contact)
            }
        }
        let first = try #require(try side.firstQueued())
        try side.acknowledged(first.number, first.payload)
        #expect(try side.conversation().unsent == 1..<2)
        #expect(side.disk.sessions.outbox.count == 1)
    }
}
