import Encodings
import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat

/// What a wrong wall clock does to prekeys: none is dropped more than a week early, and rotation goes on.
@Suite struct PrekeyClockTests {
    private static let ahead = now + .days(3650)

    @Test func `a clock that jumps ahead once drops nothing that was replaced just before`() {
        var prekeys = PrekeyStore(at: now)
        let first = prekeys.signedID
        #expect(prekeys.rotate(at: now) == true)
        #expect(prekeys.signed(first, at: now + .days(20)) != nil, "a peer's first message is still answered")
        #expect(prekeys.maintain(at: now + .days(20)) == true)
        #expect(prekeys.signedFacts.first?.id == first)
        // A week of the 14 days has passed at most.
        for day in 1...6 { _ = prekeys.maintain(at: now + .days(day)) }
        #expect(prekeys.signedFacts.first?.id == first)
    }

    @Test func `a rotation by a clock that was ahead stops rotation for a week at most`() {
        var prekeys = PrekeyStore(at: now)
        #expect(prekeys.maintain(at: Self.ahead) == true)
        #expect(prekeys.signedMade == Self.ahead && prekeys.newestMade == Self.ahead)
        let wrong = prekeys.signedID
        var stored = 0
        for day in 1...8 where prekeys.maintain(at: now + .days(day)) { stored += 1 }
        #expect(prekeys.signedID != wrong && prekeys.signedMade == now + .days(8))
        #expect(prekeys.newestMade == now + .days(8), "nothing is of the future")
        #expect(stored == 2, "the reading that went back, and the rotation")
    }

    @Test func `a forced rotation says that the clock is right`() {
        var prekeys = PrekeyStore(at: now)
        #expect(prekeys.maintain(at: Self.ahead) == true)
        for count in 3...6 {
            #expect(prekeys.rotate(at: now) == true)
            #expect(prekeys.newestMade == now && prekeys.signedFacts.count == count)
            #expect(prekeys.signedFacts.dropLast().allSatisfy { $0.replaced == now })
        }
        #expect(prekeys.rotate(at: now) == false)
        let due = prekeys.due(at: now)
        #expect(due == now + .days(7))
        #expect(prekeys.rotate(at: due) == true)
        #expect(prekeys.maintain(at: now + .days(14)) == true)
        #expect(prekeys.signedFacts.count == 3, "those that were replaced a week ago, and today")
    }

