import Foundation
import SecureMemory
import Shares
import Testing
import VectorKit

/// shamir-mnemonic of PyPI joins what we split, and we join what it splits. Scripts/set-up installs it in
/// `.build/shamir`.
struct PythonPeerTests {
    private static let rounds = 1000
    private static let python = InstalledPython("shamir")

    private struct Split: Codable {
        var secret: String
        var passphrase: String
        /// Enough of them to join.
        var shares: [String]
    }

    private static let join = """
        import json, sys
        from shamir_mnemonic import combine_mnemonics
        for line in sys.stdin:
            split = json.loads(line)
            print(combine_mnemonics(split["shares"], split["passphrase"].encode()).hex())
        """

    private static let split = """
        import json, random, sys
        from shamir_mnemonic import generate_mnemonics
        chance = random.Random(39)
        for _ in range(int(sys.argv[1])):
            groups = []
            for _ in range(chance.choice([1, 1, 2, 3, 16])):
                count = chance.randint(1, 16 if len(groups) < 3 else 2)
                groups.append((1, 1) if count == 1 else (chance.randint(2, count), count))
            needed = chance.randint(1, len(groups))
            secret = chance.randbytes(chance.choice([16, 32, 32, 40]))
            passphrase = "".join(chance.choice("aZ ~") for _ in range(chance.choice([0, 0, 5, 70])))
            made = generate_mnemonics(needed, groups, secret, passphrase.encode(), extendable=chance.random() < 0.5,
                                      iteration_exponent=chance.choice([0, 0, 0, 1]))
            shares = [share for group in chance.sample(range(len(groups)), needed)
                      for share in chance.sample(made[group], groups[group][0])]
            print(json.dumps({"secret": secret.hex(), "passphrase": passphrase, "shares": shares}))
        """

    @Test func itJoinsWhatWeSplit() throws {
        let random = SeededRandom(seed: 39)
        let splits = try (0..<Self.rounds).map { _ in try Self.randomSplit(random) }
        let output = try Self.python.run(Self.join, reading: splits.map { try JSONEncoder().encode($0) })
        let joined = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(joined == splits.map(\.secret))
    }

    @Test func weJoinWhatItSplits() throws {
        let lines = try Self.python.run(Self.split, [String(Self.rounds)]).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == Self.rounds)
        for line in lines {
            let split = try JSONDecoder().decode(Split.self, from: line)
            let collection = try ShareCollection(split.shares.map { try Share(text: $0) })
            #expect(try collection.joined(split.passphrase).hex == split.secret)
        }
    }

    private static func randomSplit(_ random: SeededRandom) throws -> Split {
        let groups = (0..<[1, 1, 2, 3, 16][random.number(below: 5)]).map { number in
            let count = UInt8(1 + random.number(below: number < 3 ? 16 : 2))
            let threshold = count == 1 ? 1 : 2 + UInt8(random.number(below: Int(count) - 1))
            return SharePlan.Group(threshold: threshold, count: count)
        }
        let plan = try SharePlan(
            groupThreshold: UInt8(1 + random.number(below: groups.count)), groups: groups,
            isExtendable: random.number(below: 2) == 0, iterationExponent: UInt8(random.number(below: 4) / 3))
        let secret = random.bytes([16, 32, 32, 40][random.number(below: 4)])
        let passphrase = (0..<[0, 0, 5, 70][random.number(below: 4)]).map { _ in
            Array("aZ ~".utf8)[random.number(below: 4)]
        }
        let made = try plan.split(secret.secret, passphrase: passphrase.span)
        var generator = random
        let shares = groups.indices.shuffled(using: &generator).prefix(Int(plan.groupThreshold)).flatMap { group in
            made[group].shuffled(using: &generator).prefix(Int(groups[group].threshold))
        }
        return Split(
            secret: secret.hex, passphrase: String(decoding: passphrase, as: UTF8.self), shares: shares.map(\.text))
    }
}
