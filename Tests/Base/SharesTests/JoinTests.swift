import SecureMemory
import Testing
import VectorKit

@testable import Shares

struct JoinTests {
    private static let secret = (0..<32).map { UInt8($0 * 7) }

    private func split(_ threshold: UInt8, of count: UInt8, secret: [UInt8] = secret) throws -> [Share] {
        try SharePlan(
            groupThreshold: 1, groups: [.init(threshold: threshold, count: count)], iterationExponent: 0
        ).split(secret.secret)[0]
    }

    @Test func everySubsetThatIsLargeEnoughJoins() throws {
        let shares = try split(3, of: 5)
        for subset in 0..<32 {
            let chosen = shares.indices.filter { subset >> $0 & 1 == 1 }.map { shares[$0] }
            let collection = try ShareCollection(chosen)
            #expect(collection.isComplete == (chosen.count >= 3))
            if chosen.count >= 3 {
                #expect(try collection.joined() == Self.secret)
            } else {
                #expect(throws: ShareJoinError.missing) { try collection.joined() }
            }
        }
    }

    @Test func progressNamesWhatIsThere() throws {
        let shares = try split(3, of: 5)
        let collection = try ShareCollection([shares[4], shares[1]])
        #expect(collection.progress == [.init(group: 0, threshold: 3, indices: [1, 4])])
        #expect(collection.progress[0].missing == 1)
        #expect(!ShareCollection().isComplete)
    }

    @Test func theSameShareCountsOnce() throws {
        let shares = try split(2, of: 3)
        var collection = try ShareCollection([shares[0]])
        #expect(try !collection.add(Share(text: shares[0].text)))
        #expect(!collection.isComplete)
    }

    @Test func aShareOfAnotherSetIsRefused() throws {
        var collection = try ShareCollection([split(2, of: 3)[0]])
        let other = try split(2, of: 3, secret: [UInt8](repeating: 1, count: 16))[0]
        #expect(throws: ShareJoinError.otherSet) { try collection.add(other) }
        #expect(collection.shares.count == 1)
    }

    /// Two sets with one identifier: only the digest tells, and with one share more than needed the share that is wrong.
    @Test func mixedSetsWithEqualIdentifiers() throws {
        let plan = try SharePlan(
            groupThreshold: 1, groups: [.init(threshold: 2, count: 4)], iterationExponent: 0)
        func shares(_ secret: [UInt8]) throws -> [Share] {
            try plan.split(secret.secret, passphrase: Span(), identifier: 7, random: { Random.secret($0) })[0]
        }
        let (left, right) = (try shares(Self.secret), try shares(Self.secret.reversed()))
        #expect(throws: ShareJoinError.digest) { try ShareCollection([left[0], right[1]]).joined() }
        #expect(throws: ShareJoinError.stray(group: 0, index: 3)) {
            try ShareCollection([left[0], left[1], right[3]]).joined()
        }
        #expect(throws: ShareJoinError.sameIndex(group: 0, index: 0)) { try ShareCollection([left[0], right[0]]) }
    }

    @Test func aCostAboveTheLimitIsRefusedBeforeTheWork() throws {
        let plan = try SharePlan(groupThreshold: 1, groups: [.init(threshold: 1, count: 1)], iterationExponent: 4)
        let collection = try ShareCollection(plan.split(Self.secret.secret)[0])
        #expect(throws: ShareJoinError.tooCostly(exponent: 4)) { try collection.joined(max: 3) }
        #expect(try collection.joined(max: 4) == Self.secret)
    }

    @Test func passphrasesArePrintable() throws {
        let plan = try SharePlan(threshold: 2, count: 2)
        for passphrase in ["é", "a\n", "\u{7f}"] {
            let bytes = Array(passphrase.utf8)
            #expect(throws: SharePlanError.passphrase) { try plan.split(Self.secret.secret, passphrase: bytes.span) }
            #expect(throws: ShareJoinError.passphrase) {
                try ShareCollection(plan.split(Self.secret.secret)[0]).joined(passphrase)
            }
        }
    }

    @Test func plansAreJudged() throws {
        for (threshold, count) in [(0, 1), (2, 1), (1, 2), (2, 17), (0, 0)] as [(UInt8, UInt8)] {
            #expect(throws: SharePlanError.threshold(threshold, of: Int(count))) {
                try SharePlan(threshold: threshold, count: count)
            }
        }
        #expect(throws: SharePlanError.threshold(3, of: 2)) {
            try SharePlan(groupThreshold: 3, groups: Array(repeating: .init(threshold: 1, count: 1), count: 2))
        }
        #expect(throws: SharePlanError.iterationExponent(16)) {
            try SharePlan(groupThreshold: 1, groups: [.init(threshold: 1, count: 1)], iterationExponent: 16)
        }
        for count in [0, 14, 17, 258] {
            #expect(throws: SharePlanError.secretCount(count)) {
                try SharePlan(threshold: 2, count: 3).split(SecureBytes(count: count) { _ in })
            }
        }
        for count in [16, 18, 40, 256] {
            let secret = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 11) }
            let shares = try split(2, of: 2, secret: secret).map { try Share(text: $0.text) }
            #expect(try ShareCollection(shares).joined() == secret)
        }
    }

    /// Whatever comes in: an answer or a refusal, never a trap.
    @Test func changedSharesNeverTrap() throws {
        let random = SeededRandom(seed: 1)
        let original = try split(2, of: 3)
        let texts = original.map { Array($0.text.utf8) }
        let words = WordList.text.description.split(separator: " ")
        var read = 0
        for round in 0..<10_000 {
            let bytes: [UInt8]
            switch round % 4 {
            case 0: bytes = random.changed(texts[round % 3])
            case 1:
                // Any words.
                let count = [20, 33, 33, random.number(below: 60)][random.number(below: 4)]
                bytes = Array((0..<count).map { _ in words[random.number(below: 1024)] }.joined(separator: " ").utf8)
            default:
                // Any content under a right checksum.
                var changed = ShareWords()
                for index in 0..<30 { changed.append(UInt16(random.number(below: index == 4 ? 80 : 1024))) }
                Checksum.append(to: &changed, isExtendable: ShareLayout.isExtendable(changed))
                bytes = changed.text().copied
            }
            guard let share = try? Share(text: String(decoding: bytes, as: UTF8.self)) else { continue }
            read += 1
            var collection = try ShareCollection([share])
            _ = try? collection.add(original[round % 3])
            _ = try? collection.joined(max: 0)
        }
        #expect(read > 2_000)
    }
}
