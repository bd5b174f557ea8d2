import Encodings
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxStorage

@Suite struct PINAllowanceTests {
    @Test func `a fifth use within 24 hours waits`() {
        var allowance = PINAllowance.unused
        for hour in 0..<4 {
            #expect(allowance.delay(at: now + .seconds(3600 * hour)) == nil)
            allowance = allowance.used(at: now + .seconds(3600 * hour))
        }
        #expect(allowance.delay(at: now + .seconds(3600 * 3)) == .seconds(3600 * 21))
        #expect(allowance.delay(at: now + .days(1) + .milliseconds(-1)) == .milliseconds(1))
        #expect(allowance.delay(at: now + .days(1)) == nil)
        // Only the first one is over.
        let next = allowance.used(at: now + .days(1))
        #expect(next.times.count == 4 && next.delay(at: now + .days(1)) == .seconds(3600))
    }

    @Test func `whenever it is used, no 24 hours have five uses`() {
        let random = SeededRandom(seed: 1)
        var (allowance, time) = (PINAllowance.unused, now)
        var uses: [Timestamp] = []
        for _ in 0..<2000 {
            time = time + .seconds(random.number(below: 20_000))
            if let delay = allowance.delay(at: time) {
                #expect(delay <= PINAllowance.window && allowance.delay(at: time + delay) == nil)
            } else {
                allowance = allowance.used(at: time)
                uses.append(time)
            }
        }
        #expect(uses.count > 400)
        #expect(zip(uses, uses.dropFirst(4)).allSatisfy { $1 - $0 >= PINAllowance.window })
    }

    @Test func `a clock that went back`() {
        var allowance = PINAllowance.unused
        for _ in 0..<4 { allowance = allowance.used(at: now) }
        for days in [-1, -400, -40_000] {
            let early = now + .days(days)
            #expect(allowance.delay(at: early) == .days(1), "no wait is shorter, and none longer than the window")
            // Stored, it ends, although the clock is still behind.
            let stored = allowance.corrected(at: early)
            #expect(stored.delay(at: early + .days(1)) == nil)
            #expect(stored.delay(at: early + .days(1) + .milliseconds(-1)) == .milliseconds(1))
        }
    }

    @Test func `its record`() throws {
        let allowance = PINAllowance.unused.used(at: now).used(at: now + .seconds(1))
        let record = try hex("0000019b76daa8fa" + "0000019b76daace2")
        #expect(allowance.encoded == record && PINAllowance(decoding: record) == allowance)
        #expect(PINAllowance(decoding: []) == .unused && PINAllowance.unused.encoded.isEmpty)
        let four = record + record.suffix(8) + record.suffix(8)
        #expect(PINAllowance(decoding: four)?.encoded == four)
        let backwards = Array(record.suffix(8) + record.prefix(8))
        for wrong in [record + [0], Array(record.dropLast()), four + record.suffix(8), backwards] {
            #expect(PINAllowance(decoding: wrong) == nil)
        }
        // Times at the ends of what a number holds do not trap.
        for extreme in [[0x80] + [UInt8](repeating: 0, count: 7), [0x7f] + [UInt8](repeating: 0xff, count: 7)] {
            let read = try #require(PINAllowance(decoding: extreme + extreme + extreme + extreme))
            #expect(read.delay(at: now) ?? .zero <= PINAllowance.window)
            #expect(read.used(at: now).times.count <= 4)
        }
    }
}

@Suite struct PINCountsTests {
    private static func pin(_ text: String) -> SecureBytes { PINTests.pin(text) }

