import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import Primitives
@testable import ThreemaCalls

/// The plaintexts below the boxes: an attacker in the group writes them as it likes.
@Suite struct HandshakeMessageTests {
    private let publicKey = X25519.publicKey(of: Random.bytes(32).span)
    private let challenge = Random.bytes(16)

    private func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count < 128)
        return [number << 3 | 2, UInt8(bytes.count)] + bytes
    }

    private func long(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(bytes.count & 0x7f) | 0x80, UInt8(bytes.count >> 7)] + bytes
    }

    private func hello(_ id: [UInt8]?, _ name: [UInt8], _ key: [UInt8], _ challenge: [UInt8]) -> [UInt8] {
        long(2, (id.map { field(1, $0) } ?? []) + long(2, name) + field(3, key) + field(4, challenge))
    }

    private func refusal(hello envelope: [UInt8]) -> CallMessageError? {
        do throws(CallMessageError) {
            _ = try Hello(envelope: envelope.span)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(auth content: [UInt8], number: UInt8 = 2) -> CallMessageError? {
        do throws(CallMessageError) {
            _ = try Auth(envelope: long(number, content).span)
            return nil
        } catch {
            return error
        }
    }

    @Test func `what a Hello must have`() throws {
        let id = Array("000ALICE".utf8)
        let good = hello(id, Array("Alice".utf8), publicKey, challenge)
        #expect(refusal(hello: good) == nil)
        // Padding before and after it.
        #expect(refusal(hello: field(1, [0, 0]) + good + field(1, [1])) == nil)
        #expect(refusal(hello: hello(nil, [], publicKey, challenge)) == .field(1))
        #expect(refusal(hello: hello(Array("000alice".utf8), [], publicKey, challenge)) == .field(1))
        #expect(refusal(hello: hello(id, [0xff], publicKey, challenge)) == .nickname)
        #expect(refusal(hello: hello(id, [UInt8](repeating: 0x61, count: 256), publicKey, challenge)) == nil)
        #expect(refusal(hello: hello(id, [UInt8](repeating: 0x61, count: 257), publicKey, challenge)) == .nickname)
        #expect(refusal(hello: hello(id, [], Array(publicKey.dropLast()), challenge)) == .field(3))
        #expect(refusal(hello: hello(id, [], [UInt8](repeating: 0, count: 32), challenge)) == .field(3))
        #expect(refusal(hello: hello(id, [], publicKey, challenge + [0])) == .field(4))
        #expect(refusal(hello: [3 << 3 | 2, 0]) == .unknownContent)
        #expect(refusal(hello: []) == .unknownContent)
        #expect(refusal(hello: [0x0f]) == .protobuf)
        #expect(refusal(hello: Array(good.dropLast())) == .protobuf)
        let decoded = try Hello(envelope: good.span)
        #expect(try Hello(envelope: decoded.envelope.span) == decoded)
    }

    @Test func `what an Auth must have`() throws {
        let key = field(3, Random.bytes(32))
        let start = field(1, publicKey) + field(2, challenge)
        let media = { (epoch: UInt8) in field(3, [8, epoch] + key) }
        #expect(refusal(auth: start + media(0)) == nil)
        #expect(refusal(auth: start + media(0) + media(1)) == nil)
        #expect(refusal(auth: start + media(0), number: 3) == .unknownContent)
        #expect(refusal(auth: start + media(0) + media(0)) == .field(3))
        #expect(refusal(auth: start + media(0) + media(1) + media(2)) == .tooManyKeys)
        #expect(refusal(auth: start) == .field(3))
        #expect(refusal(auth: field(2, challenge) + media(0)) == .field(1))
        #expect(refusal(auth: field(1, publicKey) + media(0)) == .field(2))
        #expect(refusal(auth: start + field(3, field(3, Random.bytes(31)))) == .field(3))
        // 255 is the last step of the ratchet, and the last epoch.
        #expect(refusal(auth: start + field(3, [8, 0xff, 1, 16, 0xff, 1] + key)) == nil)
        #expect(refusal(auth: start + field(3, [8, 0x80, 2] + key)) == .field(1))
        #expect(refusal(auth: start + field(3, [16, 0x80, 2] + key)) == .field(2))
    }

    @Test func `a thousand mutations of each plaintext end in a value or a refusal`() throws {
        var random = SeededRandom(seed: 3)
        let identity = Array("000ALICE".utf8)
        let message = hello(identity, Array("Alice".utf8), publicKey, challenge)
        let auth = field(1, publicKey) + field(2, challenge) + field(3, [8, 1] + field(3, Random.bytes(32)))
        var refused = 0
        for _ in 0..<1000 {
            if refusal(hello: message.mutated(&random)) != nil { refused += 1 }
            if refusal(auth: auth.mutated(&random)) != nil { refused += 1 }
        }
        #expect(refused > 500)
    }
}
