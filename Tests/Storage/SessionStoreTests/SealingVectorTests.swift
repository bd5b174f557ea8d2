import SecureMemory
import Testing
import VectorKit

@testable import SessionStore

/// What a store writes is what an independent program computes from the description of the format.
@Suite struct SealingVectorTests {
    private static let kinds: [String: ValueKind] = [
        "session": "session", "nonce": "nonce", "abcdefghijklmnop": "abcdefghijklmnop",
    ]

    @Test(arguments: try Vector.all(in: .sessionValue)) func `name and value`(_ vector: Vector) throws {
        let kind = try #require(Self.kinds[vector.inputs.string("kind")])
        let (name, value) = (try vector.inputs.bytes("name"), try vector.inputs.bytes("value"))
        let sealed = try vector.expected.bytes("sealed")
        let found = try columns(vector, kind, name, value)
        #expect(found.0 == (try vector.expected.bytes("name")))
        #expect(found.1 == sealed)
        let opened = try open(sealed, vector, kind, name)
        #expect(opened == value)
    }

    private func sealer(_ vector: Vector) throws -> ValueSealer {
        let bytes = try vector.inputs.bytes("key")
        let (messenger, id) = (try vector.inputs.string("messenger"), try vector.inputs.string("id"))
        let key = SecureBytes(copying: bytes.span)
        return ValueSealer(messenger: messenger, id: id, key: key)
    }

    private func columns(
        _ vector: Vector, _ kind: ValueKind, _ name: [UInt8], _ value: [UInt8]
    ) throws -> ([UInt8], [UInt8]) {
        let sealer = try sealer(vector)
        let nonce = try vector.inputs.bytes("nonce")
        return (sealer.digest(of: name), sealer.seal(value.span, kind, name, nonce: nonce))
    }

    private func open(_ sealed: [UInt8], _ vector: Vector, _ kind: ValueKind, _ name: [UInt8]) throws -> [UInt8] {
        let value = try sealer(vector).open(sealed, kind, name)
        return value.copied
    }
}
