import Encodings
import Primitives
import RatchetModel
import SecureMemory
import SophaxChat
import Testing

@testable import Ratchet

/// Records of sessions: what is written is read again, and everything else is refused.
@Suite struct RecordTests {
    /// A session with skipped keys on two chains.
    static func session(_ suite: RatchetSuite) throws -> [UInt8] {
        var pair = try Pair(suite)
        try pair.talk()
        for _ in 0..<3 { _ = try pair.alice.send([0]) }
        _ = try pair.bob.receive(try pair.alice.send([0]))
        _ = try pair.alice.receive(try pair.bob.send([0]))
        for _ in 0..<2 { _ = try pair.alice.send([0]) }
        _ = try pair.bob.receive(try pair.alice.send([0]))
        return pair.bob.record()
    }

    @Test(arguments: RatchetSuite.all) func `a session goes on after each step`(_ suite: RatchetSuite) throws {
        var pair = try Pair(suite)
        var late: [Letter] = []
        for number in 0..<12 as Range<UInt8> {
            late.append(try pair.alice.send([number]))
            pair.alice = try DoubleRatchet(decoding: pair.alice.record().span, suite: suite)
            pair.bob = try DoubleRatchet(decoding: pair.bob.record().span, suite: suite)
            #expect(try pair.bob.receive(try pair.alice.send([100])) == [100])
            #expect(try pair.alice.receive(try pair.bob.send([101])) == [101])
            guard late.count > 3 else { continue }
            let letter = late.removeFirst()
            #expect(try pair.bob.receive(letter) == [number - 3])
        }
    }

    @Test(arguments: RatchetSuite.all) func `a record has the documented length and is read to its end`(
        _ suite: RatchetSuite
    ) throws {
        let record = try Self.session(suite)
        #expect(try DoubleRatchet(decoding: record.span, suite: suite).record() == record)
        #expect(record.count < DoubleRatchet.maxRecordCount(suite))
        for count in 0..<record.count {
            let cut = Array(record[..<count])
            #expect(throws: RecordError.malformed) { _ = try DoubleRatchet(decoding: cut.span, suite: suite) }
        }
        let longer = record + [0]
        #expect(throws: RecordError.malformed) { _ = try DoubleRatchet(decoding: longer.span, suite: suite) }
    }

    @Test func `forms and suites are told`() throws {
        var record = try Self.session(.plain)
        #expect(throws: RecordError.otherSuite(20)) {
            _ = try DoubleRatchet(decoding: record.span, suite: .sophaxChat)
        }
        record[0] = 2
        #expect(throws: RecordError.unknownForm(2)) { _ = try DoubleRatchet(decoding: record.span, suite: .plain) }
    }

    /// Whatever is read has the same bytes again, so nothing is accepted in two ways.
    @Test(arguments: RatchetSuite.all) func `changed bytes are refused or kept`(_ suite: RatchetSuite) throws {
        let record = try Self.session(suite)
        var refused = 0
        for place in record.indices {
            for value in [0, 1, 0x80, 0xff] as [UInt8] where value != record[place] {
                var changed = record
                changed[place] = value
                do {
                    #expect(try DoubleRatchet(decoding: changed.span, suite: suite).record() == changed)
                } catch { refused += 1 }
            }
        }
        #expect(refused > 0)
    }

    /// A record that no step makes: too many keys, numbers that do not ascend, numbers above the chain.
    @Test func `limits hold for a record`() throws {
        let record = try Self.session(.plain)
        // The last chain's numbers 0 and 1 are 2 × (12 + 32) bytes before the end.
        let numbers = record.count - 2 * (12 + 32)
        for (place, value) in [(numbers, 1), (numbers, 9), (numbers + 12, 3), (numbers - 2, 31)] as [(Int, UInt8)] {
            var changed = record
            changed[place] = value
            #expect(throws: RecordError.malformed) { _ = try DoubleRatchet(decoding: changed.span, suite: .plain) }
        }
    }
}
