import Encodings
import SecureMemory
import Testing

@testable import Ratchet

@Suite struct PrekeyPoolTests {
    private static let counting = PrekeyPool.Rules(
        numbering: .counting(last: 40), batch: 10, rest: .seconds(30 * 24 * 3600))
    private static let random = PrekeyPool.Rules(numbering: .random, batch: 20, rest: .seconds(3600))

    @Test func `IDs run on from the start, and wrap`() {
        var pool = PrekeyPool(Self.counting, start: 36)
        #expect(pool.needsRefill == true)
        #expect(pool.refill(at: start).map(\.id) == [36, 37, 38, 39, 40, 1, 2, 3, 4, 5])
        #expect(
            pool.refill(at: start).isEmpty && pool.publicPrekeys().map(\.id) == [1, 2, 3, 4, 5, 36, 37, 38, 39, 40])
    }

    @Test func `a prekey is used once, and below half the pool is filled`() throws {
        var pool = PrekeyPool(Self.counting, start: 1)
        let made = pool.refill(at: start)
        let found = pool.key(made[0].id)
        let key = try #require(found)
        #expect(publicKey(key.bytes.copied) == made[0].publicKey)
        for id in 1...5 as ClosedRange<UInt32> { #expect(pool.consume(id, at: start) == []) }
        #expect(pool.count == 5 && pool.key(1) == nil)
        let before = pool.encoded().copied
        #expect(pool.consume(1, at: start) == nil && pool.consume(99, at: start) == nil)
        #expect(pool.encoded().copied == before)
        // Of used IDs none comes again within their time.
        #expect(pool.consume(6, at: start)?.map(\.id) == [11, 12, 13, 14, 15, 16])
        #expect(pool.publicPrekeys().count == 10)
    }

    @Test func `a pool may have more than a batch`() {
        var pool = PrekeyPool(Self.random)
        #expect(pool.refill(to: 25, at: start).count == 25)
        #expect(pool.refill(at: start).isEmpty && pool.refill(to: 24, at: start).isEmpty && pool.count == 25)
    }

    @Test func `used IDs rest`() {
        var pool = PrekeyPool(Self.counting, start: 1)
        _ = pool.refill(at: start)
        var seen: Set<UInt32> = []
        for _ in 0..<30 {
            let id = pool.publicPrekeys()[0].id
            #expect(seen.insert(id).inserted)
            _ = pool.consume(id, at: start)
        }
        // 40 IDs: 30 rest, and the pool has what is left.
        _ = pool.refill(at: start)
        #expect(seen.isDisjoint(with: pool.publicPrekeys().prefix(10).map(\.id)))
        // All others rest, so the one that was used first comes again.
        _ = pool.consume(pool.publicPrekeys()[0].id, at: start)
        #expect(pool.refill(at: start).count == 1)
        let oldest = pool.publicPrekeys().map(\.id).filter { seen.contains($0) }
        #expect(oldest.count == 1)
        // After their time, all may.
        _ = pool.consume(pool.publicPrekeys()[0].id, at: start + .seconds(30 * 24 * 3600))
        #expect(pool.refill(at: start + .seconds(30 * 24 * 3600)).count == 1)
    }

    @Test func `a thousand sessions in a row find a prekey`() {
        var pool = PrekeyPool(Self.random)
        _ = pool.refill(at: start)
        var seen: Set<UInt32> = []
        for number in 0..<1000 {
            guard let id = pool.publicPrekeys().first?.id else { Issue.record("the pool is empty"); return }
            #expect(id != 0 && seen.insert(id).inserted)
            #expect(pool.consume(id, at: start + .seconds(number)) != nil)
            #expect(pool.count >= 10)
        }
    }

    @Test func `a record is read to its end, and nothing is read in two ways`() throws {
        var pool = PrekeyPool(Self.counting)
        let first = pool.refill(at: start)[0].id
        _ = pool.consume(first, at: start)
        let record = pool.encoded().copied
        #expect(try PrekeyPool(decoding: record.span, rules: Self.counting).encoded().copied == record)
        for count in 0..<record.count {
            let cut = Array(record[..<count])
            #expect(throws: RecordError.malformed) { _ = try PrekeyPool(decoding: cut.span, rules: Self.counting) }
        }
        var refused = 0
        for place in record.indices {
            for value in [0, 2, 0xff] as [UInt8] where value != record[place] {
                var changed = record
                changed[place] = value
                do {
                    #expect(try PrekeyPool(decoding: changed.span, rules: Self.counting).encoded().copied == changed)
                } catch { refused += 1 }
            }
        }
        #expect(refused > 10)
    }

    @Test func `keys of another format, and the pool after one was used`() throws {
        let rules = PrekeyPool.Rules(numbering: .counting(last: 40), batch: 4, rest: .seconds(60))
        func prekey(_ id: UInt32, _ count: Int = 32) -> PrekeyPool.PrivatePrekey {
            PrekeyPool.PrivatePrekey(id: id, key: held([UInt8](repeating: UInt8(truncatingIfNeeded: id), count: count)))
        }
        func pool(_ keys: [PrekeyPool.PrivatePrekey], next: UInt32 = 1) throws -> PrekeyPool {
            guard let pool = PrekeyPool(rules, keys: keys, next: next, at: start) else { throw RecordError.malformed }
            return pool
        }
        let read = try pool([prekey(900), prekey(3), prekey(7)], next: 40)
        let keys = read.privatePrekeys()
        #expect(keys.map(\.id) == [3, 7, 900] && read.nextID == 40 && read.publicPrekeys().map(\.id) == [3, 7, 900])
        #expect(keys.allSatisfy { $0.key.bytes.copied[0] == UInt8(truncatingIfNeeded: $0.id) })
        for (wrong, next) in [
            ([prekey(3), prekey(3)], 1), ([prekey(0)], 1), ([prekey(1, 31)], 1), ([prekey(1)], 0), ([prekey(1)], 41),
            ((1...1001).map { prekey($0) }, 1),
        ] as [([PrekeyPool.PrivatePrekey], UInt32)] {
            #expect(throws: RecordError.malformed) { _ = try pool(wrong, next: next) }
        }
        guard let after = read.after(using: 7, at: start), let same = read.after(using: nil, at: start) else {
            Issue.record("no pool")
            return
        }
        #expect(after.publicPrekeys().map(\.id) == [3, 900] && read.count == 3)
        #expect(same.encoded().copied == read.encoded().copied)
        let isThere = if read.after(using: 8, at: start) != nil { true } else { false }
        #expect(!isThere)
    }
}
