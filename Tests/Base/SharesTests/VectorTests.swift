import SecureMemory
import Shares
import Testing
import VectorKit

/// The 45 published vectors, and a split with known random bytes.
struct VectorTests {
    @Test(arguments: try Vector.all(in: .slip39, op: "join").filter { !$0.negative })
    func joins(_ vector: Vector) throws {
        let shares = try vector.inputs.strings("shares").map { try Share(text: $0) }
        // They are the same words again.
        #expect(try shares.map(\.text) == vector.inputs.strings("shares"))
        let collection = try ShareCollection(shares)
        #expect(try collection.joined(vector.inputs.string("passphrase")) == vector.expected.bytes("secret"))
        #expect(try collection.joined("another") != vector.expected.bytes("secret"))
    }

    @Test(arguments: try Vector.all(in: .slip39, op: "join").filter(\.negative))
    func isRefused(_ vector: Vector) throws {
        #expect(try layer(refusing: vector.inputs.strings("shares")) == vector.expected.string("error"))
    }

    private func layer(refusing texts: [String]) throws -> String {
        do {
            _ = try ShareCollection(texts.map { try Share(text: $0) }).joined("TREZOR")
            return "none"
        } catch let error as ShareError {
            return switch error {
            case .unknownWord: "word"
            case .length: "length"
            case .checksum: "checksum"
            case .padding: "padding"
            case .groups: "groups"
            }
        } catch let error as ShareJoinError {
            return switch error {
            case .otherSet: "set"
            case .sameIndex, .otherThreshold: "member"
            case .missing: "missing"
            case .digest: "digest"
            case .stray, .tooCostly, .passphrase: "another"
            }
        }
    }

    @Test(arguments: try Vector.all(in: .slip39, op: "split"))
    func splits(_ vector: Vector) throws {
        let inputs = vector.inputs
        let plan = try SharePlan(
            groupThreshold: 1,
            groups: [.init(threshold: UInt8(inputs.integer("threshold")), count: UInt8(inputs.integer("count")))],
            iterationExponent: UInt8(inputs.integer("exponent")))
        var random = try inputs.strings("random").map { [UInt8](hex: $0)! }
        let shares = try plan.split(
            inputs.bytes("secret").secret, passphrase: Span(), identifier: UInt16(inputs.integer("identifier")),
            random: { count in
                let bytes = random.removeFirst()
                #expect(bytes.count == count)
                return bytes.secret
            })
        #expect(random.isEmpty)
        #expect(try shares[0].map(\.text) == vector.expected.strings("shares"))
    }
}
