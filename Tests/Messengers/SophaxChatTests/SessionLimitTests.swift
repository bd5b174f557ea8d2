import Encodings
import Ratchet
import SecureMemory
import SophaxKit
import Testing

@testable import SophaxChat

/// The limits of a session as they are shipped, seen from outside.
@Suite struct SessionLimitTests {
    /// Both sides of a session. A class, so that a side is changed where it stands.
    private final class Sides {
        var one: PairSession
        var other: PairSession

        init() throws {
            let prekeys = PrekeyStore(at: now)
            let begun = try SessionTests.initiated(prekeys, oneTime: nil)
            let answer = try SessionTests.respond(begun.initiation, prekeys)
            let (sent, received) = (begun.session.encoded().copied, answer.session.encoded().copied)
            let (first, second) = (try alice().publicIdentity, try bob().publicIdentity)
            one = try PairSession(decoding: sent.span, of: first, with: second)
            other = try PairSession(decoding: received.span, of: second, with: first)
        }

        private static let text: [UInt8] = [1]

        func send() throws -> PairMessage {
            let text = Self.text
            return try one.seal(text.span)
        }

        func receive(_ message: PairMessage, at time: Timestamp = now) throws {
            let opened = try other.open(message, at: time)
            other = opened.next
        }

        /// The other side answers, so that the next message begins a chain.
        func answer() throws {
            let text = Self.text
            let message = try other.seal(text.span)
            let opened = try one.open(message, at: now)
            one = opened.next
        }
    }

    @Test func `an attachment has 512 KiB, and not a byte more`() throws {
        let sides = try Sides()
        let longest = [UInt8](repeating: 7, count: 512 * 1024)
        let message = try sides.one.seal(longest.span)
        try sides.receive(try #require(PairMessage(parsing: message.encoded)))
        let record = sides.one.encoded().copied
        #expect(throws: RatchetError.tooLong(limit: 512 * 1024)) {
            let longer = longest + [7]
            _ = try sides.one.seal(longer.span)
        }
        #expect(sides.one.encoded().copied == record)
        // One that another program has sealed is refused where it is read.
        let longer = PairMessage(header: message.header, body: message.body + [0])
        #expect(PairMessage(parsing: longer.encoded) == nil)
    }

    @Test func `a first message has 512 KiB, and not a byte more`() throws {
        let prekeys = PrekeyStore(at: now)
        let longest = [UInt8](repeating: 7, count: 512 * 1024)
        let begun = try SessionTests.initiated(prekeys, oneTime: nil, first: longest)
        #expect(try SessionTests.respond(begun.initiation, prekeys).plaintext.count == longest.count)
        #expect(throws: HandshakeError.tooLong(limit: 512 * 1024)) {
            _ = try SessionTests.initiated(prekeys, oneTime: nil, first: longest + [7])
        }
    }

    @Test func `a message may skip 1000, and not 1001`() throws {
        let sides = try Sides()
        let messages = try (0..<1002).map { _ in try sides.send() }
        #expect(throws: RatchetError.tooManySkipped) { try sides.receive(messages[1001]) }
        #expect(sides.other.storedCount == 0)
        try sides.receive(messages[1000])
        #expect(sides.other.storedCount == 1000)
        // The record of a full session is read.
        let record = sides.other.encoded().copied
        let (own, peer) = (try bob().publicIdentity, try alice().publicIdentity)
        let read = try PairSession(decoding: record.span, of: own, with: peer)
        #expect(read.storedCount == 1000)
        // All places are taken: one more is refused, until one of them has come.
        let next = try sides.send()
        #expect(throws: RatchetError.tooManySkipped) { try sides.receive(next) }
        try sides.receive(messages[1001])
        try sides.receive(messages[0])
        let last = try sides.send()
        try sides.receive(next)
        try sides.receive(last)
        #expect(sides.other.storedCount == 999)
    }

    @Test func `the key of a skipped message stays for 7 days`() throws {
        let sides = try Sides()
        let messages = try (0..<4).map { _ in try sides.send() }
        try sides.receive(messages[3])
        try sides.receive(messages[0], at: now + .milliseconds(7 * 86_400_000 - 1))
        #expect(throws: RatchetError.duplicate) { try sides.receive(messages[1], at: now + .days(7)) }
        try sides.receive(messages[1], at: now + .milliseconds(7 * 86_400_000 - 1))
    }

    /// A header key with keys of skipped messages is a bucket of the app, which refuses more than 50.
    @Test func `50 header keys have keys of skipped messages, and not 51`() throws {
        let sides = try Sides()
        var missing: [PairMessage] = []
        func begin() throws {
            missing.append(try sides.send())
            try sides.receive(try sides.send())
            try sides.answer()
        }
        for _ in 0..<50 { try begin() }
        #expect(sides.other.storedCount == 50 && sides.other.storedCount <= StoredSession.maxBuckets)
        let before = sides.other.encoded().copied
        try begin()
        #expect(sides.other.storedCount == 50)
        #expect(throws: RatchetError.unknownHeader, "the oldest") { try sides.receive(missing[0]) }
        for message in missing.dropFirst() { try sides.receive(message) }
        #expect(sides.other.storedCount == 0)
        let (own, peer) = (try bob().publicIdentity, try alice().publicIdentity)
        sides.other = try PairSession(decoding: before.span, of: own, with: peer)
        for message in missing.prefix(50) { try sides.receive(message) }
        #expect(sides.other.storedCount == 0)
    }

    @Test func `a chain has 1,048,576 messages and then waits for an answer`() throws {
        let sides = try Sides()
        try sides.receive(try sides.send())
        try sides.answer()
        try sides.receive(try sides.send())
        // The next number on the sending chain stands behind its key: form of headers (1), three bytes, three keys, a
        // number, the chain's key.
        var record = sides.one.encoded().copied
        let place = 1 + 3 + 3 * 32 + 4 + 32
        #expect(sides.one.counts.sent == 1 && Array(record[place..<place + 4]) == [1, 0, 0, 0])
        record.replaceSubrange(place..<place + 4, with: [0xff, 0xff, 0x0f, 0])
        let (own, peer) = (try alice().publicIdentity, try bob().publicIdentity)
        sides.one = try PairSession(decoding: record.span, of: own, with: peer)
        #expect(sides.one.counts.sent == 1_048_575 && sides.one.canSend == true)
        _ = try sides.send()
        #expect(sides.one.canSend == false)
        #expect(throws: RatchetError.chainExhausted) { _ = try sides.send() }
        #expect(sides.one.counts.sent == 1_048_576)
        try sides.answer()
        _ = try sides.send()
        #expect(sides.one.counts.sent == 1 && sides.one.counts.previouslySent == 1_048_576)
    }
}
