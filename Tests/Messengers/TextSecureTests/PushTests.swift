import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

@Suite struct PushTests {
    static let area = Vector.Area.textSecureFormats

    static func key(_ vector: Vector) throws -> SignalingKey {
        guard let key = SignalingKey(try secure(vector.inputs.bytes("signaling_key"))) else { throw Missing() }
        return key
    }

    static func signal(_ vector: Vector) throws -> IncomingPushSignal {
        let inputs = vector.inputs
        let relay = try inputs.string("relay")
        return IncomingPushSignal(
            type: UInt32(try inputs.integer("type")), source: try inputs.string("source"),
            relay: relay.isEmpty ? nil : relay,
            destinations: try inputs.string("destinations").split(separator: ",").map(String.init),
            timestamp: MessageTime(try #require(UInt64(inputs.string("timestamp")))),
            message: try held(inputs.bytes("message")))
    }

    static let sealed = try! Vector.all(in: area, op: "signaling-encrypt")
    static let refused = try! Vector.all(in: area, op: "signaling-reject")

    @Test(arguments: sealed) func `seals and opens`(_ vector: Vector) throws {
        let key = try Self.key(vector)
        let text = try Self.signal(vector).encoded().copied
        #expect(try text == vector.expected.bytes("protobuf"))
        let payload = PushPayload.seal(text.span, key: key, iv: try vector.inputs.bytes("iv"))
        #expect(try payload == vector.expected.bytes("payload"))
        let encoded = try vector.expected.string("payload_base64_unpadded")
        #expect(PushPayload.text(payload) == encoded)
        #expect(PushPayload.payload(text: encoded + "\n") == payload)
        #expect(PushPayload.payload(text: "{\"alert\":\"New\",\"m\":\"\(encoded)\"}\n") == payload)
        #expect(PushPayload.payload(text: "{\"alert\":\"\(encoded)\"}") == nil)
        #expect(try PushPayload.open(payload.span, key: key).copied == text)
        let fresh = PushPayload.seal(text.span, key: key)
        #expect(fresh != payload)
        #expect(try PushPayload.open(fresh.span, key: key).copied == text)
    }

    @Test(arguments: refused) func `refuses`(_ vector: Vector) throws {
        let payload = try vector.inputs.bytes("payload")
        let key = try Self.key(vector)
        let expected: PushPayloadError =
            payload.count < 43
            ? .tooShort(payload.count) : payload[0] != 1 ? .unknownVersion(payload[0]) : .notAuthentic
        #expect(throws: expected) { _ = try PushPayload.open(payload.span, key: key) }
    }

    @Test func `checks in their order`() throws {
        let vector = Self.sealed[0]
        let (key, payload) = (try Self.key(vector), try vector.expected.bytes("payload"))
        func error(_ payload: [UInt8]) -> PushPayloadError? {
            do throws(PushPayloadError) {
                _ = try PushPayload.open(payload.span, key: key)
                return nil
            } catch {
                return error
            }
        }
        // Each has all later faults, too.
        #expect(error([]) == .tooShort(0))
        #expect(error([9] + [UInt8](repeating: 0, count: 41)) == .tooShort(42))
        #expect(error([9] + [UInt8](repeating: 0, count: 43)) == .unknownVersion(9))
        #expect(error([1] + [UInt8](repeating: 0, count: 43)) == .wrongLength(44))
        #expect(error([1] + [UInt8](repeating: 0, count: 42)) == .notAuthentic)
        #expect(error([UInt8](repeating: 1, count: PushPayload.maxCount + 1)) == .tooLong(limit: PushPayload.maxCount))
        for index in 1..<payload.count {
            var changed = payload
            changed[index] ^= 0x40
            #expect(error(changed) == .notAuthentic)
        }
    }

    @Test func `a wrong padding is not told from a wrong MAC`() throws {
        let key = try Self.key(Self.sealed[0])
        // The MAC holds, but the last byte of the plaintext is 0.
        let iv = [UInt8](repeating: 7, count: 16)
        let zeros = [UInt8](repeating: 0, count: 16)
        var payload = [1] + iv + Legacy.AESCBC.encrypt(zeros.span, key: key.encryptionKey, iv: iv)
        payload += key.macKey.withBytes { HMACSHA256.authenticate(payload.span, key: $0) }[..<10]
        #expect(throws: PushPayloadError.notAuthentic) { _ = try PushPayload.open(payload.span, key: key) }
    }
}
