import Encodings
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

    @Test func `a replacement by a clock that is behind has no date`() {
        var prekeys = PrekeyStore(at: now)
        #expect(prekeys.rotate(at: now + .days(-20)) == true)
        #expect(prekeys.signedFacts.map(\.replaced) == [nil, nil] && prekeys.signedMade == now)
        // Its 14 days begin when the clock is right.
        #expect(prekeys.maintain(at: now + .days(6)) == true)
        #expect(prekeys.signedFacts[0].replaced == now + .days(6) && prekeys.signedFacts.count == 2)
        #expect(prekeys.maintain(at: now + .days(20)) == true)
        #expect(prekeys.signedFacts.count == 2)
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
}
