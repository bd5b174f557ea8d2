import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat

@Suite struct PeerRecordTests {
    private static let day: Int64 = 86_400_000

    private func later(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + milliseconds) }

    /// The record of the other one, with a session that this side has begun.
    private func begun(at time: Timestamp = now) throws -> (
        record: PeerRecord, initiation: Initiation, prekeys: [UInt8]
    ) {
        let prekeys = PrekeyStore(at: now)
        let begun = try SessionTests.initiated(prekeys, oneTime: prekeys.oneTimePrekeys().first)
        var record = PeerRecord(
            try bob().publicIdentity, of: try alice().publicIdentity, bundleForm: .whole, version: .two)
        record.begin(begun.session, at: time)
        return (record, begun.initiation, prekeys.encoded().copied)
    }

    private func read(_ bytes: [UInt8], of own: PublicIdentity? = nil) throws -> PeerRecord {
        let own = try own ?? alice().publicIdentity
        return try PeerRecord(decoding: bytes.span, of: own)
    }

    @Test func `a conversation of which only values are left between the steps`() throws {
        let (first, initiation, prekeyRecord) = try begun()
        let (one, other) = (try alice().publicIdentity, try bob().publicIdentity)
        let prekeys = try PrekeyStore(decoding: prekeyRecord.span)
        let answer = try SessionTests.respond(initiation, prekeys)
        var second = PeerRecord(one, of: other)
        second.begin(answer.session, at: now)
        var records = [first.encoded().copied, second.encoded().copied]
        for round in 0..<12 {
            let from = round % 3 == 0 ? 1 : 0
            var sender = try read(records[from], of: from == 0 ? one : other)
            var session = try sender.session(0)
            let text = Array("message \(round)".utf8)
            let message = try session.seal(text.span)
            sender.set(0, to: session)
            records[from] = sender.encoded().copied
            // Every fourth message is lost.
            if round % 4 == 1 { continue }
            var receiver = try read(records[1 - from], of: from == 0 ? other : one)
            let opened = try receiver.session(0).open(message, at: now)
            #expect(opened.plaintext.copied == text)
            receiver.set(0, to: opened.next)
            records[1 - from] = receiver.encoded().copied
        }
        let facts = try read(records[0]).facts()
        #expect(facts.count == 1 && facts[0].began == now && facts[0].replaced == nil && facts[0].canSend)
        let received = try read(records[1], of: other).facts()[0]
        #expect(received.counts.skipped > 0)
        let pinned = try read(records[0])
        #expect(pinned.bundleForm == .whole && pinned.version == .two && pinned.peer == other)
    }

    @Test func `counters are those of the session`() throws {
        var (record, _, _) = try begun()
        for _ in 0..<4 {
            var session = try record.session(0)
            let message = try session.seal([1].span)
            #expect(message.body.count > 1)
            record.set(0, to: session)
        }
        let counts = try #require(try record.facts().first).counts
        #expect(counts == StoredSession.Summary(sent: 5, received: 0, previouslySent: 0, skipped: 0))
    }

    @Test func `a new session sends, and the former ones receive for seven days`() throws {
        var (record, _, _) = try begun()
        for number in 1...7 {
            let session = try record.session(0)
            record.begin(session, at: later(Int64(number) * 1000))
        }
        let facts = try record.facts()
        #expect(facts.count == 1 + PeerRecord.maxReplaced)
        #expect(facts.map(\.began) == (2...7).reversed().map { later($0 * 1000) })
        #expect(facts.map(\.replaced) == [nil] + (3...7).reversed().map { later($0 * 1000) })
        record.expire(at: later(4000 + 7 * Self.day))
        #expect(try record.facts().compactMap(\.replaced) == (5...7).reversed().map { later($0 * 1000) })
        record.expire(at: later(100 * Self.day))
        #expect(record.count == 1)
        record.endSessions()
        #expect(record.count == 0 && record.bundleForm == .whole)
        let again = try read(record.encoded().copied)
        #expect(again.count == 0 && again.version == .two)
    }

    @Test func `the bytes are the described ones`() throws {
        let (record, _, _) = try begun()
        let session = try record.session(0).encoded().copied
        let head = [1] + (try bob().publicIdentity.code) + [4, 2, 1]
        let times =
            (0..<8).map { UInt8(truncatingIfNeeded: now.milliseconds >> (56 - 8 * $0)) }
            + [UInt8](repeating: 0, count: 8)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: session.count >> (24 - 8 * $0)) }
        let expected = head + times + length + session
        let bytes = record.encoded().copied
        #expect(bytes == expected)
        #expect(PeerRecord.name(of: record.peer.peerID) == Array(record.peer.peerID.description.utf8))
    }

    @Test func `what is no record`() throws {
        var (record, _, _) = try begun()
        let session = try record.session(0)
        record.begin(session, at: later(1))
        let bytes = record.encoded().copied
        func refusal(_ change: (inout [UInt8]) -> Void) throws -> StoredRecordError? {
            var changed = bytes
            change(&changed)
            do throws(StoredRecordError) {
                _ = try PeerRecord(decoding: changed.span, of: record.peer)
                return nil
            } catch {
                return error
            }
        }
        #expect(try refusal { _ in } == nil)
        #expect(try refusal { $0[0] = 2 } == .unknownForm(2))
        #expect(try refusal { $0[89] = 9 } == .unknownForm(9), "that of the session's ratchet")
        // Forms, versions, numbers of sessions, a first one that was replaced, lengths, a session.
        for (place, value) in [
            (65, 5), (66, 0), (66, 3), (67, 1), (67, 3), (67, 7), (76, 1), (84, 0xff), (87, 0), (88, 9),
        ] {
            #expect(try refusal { $0[place] = UInt8(value) } == .malformed)
        }
        #expect(try refusal { $0.append(0) } == .malformed)
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(try refusal { $0.removeLast(bytes.count - count) } == .malformed)
        }
    }

    @Test func `10,000 mutations of a record`() throws {
        let (record, _, _) = try begun()
        let bytes = record.encoded().copied
        let own = try alice().publicIdentity
        let random = SeededRandom(seed: 1)
        var read = 0
        for _ in 0..<10_000 {
            let changed = random.changed(bytes)
            guard let other = try? PeerRecord(decoding: changed.span, of: own) else { continue }
            let again = other.encoded().copied
            #expect(again == changed)
            read += 1
        }
        #expect(read > 100 && read < 9_900)
    }
}
