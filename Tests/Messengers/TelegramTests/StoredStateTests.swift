import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// The replay window and the stored form of a session.
@Suite struct StoredStateTests {
    @Test func `a window has the last N IDs, in any order of arrival`() {
        let random = SeededRandom(seed: 1)
        for capacity in [1, 2, 3, 400] {
            var window = ReplayWindow(capacity: capacity)
            var model: Set<UInt64> = []
            for step in 0..<2000 {
                let id = UInt64(random.number(below: 3 * capacity + 10))
                let expected: ReplayWindow.Judgement =
                    model.contains(id) ? .duplicate : model.min().map { id < $0 } == true ? .olderThanWindow : .new
                #expect(window.judge(MessageID(id)) == expected)
                #expect(window.insert(MessageID(id)) == expected)
                if expected == .new { model.insert(id) }
                if model.count > capacity { model.remove(model.min()!) }
                if step % 100 == 99 { #expect(window.ids.map(\.number) == model.sorted()) }
            }
        }
    }

    @Test func `IDs are unsigned`() {
        var window = ReplayWindow(capacity: 2)
        for id: UInt64 in [1, 1 << 63, .max] { _ = window.insert(MessageID(id)) }
        #expect(window.ids.map(\.number) == [1 << 63, .max])
        #expect(window.judge(MessageID(1)) == .olderThanWindow)
    }

    @Test func `a stored window refuses what it refused before`() throws {
        var window = ReplayWindow(capacity: 3)
        for id: UInt64 in [4, 8, 12, 16] { _ = window.insert(MessageID(id)) }
        #expect(
            window.encoded.hex == "01030000000300000008000000000000000c000000000000001000000000000000")
        var stored = try ReplayWindow(decoding: window.encoded.span)
        #expect(stored == window)
        #expect(stored.insert(MessageID(4)) == .olderThanWindow && stored.insert(MessageID(8)) == .duplicate)
        #expect(stored.insert(MessageID(20)) == .new)
        #expect(try ReplayWindow(decoding: ReplayWindow().encoded.span) == ReplayWindow())
    }

    @Test func `malformed windows are refused`() throws {
        var window = ReplayWindow(capacity: 3)
        for id: UInt64 in [4, 8] { _ = window.insert(MessageID(id)) }
        let right = window.encoded
        func refuse(_ bytes: [UInt8], _ error: SessionRecordError = .malformed) {
            #expect(throws: error) { try ReplayWindow(decoding: bytes.span) }
        }
        for count in right.indices { refuse(Array(right[..<count])) }
        refuse(right + [0])
        // Form, capacity 0, capacity below the count, a capacity that is too large, another count, equal and
        // descending IDs.
        func replacing(_ range: Range<Int>, _ bytes: [UInt8]) -> [UInt8] {
            var changed = right
            changed.replaceSubrange(range, with: bytes)
            return changed
        }
        refuse(replacing(0..<1, [2]), .unknownForm(2))
        refuse(replacing(1..<2, [0]))
        refuse(replacing(1..<2, [1]))
        refuse(replacing(1..<5, [1, 0, 1, 0]))
        refuse(replacing(1..<9, [UInt8](repeating: 0xff, count: 8)))
        refuse(replacing(5..<6, [1]))
        let (first, second) = (Array(right[9..<17]), Array(right[17...]))
        refuse(replacing(17..<25, first))
        refuse(replacing(9..<25, second + first))
    }

    @Test func `capacities outside of the limits end the process`() async {
        await #expect(processExitsWith: .failure) { _ = ReplayWindow(capacity: 0) }
        await #expect(processExitsWith: .failure) { _ = ReplayWindow(capacity: 65_537) }
    }

    private func session() throws -> LegacyMTProto1.Session {
        LegacyMTProto1.Session(
            .server, key: try authorizationKey([UInt8](repeating: 5, count: 256)), id: 7, salt: 9, capacity: 2)
    }

    @Test func `a session has one stored form`() throws {
        var session = try session()
        #expect(try LegacyMTProto1.Session(decoding: session.encoded.span) == session)
        let now = MessageTime(seconds: 1_700_000_000)
        session.salts.change(to: 10, at: now)
        session.salts.change(to: 10, at: MessageTime(number: 1))
        #expect(session.salts.previous == ServerSalts.Previous(salt: 9, end: now))
        _ = try session.number([], isContent: true, as: .unasked, now)
        _ = session.received.insert(MessageID(4))
        let stored = session.encoded
        #expect(stored.count == 56 + 9 + 8)
        let parts = [
            "0101\(session.keyID)0700000000000000", "0a00000000000000", "0109000000000000000000000000f15365",
            "010300000000f15365", "01000000", "01020000000100000004000000", "00000000",
        ]
        #expect(stored.hex == parts.joined())
        #expect(try LegacyMTProto1.Session(decoding: stored.span) == session)
        #expect(try LegacyMTProto1.Session(decoding: stored.span).encoded == stored)
    }

    @Test func `malformed sessions are refused`() throws {
        let right = try session().encoded
        func refuse(_ bytes: [UInt8], _ error: SessionRecordError = .malformed) {
            #expect(throws: error) { try LegacyMTProto1.Session(decoding: bytes.span) }
        }
        for count in right.indices { refuse(Array(right[..<count])) }
        refuse(right + [0])
        for (place, value) in [(1, 2), (26, 2), (27, 1), (35, 1), (43, 2), (44, 1), (55, 0x41)] as [(Int, UInt8)] {
            var changed = right
            changed[place] = value
            refuse(changed)
        }
        for place in [0, 56] {
            var other = right
            other[place] = 2
            refuse(other, .unknownForm(2))
        }
    }
}
