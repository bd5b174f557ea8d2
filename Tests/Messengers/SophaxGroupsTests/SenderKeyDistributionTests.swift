import Ratchet
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat
@testable import SophaxGroups

@Suite struct SenderKeyDistributionTests {
    @Test(arguments: try Vector.all(in: .sophaxChatGroups, op: "distribution-encode"))
    func `a distribution as JSON`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let chain = ChainDistribution(
            chain: try #require(ChainID(inputs.bytes("chain_id"))),
            generation: UInt32(try inputs.integer("generation")), number: UInt32(try inputs.integer("iteration")),
            key: held(try inputs.bytes("chain_key")))
        let distribution = GroupDistribution(
            group: try inputs.string("group"), chain: chain, transcript: try inputs.bytes("transcript"))
        let text = distribution.encoded().copied
        #expect(String(decoding: text, as: UTF8.self) == (try vector.expected.string("text")))
        #expect(text.count <= SenderKeyDistribution.maxCount)
    }

    @Test(arguments: try Vector.all(in: .sophaxChatGroups, op: "distribution-decode"))
    func `a distribution that is read, or is none`(_ vector: Vector) throws {
        let text = Array(try vector.inputs.string("text").utf8)
        let expected = vector.expected
        let form = try expected.string("form")
        guard form != "none" else {
            #expect(throws: FieldError.self) { _ = try SenderKeyDistribution(parsing: text.span) }
            return
        }
        switch try SenderKeyDistribution(parsing: text.span) {
        case .old(let group, let key, let iteration):
            #expect(try form == "old" && group == expected.string("group"))
            #expect(key.bytes.copied == (try expected.bytes("chain_key")))
            #expect(Int(iteration) == (try expected.integer("iteration")))
        case .version3(let read):
            #expect(try form == "3" && read.group == expected.string("group"))
            #expect(read.chain.key.bytes.copied == (try expected.bytes("chain_key")))
            #expect(Int(read.chain.number) == (try expected.integer("iteration")))
            #expect(read.chain.chain.bytes == (try expected.bytes("chain_id")))
            #expect(Int(read.chain.generation) == (try expected.integer("generation")))
            #expect(read.transcript == (try expected.bytes("transcript")))
        }
    }

    @Test func `a long text is refused before it is read`() throws {
        let text = Array(try Vector.all(in: .sophaxChatGroups, op: "distribution-decode")[0].inputs.string("text").utf8)
        let long = text + [UInt8](repeating: 0x20, count: SenderKeyDistribution.maxCount + 1 - text.count)
        _ = try SenderKeyDistribution(parsing: long.span.extracting(0..<long.count - 1))
        #expect(throws: FieldError.malformed) { _ = try SenderKeyDistribution(parsing: long.span) }
    }

    @Test func `10,000 mutations of a distribution`() throws {
        let vectors = try Vector.all(in: .sophaxChatGroups, op: "distribution-encode")
        let bytes = Array(try vectors[0].expected.string("text").utf8)
        let random = SeededRandom(seed: 1)
        var read = 0
        for _ in 0..<10_000 {
            let changed = random.changed(bytes)
            guard case .version3(let other)? = try? SenderKeyDistribution(parsing: changed.span) else { continue }
            let again = other.encoded().copied
            guard case .version3(let same) = try SenderKeyDistribution(parsing: again.span) else {
                Issue.record("it became an old one")
                return
            }
            #expect(same.group == other.group && same.chain.chain == other.chain.chain)
            read += 1
        }
        #expect(read > 100 && read < 9_900)
    }
}
