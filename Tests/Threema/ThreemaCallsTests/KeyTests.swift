import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import Primitives
@testable import ThreemaCalls

@Suite struct KeyTests {
    /// The keys by the names that the vectors use.
    private func derived(_ inputs: Fields) throws -> [String: [UInt8]] {
        // Bytes first: a span of what a throwing call returns crashes this compiler.
        let publicKey = try #require(PublicKey(inputs.bytes("receiverPublicKey")))
        let (ownBytes, adminBytes) = (try inputs.bytes("senderSecretKey"), try inputs.bytes("gcak"))
        let keys = CallKeys(EnclosedKey(copying: try inputs.bytes("gck")))
        let own = ClientKey(SecureBytes(copying: ownBytes.span))
        let contact = try ContactKeys(own: own, contact: publicKey)
        let admin = SecureBytes(copying: adminBytes.span)
        let key = MediaKey(epoch: 9, ratchet: 0, key: EnclosedKey(copying: try inputs.bytes("pcmk")))
        let next = try key.ratcheted()
        return [
            "gckh": keys.hash.copied, "gchk": keys.hello.copied, "gcsk": keys.state.copied,
            "gcnhak": keys.authentication(with: contact).copied, "gcamk": keys.admin(admin).copied,
            "pcmkRatchet1": next.key.bytes.copied, "pcmkRatchet2": try next.ratcheted().key.bytes.copied,
            "pcmfk0": key.frameKey(keys).copied, "pcmfk1": next.frameKey(keys).copied,
        ]
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "group-call-derivations"))
    func `all keys of a call`(_ vector: Vector) throws {
        let derived = try derived(vector.inputs)
        #expect(derived.keys.sorted() == vector.expected.names)
        for (name, key) in derived { #expect(key.hex == (try vector.expected.string(name)), "\(name)") }
    }

    @Test func `the ratchet ends after 255 steps`() throws {
        let last = MediaKey(epoch: 3, ratchet: 254, key: .random())
        let end = try last.ratcheted()
        #expect(end.epoch == 3 && end.ratchet == 255 && end.key != last.key)
        #expect(throws: MediaKeyError.ratchetExhausted) { try end.ratcheted() }
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "group-call-id"))
    func `the ID depends on the version of the start message`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let group = GroupIdentity(
            creator: try ThreemaID(inputs.string("creator")), id: GroupID(try inputs.bytes("groupId")))
        let start = GroupCallStart(
            protocolVersion: UInt32(try inputs.integer("protocolVersion")),
            key: EnclosedKey(copying: try inputs.bytes("gck")), serverURL: try inputs.string("sfuBaseUrl"))
        let id = try GroupCallID(of: start, in: group)
        #expect(id.bytes == (try vector.expected.bytes("callId")))
        #expect("\(id)" == (try vector.expected.string("callId")))
        let later = GroupCallStart(protocolVersion: 256, key: start.key, serverURL: start.serverURL)
        #expect(throws: GroupCallError.unknownVersion(256)) { try GroupCallID(of: later, in: group) }
    }

    private func seal(_ state: [UInt8], _ call: EnclosedKey, _ nonce: [UInt8]) -> [UInt8] {
        CallState.seal(state.span, keys: CallKeys(call), nonce: nonce)
    }

    private func open(_ sealed: [UInt8], _ call: EnclosedKey) throws(AuthenticationError) -> [UInt8] {
        try CallState.open(sealed.span, keys: CallKeys(call)).copied
    }

    @Test func `the state of a call opens with its key only`() throws {
        let state = Random.bytes(200)
        let call = EnclosedKey.random()
        let nonce = Random.bytes(24)
        let sealed = seal(state, call, nonce)
        let key = CallKeys(call).state.copied
        let box = SecretBox.seal(state.span, nonce: nonce, key: key.span)
        #expect(sealed == nonce + box)
        #expect(try open(sealed, call) == state)
        #expect(throws: AuthenticationError.notAuthentic) { try open(sealed, .random()) }
        for count in 0..<sealed.count {
            #expect(throws: AuthenticationError.notAuthentic) { try open(Array(sealed.prefix(count)), call) }
        }
        let other = CallState.seal(state.span, keys: CallKeys(call))
        #expect(other != sealed)
        #expect(try open(other, call) == state)
    }
}
