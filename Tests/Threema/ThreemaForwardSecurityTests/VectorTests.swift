import Primitives
import SecureMemory
import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaForwardSecurity

@Suite struct VectorTests {
    @Test(arguments: try Vector.all(in: .threemaClient, op: "fs-ratchet"))
    func `a chain turns to the keys of the apps`(_ vector: Vector) throws {
        let key = try vector.inputs.bytes("initialChainKey")
        let (start, turns) = (try vector.inputs.integer("initialCounter"), try vector.inputs.integer("turns"))
        let turned = Turned(key: key, counter: UInt64(start), turns: turns)
        #expect(turned.counter == UInt64(try vector.expected.integer("counter")))
        #expect(try turned.key == vector.expected.bytes("chainKey"))
        #expect(try turned.messageKey == vector.expected.bytes("encryptionKey"))
        #expect(Turned(key: key, counter: UInt64(start), advancedTo: UInt64(start + turns)) == turned)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "fs-ratchet-limit"))
    func `a chain goes neither too far nor back`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let counter = UInt64(try inputs.integer("initialCounter"))
        let limit = UInt64(try inputs.integer("maxIncrement"))
        let target = UInt64(try inputs.integer("targetCounter"))
        let error: ChainError =
            try vector.expected.string("error") == "passed"
            ? .passed(counter: counter, target: target) : .tooFar(counter: counter, target: target)
        #expect(limit == Chain.maxAdvance)
        #expect(throws: error) {
            var chain = Chain(key: secure([UInt8](repeating: 1, count: 32)), counter: counter)
            try chain.advance(to: target, limit: limit)
        }
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "fs-session"))
    func `a session has the chains, boxes and envelopes of its vector`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let (initiator, responder) = (
            try ThreemaID(inputs.string("initiator")), try ThreemaID(inputs.string("responder"))
        )
        let (first, second) = (
            try Secrets(inputs, initiator: true), try Secrets(inputs, initiator: false)
        )
        #expect(first == second)
        for (name, secret) in zip(["dhStaticStatic", "dhEphIStaticR", "dhStaticIEphR", "dhEphEph"], first.secrets) {
            #expect(try secret == expected.bytes(name), "\(name)")
        }
        let chain2 = first.twoDHRoot(initiator)
        #expect(try chain2 == expected.bytes("chain2dhInitiator"))
        #expect(try chain2 != expected.bytes("chain2dhIfSpecProseInputForm"))
        #expect(try first.seed == expected.bytes("intermediate4dh"))
        let (chain4, back) = (first.fourDHRoot(initiator), first.fourDHRoot(responder))
        #expect(try chain4 == expected.bytes("chain4dhInitiator"))
        #expect(try back == expected.bytes("chain4dhResponder"))
        #expect(
            try Turned(key: chain4, counter: 1, turns: 1).key == expected.bytes("chain4dhInitiatorCounter2"))

        let inner = try inputs.bytes("inner")
        let box = Turned(key: chain4, counter: 1, turns: 0).seal(inner)
        #expect(try Turned(key: chain2, counter: 1, turns: 0).seal(inner) == expected.bytes("enc2dhCounter1"))
        #expect(try box == expected.bytes("enc4dhCounter1"))

        let session = SessionID(try inputs.bytes("sessionId"))
        let message = Encapsulated(
            mode: .fourDH, counter: 1, offered: .v1_2, applied: .v1_2, group: nil, box: box)
        for (name, content) in [
            ("initEnvelope", Envelope.Content.initiate(try share(inputs, "initiatorFssk"))),
            ("acceptEnvelope", .accept(try share(inputs, "responderFssk"))),
            ("encapsulated4dhEnvelope", .encapsulated(message)),
        ] {
            let envelope = Envelope(session: session, content: content)
            let bytes = try expected.bytes(name)
            #expect(envelope.encoded == bytes, "\(name)")
            #expect(try Envelope(decoding: bytes.span) == envelope, "\(name)")
        }
    }

    private func share(_ inputs: Fields, _ name: String) throws -> KeyShare {
        let key = try inputs.bytes(name)
        return KeyShare(publicKey: X25519.publicKey(of: key.span), versions: .supported)
    }
}

/// A chain after some turns, in ordinary memory.
struct Turned: Equatable {
    let counter: UInt64
    let key: [UInt8]
    let messageKey: [UInt8]

    init(key: [UInt8], counter: UInt64, turns: Int) {
        var chain = Chain(key: secure(key), counter: counter)
        for _ in 0..<turns { chain.turn() }
        self.counter = chain.counter
        self.key = chain.key.copied
        messageKey = chain.messageKey().copied
    }

    init(key: [UInt8], counter: UInt64, advancedTo target: UInt64) {
        var chain = Chain(key: secure(key), counter: counter)
        do { try chain.advance(to: target) } catch { preconditionFailure() }
        self.counter = chain.counter
        self.key = chain.key.copied
        messageKey = chain.messageKey().copied
    }

    func seal(_ inner: [UInt8]) -> [UInt8] {
        InnerBox.seal(inner.span, key: secure(messageKey))
    }
}

/// The four secrets of a session, as one side computes them.
private struct Secrets: Equatable {
    let secrets: [[UInt8]]

    init(_ inputs: Fields, initiator: Bool) throws {
        let names = ["initiatorSecretKey", "initiatorFssk", "responderSecretKey", "responderFssk"]
        let keys = try names.map { try inputs.bytes($0) }
        let publicKeys = keys.map { X25519.publicKey(of: $0.span) }
        // The places of s1 to s4 in `names`.
        secrets = try [(0, 2), (1, 2), (0, 3), (1, 3)].map { pair in
            let (own, other) = initiator ? (pair.0, pair.1) : (pair.1, pair.0)
            return try KeyAgreement.secret(secure(keys[own]), publicKeys[other]).copied
        }
    }

    func twoDHRoot(_ initiator: ThreemaID) -> [UInt8] {
        KeyAgreement.twoDHRoot(
            s1: secure(secrets[0]), s2: secure(secrets[1]), initiator: initiator
        ).copied
    }

    var seed: [UInt8] {
        KeyAgreement.fourDHSeed(
            s1: secure(secrets[0]), s2: secure(secrets[1]),
            s3: secure(secrets[2]), s4: secure(secrets[3])
        ).copied
    }

    func fourDHRoot(_ sender: ThreemaID) -> [UInt8] {
        KeyAgreement.fourDHRoot(seed: secure(seed), sender: sender).copied
    }
}