    @Test func `the fifth change of a day is refused before anything is compared`() throws {
        let lock = try PINLock(pin: Self.pin("1234")).setting(duress: Self.pin("4321"))
        var stored = PINCounts.none
        for number in 1...4 {
            // One proof by each PIN in turn.
            let pin = number.isMultiple(of: 2) ? "4321" : "1234"
            let (result, counts) = try lock.check(Self.pin(pin), for: .change, counts: stored, at: now) { _ in }
            #expect(result == (number.isMultiple(of: 2) ? .duress : .real) && counts.changes.times.count == number)
            stored = counts
        }
        for pin in ["1234", "4321", "0000"] {
            #expect(throws: PINError.tooManyChanges(.days(1))) {
                _ = try lock.check(Self.pin(pin), for: .change, counts: stored, at: now) { _ in
                    Issue.record("an attempt was counted, so a PIN is compared")
                }
            }
            #expect(try lock.check(Self.pin(pin), counts: stored, at: now) { _ in }.counts.changes == stored.changes)
        }
        // A wrong proof is a failure and not a change.
        let (result, counts) = try lock.check(Self.pin("0000"), for: .change, counts: .none, at: now) { _ in }
        #expect(result == .wrong && counts.attempts.count == 1 && counts.changes == .unused)
    }

    @Test func `failures are cleared four times a day`() throws {
        let lock = try PINLock(pin: Self.pin("1234")).setting(duress: Self.pin("4321"))
        var stored = PINCounts.none
        func check(_ text: String, _ time: Timestamp) throws -> UInt32 {
            stored = try lock.check(Self.pin(text), counts: stored, at: time) { stored = $0 }.counts
            return stored.attempts.count
        }
        // A right PIN without a failure before clears nothing.
        for _ in 0..<6 { #expect(try check("1234", now) == 0) }
        for _ in 0..<4 {
            #expect(try check("0000", now) == 1)
            #expect(try check("4321", now) == 0)
        }
        #expect(try check("0000", now) == 1)
        for pin in ["4321", "1234"] { #expect(try check(pin, now) == 1, "neither PIN clears, and neither counts") }
        #expect(try check("1234", now + .days(1)) == 0)
    }

    // MARK: Somebody who knows one of the PINs

    /// A lock whose PINs are numbers, with the counts of the library. `the model is the lock` compares it.
    struct Model {
        enum Step {
            case check(Int)
            case setPIN(by: Int, to: Int)
            case setDuress(by: Int, to: Int)

            var proof: (pin: Int, purpose: PINCounts.Purpose) {
                switch self {
                case .check(let pin): (pin, .check)
                case .setPIN(let pin, _), .setDuress(let pin, _): (pin, .change)
                }
            }
        }

        enum Outcome: Equatable {
            case done, wrong, equal
            case refused(PINError)
        }

        var real: Int
        var duress: Int
        var counts = PINCounts.none

        mutating func take(_ step: Step, at now: Timestamp) -> Outcome {
            let (proof, purpose) = step.proof
            let known = counts.corrected(at: now)
            do {
                counts = try known.counting(purpose, at: now)
            } catch {
                counts = known
                return .refused(error)
            }
            guard proof == real || proof == duress else { return .wrong }
            counts = known.proven(purpose, at: now)
            let isReal = proof == real
            switch step {
            case .check: break
            case .setPIN(_, let new):
                if isReal && new == duress { return .equal }
                if isReal { real = new } else { duress = new }
            case .setDuress(_, let new):
                if new == proof { return .equal }
                if isReal { duress = new }
            }
            return .done
        }

        /// The same for every state that behaves alike at one moment.
        var key: [Int] {
            [real, duress, Int(counts.attempts.count), counts.changes.times.count, counts.clearings.times.count]
        }
    }

    /// What an adversary has seen of one lock whose other PIN is none of the guesses, and of one for each guess. A guess
    /// is decided once its lock has behaved differently, and is no longer followed.
    private struct Search {
        var none: Model
        var undecided: [Int: Model]
        /// Failures and changes that the first lock has counted.
        var failures = 0
        var changes = 0

        init(guesses: ClosedRange<Int>, knows known: Int, isDuress: Bool) {
            func lock(_ other: Int) -> Model {
                isDuress ? Model(real: other, duress: known) : Model(real: known, duress: other)
            }
            none = lock(99)
            undecided = Dictionary(uniqueKeysWithValues: guesses.map { ($0, lock($0)) })
        }

        func after(_ step: Model.Step) -> Search {
            var next = self
            let seen = next.none.take(step, at: now)
            for (guess, model) in undecided {
                var model = model
                next.undecided[guess] = model.take(step, at: now) == seen ? model : nil
            }
            if seen == .wrong { next.failures += 1 }
            switch (step, seen) {
            case (.setPIN, .done), (.setPIN, .equal), (.setDuress, .done), (.setDuress, .equal): next.changes += 1
            default: break
            }
            return next
        }

        var key: [Int] {
            [failures, changes] + none.key + undecided.keys.sorted().flatMap { [$0] + undecided[$0]!.key }
        }
    }

    /// Every sequence of steps to this depth at one moment.
    private static func search(
        _ start: Search, pins: Range<Int>, depth: Int, _ goesOn: (Search) -> Bool = { _ in true },
        _ visit: (Search) -> Void
    ) {
        var steps = pins.map(Model.Step.check)
        for old in pins {
            for new in pins { steps += [.setPIN(by: old, to: new), .setDuress(by: old, to: new)] }
        }
        var level = [start]
        var known: Set<[Int]> = [start.key]
        for _ in 0..<depth {
            var next: [Search] = []
            for each in level {
                for step in steps {
                    let after = each.after(step)
                    guard goesOn(after), known.insert(after.key).inserted else { continue }
                    visit(after)
                    next.append(after)
                }
            }
            level = next
        }
    }

    @Test(arguments: [true, false])
    func `every guess that is decided was counted`(knowsDuress: Bool) {
        let guesses = 1...3
        var most = 0
        Self.search(Search(guesses: guesses, knows: 0, isDuress: knowsDuress), pins: 0..<4, depth: 5) { search in
            let decided = guesses.count - search.undecided.count
            most = max(most, decided)
            #expect(decided <= search.failures + search.changes)
            #expect(search.changes <= PINAllowance.limit)
        }
        #expect(most == guesses.count)
    }

    /// Without a failure, each guess takes two changes: one proves the guess, after one that has set it.
    @Test func `changes alone decide two guesses a day`() {
        let guesses = 1...3
        var most = 0
        Self.search(
            Search(guesses: guesses, knows: 0, isDuress: true), pins: 0..<4, depth: 8, { $0.failures == 0 }
        ) { search in
            most = max(most, guesses.count - search.undecided.count)
        }
        #expect(most == 2)
    }

    /// By checks alone: at each moment the adversary fails once more, clears the failures with the PIN that is known, or
    /// waits.
    @Test func `failures of a day`() {
        struct Key: Hashable {
            let (failures, clearings): (UInt32, Int)
            let time: Timestamp
        }
        var known: [Key: Int] = [:]
        func most(_ counts: PINCounts, _ time: Timestamp) -> Int {
            guard time < now + .days(1) else { return 0 }
            if let delay = counts.attempts.delay(at: time) { return most(counts, time + delay) }
            let key = Key(failures: counts.attempts.count, clearings: counts.clearings.times.count, time: time)
            if let result = known[key] { return result }
            var result = 0
            if let failed = try? counts.counting(.check, at: time) { result = 1 + most(failed, time) }
            let cleared = counts.proven(.check, at: time)
            if cleared != counts { result = max(result, most(cleared, time)) }
            known[key] = result
            return result
        }
        #expect(most(.none, now) == Self.failuresOfDay)
    }

    /// keytool-sophaxchat(1) names this figure.
    static let failuresOfDay = 74

    @Test func `the model is the lock`() throws {
        let pins = ["0000", "1111", "2222", "3333"]
        let random = SeededRandom(seed: 1)
        var time = now
        var model = Model(real: 0, duress: 1)
        var lock = try PINLock(pin: Self.pin(pins[0])).setting(duress: Self.pin(pins[1]))
        var counts = PINCounts.none
        var seen: [Model.Outcome] = []
        for _ in 0..<60 {
            let (old, new) = (random.number(below: 4), random.number(below: 4))
            let steps: [Model.Step] = [.check(old), .setPIN(by: old, to: new), .setDuress(by: old, to: new)]
            let step = steps[random.number(below: 3)]
            let outcome: Model.Outcome
            do {
                let checked = try lock.check(Self.pin(pins[old]), for: step.proof.purpose, counts: counts, at: time) {
                    counts = $0
                }
                counts = checked.counts
                switch (step, checked.result) {
                case (_, .wrong): outcome = .wrong
                case (.check, _): outcome = .done
                case (.setPIN, let proven):
                    lock = try lock.setting(pin: Self.pin(pins[new]), by: proven)
                    outcome = .done
                case (.setDuress, let proven):
                    lock = try lock.setting(duress: Self.pin(pins[new]), by: proven)
                    outcome = .done
                }
            } catch let error as PINError {
                outcome = error == .equalPINs ? .equal : .refused(error)
            }
            #expect(model.take(step, at: time) == outcome)
            #expect(model.counts == counts)
            seen.append(outcome)
            time = time + .seconds(random.number(below: 12_000))
        }
        for pin in pins.indices {
            let result = try lock.check(Self.pin(pins[pin]), counts: .none, at: time) { _ in }.result
            #expect(result == (pin == model.real ? .real : pin == model.duress ? .duress : .wrong))
        }
        #expect(seen.contains(.equal) && seen.contains(.wrong) && seen.contains(.done))
        #expect(seen.contains { if case .refused(.tooManyChanges) = $0 { true } else { false } })
    }
}
