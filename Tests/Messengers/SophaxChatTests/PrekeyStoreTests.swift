import Encodings
import Ratchet
import SecureMemory
import SophaxKit
import Testing

@testable import SophaxChat

@Suite struct PrekeyStoreTests {
    @Test func `a rotation that was asked for`() throws {
        var prekeys = PrekeyStore(at: now)
        var ids = [prekeys.signedID]
        for _ in 0..<5 {
            #expect(prekeys.rotate(at: now) == true)
            ids.append(prekeys.signedID)
        }
        #expect(Set(ids).count == 6 && prekeys.signedFacts.map(\.id) == ids)
        // The rest is for the regular ones, so that the record always has room.
        #expect(prekeys.rotate(at: now) == false)
        #expect(prekeys.signedID == ids.last)
        for days in [7, 14, 21, 28] {
            _ = prekeys.maintain(at: now + .days(days))
            let record = prekeys.encoded()
            let read = try record.withBytes { (bytes) throws(StoredRecordError) in try PrekeyStore(decoding: bytes) }
            #expect(read.signedFacts == prekeys.signedFacts)
        }
        #expect(prekeys.rotate(at: now + .days(28)) == true)
    }

    @Test func `prekeys of a copy are added`() throws {
        var prekeys = PrekeyStore(at: now)
        let copy = PrekeyStore(at: now + .days(-1))
        let current = prekeys.signedID
        let merged = try prekeys.merge(copy, at: now)
        #expect(merged == MergedPrekeys(signed: 1, oneTime: 20, seen: 0))
        #expect(prekeys.signedID == current && prekeys.oneTimeCount == 40)
        #expect(prekeys.signedFacts[0].id == copy.signedID && prekeys.signedFacts[0].replaced == now)
        let again = try prekeys.merge(copy, at: now)
        #expect(again == .none)
    }

    @Test func `a full pool is not filled`() {
        var prekeys = PrekeyStore(at: now)
        #expect(prekeys.refill(at: now) == 0 && prekeys.oneTimeCount == 20)
    }

    @Test func `an import leaves room for the two rotations that follow`() throws {
        var prekeys = PrekeyStore(at: now)
        var copy = PrekeyStore(at: now)
        for _ in 0..<3 { #expect(prekeys.rotate(at: now) == true) }
        for _ in 0..<3 { #expect(copy.rotate(at: now) == true) }
        let merged = try prekeys.merge(copy, at: now)
        #expect(merged.signed == 4 && prekeys.signedFacts.count == 8)
        for days in [7, 14, 21] {
            #expect(prekeys.maintain(at: now + .days(days)) == true)
            #expect(prekeys.signedMade == now + .days(days))
        }
        let other = PrekeyStore(at: now)
        var full = PrekeyStore(at: now)
        for _ in 0..<5 { #expect(full.rotate(at: now) == true) }
        #expect(throws: PrekeyMergeError.noRoomForSigned) { _ = try full.merge(copy, at: now) }
        let last = try full.merge(other, at: now)
        #expect(last.signed == 1)
    }

    @Test func `a record of form 1 is read`() throws {
        let key = [UInt8](repeating: 5, count: 32)
        func old(_ id: UInt8, made: Int64, replaced: Int64?) -> [UInt8] {
            var bytes: [UInt8] = [0, 0, 0, id]
            bytes.appendNumber(made)
            bytes += key + key + [replaced == nil ? 0 : 1]
            bytes.appendNumber(replaced ?? 0)
            return bytes
        }
        let (day, start): (Int64, Int64) = (86_400_000, now.milliseconds)
        let pool = PrekeyPool(PrekeyStore.rules).encoded().copied
        func record(_ keys: [[UInt8]]) -> [UInt8] {
            [1, UInt8(keys.count)] + keys.flatMap { $0 } + [0, 0, 0, 0] + pool
        }
        let keys = [
            old(1, made: start - 7 * day, replaced: start), old(2, made: start, replaced: nil),
            old(3, made: start + 1, replaced: nil),
        ]
        var prekeys = try PrekeyStore(decoding: record(keys).span)
        #expect(
            prekeys.signedFacts == [
                .init(id: 1, made: now + .days(-7), replaced: now), .init(id: 2, made: now, replaced: now),
                .init(id: 3, made: now + .milliseconds(1), replaced: nil),
            ])
        #expect(prekeys.maintain(at: now + .days(8)) == true)
        #expect(prekeys.signedFacts.count == 4, "the 14 days begin at the latest time of the record")
        #expect(prekeys.maintain(at: now + .days(15)) == true)
        #expect(prekeys.signedFacts.count == 3 && prekeys.signedFacts[0].id == 3)
        for wrong in [
            record([]), record(keys + keys), record([old(0, made: start, replaced: nil)]),
            record([old(1, made: start, replaced: start)]), [3] + record(keys).dropFirst(),
        ] {
            #expect(throws: StoredRecordError.self) { _ = try PrekeyStore(decoding: wrong.span) }
        }
    }

    @Test func `times at the ends of what a number holds do not trap`() throws {
        for time in [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)] {
            var prekeys = PrekeyStore(at: time)
            for next in [now, time, now] {
                #expect(prekeys.rotate(at: next) == true)
                _ = prekeys.due(at: next)
            }
            let record = prekeys.encoded().copied
            #expect(try PrekeyStore(decoding: record.span).encoded().copied == record)
        }
    }
}