    @Test func `a forced rotation that is refused moves times of the future`() throws {
        var prekeys = PrekeyStore(at: now)
        for _ in 0..<5 { #expect(prekeys.rotate(at: now) == true) }
        for index in prekeys.signed.indices { prekeys.signed[index].made = .init(sum: .zero, wall: Self.ahead) }
        #expect(prekeys.rotate(at: now) == false)
        #expect(prekeys.newestMade == now && prekeys.due(at: now) == now + .days(7))
    }

    @Test func `a clock that was behind once costs one early rotation`() {
        var prekeys = PrekeyStore(at: now)
        let first = prekeys.signedID
        #expect(prekeys.rotate(at: now + .days(-4000)) == true)
        let second = prekeys.signedID
        #expect(prekeys.maintain(at: now) == true)
        #expect(prekeys.signedMade == now && prekeys.signedFacts.map(\.id).prefix(2) == [first, second])
        for day in 1...6 {
            let hasChanged = prekeys.maintain(at: now + .days(day))
            #expect(!hasChanged)
        }
        #expect(prekeys.maintain(at: now + .days(7)) == true)
        #expect(!prekeys.signedFacts.contains { $0.id == first })
    }

    @Test func `a clock that is behind twice drops nothing that was replaced just before`() {
        var prekeys = PrekeyStore(at: now)
        let first = prekeys.signedID
        #expect(prekeys.rotate(at: now) == true)
        for day in 1...2 {
            _ = prekeys.maintain(at: now + .days(-4000))
            _ = prekeys.maintain(at: now + .days(day))
        }
        #expect(prekeys.signedFacts.contains { $0.id == first })
    }

    @Test func `an old copy brings back nothing that was replaced long ago`() throws {
        var copy = PrekeyStore(at: now)
        let first = copy.signedID
        #expect(copy.rotate(at: now) == true)
        var prekeys = PrekeyStore(at: now)
        let merged = try prekeys.merge(copy, at: now + .days(100))
        #expect(merged.signed == 1 && !prekeys.signedFacts.contains { $0.id == first })
    }

    @Test func `an import takes over no time of the future`() throws {
        var copy = PrekeyStore(at: now)
        #expect(copy.maintain(at: Self.ahead) == true)
        var prekeys = PrekeyStore(at: now)
        let merged = try prekeys.merge(copy, at: now)
        #expect(merged.signed == 2 && prekeys.newestMade == now)
        #expect(prekeys.signedFacts.dropLast().allSatisfy { $0.replaced == now })
        let taken = copy.corrected(at: now)
        #expect(taken.newestMade == now && taken.signedID == copy.signedID && taken.oneTimeIDs == copy.oneTimeIDs)
        #expect(copy.newestMade == Self.ahead)
    }

    @Test func `a copy continues the age of what it has replaced`() throws {
        var copy = PrekeyStore(at: now)
        let first = copy.signedID
        #expect(copy.rotate(at: now) == true)
        #expect(copy.maintain(at: now + .days(7)) == true)
        for (days, count) in [(13, 3), (14, 2)] {
            var prekeys = PrekeyStore(at: now)
            #expect(prekeys.maintain(at: now + .days(7)) == true)
            let merged = try prekeys.merge(copy, at: now + .days(days))
            #expect(merged.signed == count)
            _ = prekeys.maintain(at: now + .days(13))
            #expect(prekeys.signedFacts.contains { $0.id == first } == (count == 3))
            _ = prekeys.maintain(at: now + .days(14))
            #expect(!prekeys.signedFacts.contains { $0.id == first })
        }
    }

    // MARK: Random sequences

    /// What has to be true of a machine, by a clock of its own that reads in every step.
    private struct Observer {
        var sum = Duration.zero
        var wall = now
        /// The sum when each key was replaced.
        var replaced: [UInt32: Duration] = [:]

        mutating func read(_ now: Timestamp) {
            sum += min(max(now - wall, .zero), .days(7))
            wall = now
        }

        func age(_ id: UInt32) -> Duration { replaced[id].map { sum - $0 } ?? .zero }
    }

    private struct Machine: ~Copyable {
        var prekeys: PrekeyStore
        var observer = Observer()

        /// Without one-time prekeys, which have no part in this.
        init() {
            prekeys = PrekeyStore(at: now)
            prekeys.pool = PrekeyPool(PrekeyStore.rules)
        }

        /// - Returns: the keys that were dropped.
        mutating func run(
            at time: Timestamp, _ step: (inout PrekeyStore) throws -> Void
        ) rethrows -> [(id: UInt32, age: Duration)] {
            observer.read(time)
            let before = prekeys.signedFacts
            try step(&prekeys)
            let after = Set(prekeys.signedFacts.map(\.id))
            for fact in prekeys.signedFacts.dropLast() where observer.replaced[fact.id] == nil {
                observer.replaced[fact.id] = observer.sum
            }
            return before.filter { !after.contains($0.id) }.map { ($0.id, observer.age($0.id)) }
        }
    }

    private static func wrongTime(_ right: Timestamp, _ random: SeededRandom) -> Timestamp {
        switch random.number(below: 6) {
        case 0: right + .days(random.number(below: 4000))
        case 1: right + .days(-random.number(below: 4000))
        case 2: right + .days(random.number(below: 30) - 15)
        default: right
        }
    }

    /// Copies of the other machine, with what its observer knows, are imported at any later time.
    @Test(arguments: 0..<40)
    func `no key is dropped before 14 observed days, and rotation goes on`(seed: Int) throws {
        let random = SeededRandom(seed: UInt64(seed))
        var first = Machine()
        var second = Machine()
        var copies: [(prekeys: [UInt8], observer: Observer)] = []
        var right = now
        var drops = 0
        for _ in 0..<300 {
            right = right + .hours(random.number(below: 100))
            let time = Self.wrongTime(right, random)
            let kind = random.number(below: 8)
            let copy = copies.isEmpty ? nil : copies[random.number(below: copies.count)]
            let isSecond = random.number(below: 3) == 0
            func step(_ machine: inout Machine) throws {
                if kind == 0, let copy {
                    try Self.merge(copy, into: &machine, at: time)
                    return
                }
                let dropped = machine.run(at: time) { prekeys in
                    if kind == 1 { _ = prekeys.rotate(at: time) } else { _ = prekeys.maintain(at: time) }
                }
                drops += dropped.count
                for key in dropped { #expect(key.age >= .days(14), "\(key)") }
                let record = machine.prekeys.encoded().copied
                machine.prekeys = try PrekeyStore(decoding: record.span)
                if kind == 2 { copies.append((record, machine.observer)) }
            }
            if isSecond { try step(&second) } else { try step(&first) }
        }
        #expect(drops > 10)
        // The clock is right from now on, and rotation was forced: it never stops for longer than a week.
        _ = first.run(at: right) { _ = $0.rotate(at: right) }
        #expect(first.prekeys.newestMade <= right)
        var last = right
        for day in 1...60 {
            let time = right + .days(day)
            let before = first.prekeys.signedID
            for key in first.run(at: time, { _ = $0.maintain(at: time) }) { #expect(key.age >= .days(14)) }
            if first.prekeys.signedID != before { last = time }
            #expect(time - last < .days(7), "day \(day)")
        }
    }

    private static func merge(
        _ copy: (prekeys: [UInt8], observer: Observer), into machine: inout Machine, at time: Timestamp
    ) throws {
        let other = try PrekeyStore(decoding: copy.prekeys.span)
        var observer = copy.observer
        observer.read(time)
        let before = Set(machine.prekeys.signedFacts.map(\.id))
        let dropped = machine.run(at: time) { prekeys in _ = try? prekeys.merge(other, at: time) }
        #expect(dropped.isEmpty)
        for fact in machine.prekeys.signedFacts where !before.contains(fact.id) {
            #expect(fact.made <= time && fact.replaced.map { $0 <= time } == true)
            machine.observer.replaced[fact.id] = machine.observer.sum - observer.age(fact.id)
        }
    }

    /// A daily run, and one wrong reading anywhere: no key is dropped more than a week early, and each is in time.
    @Test(arguments: [-4000, -20, -3, 3, 8, 20, 4000])
    func `one wrong reading`(offset: Int) {
        for wrong in 0..<40 {
            var prekeys = PrekeyStore(at: now)
            var replaced: [UInt32: Int] = [:]
            for day in 0..<80 {
                let time = now + .days(day == wrong ? day + offset : day)
                let before = prekeys.signedFacts
                _ = prekeys.maintain(at: time)
                let after = Set(prekeys.signedFacts.map(\.id))
                for fact in prekeys.signedFacts.dropLast() where replaced[fact.id] == nil { replaced[fact.id] = day }
                for fact in before where !after.contains(fact.id) {
                    let age = day - (replaced[fact.id] ?? day)
                    #expect((7...28).contains(age), "wrong at \(wrong), dropped on \(day)")
                }
            }
            #expect(prekeys.signedFacts.count <= 5)
        }
    }
}
