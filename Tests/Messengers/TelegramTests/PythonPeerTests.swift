import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// What this room seals and opens, and what other implementations do.
@Suite struct PythonPeerTests {
    private static let count = 300

    @Test func `AES-256-IGE as tgcrypto and cryptg`() throws {
        let samples = (0..<Self.count).map { (Random.bytes(32), Random.bytes(32), Random.bytes(16 * (1 + $0 % 70))) }
        let answers = try PythonPeer.carryOut(samples.map { ("ige", ["key": $0, "iv": $1, "data": $2]) })
        #expect(answers.count == Self.count)
        for ((key, iv, data), answer) in zip(samples, answers) {
            let ciphertext = Legacy.AESIGE.encrypt(data.span, key: secure(key), iv: secure(iv))
            #expect(answer == ["tgcrypto": ciphertext, "cryptg": ciphertext])
            #expect(Legacy.AESIGE.decrypt(ciphertext.span, key: secure(key), iv: secure(iv)).copied == data)
        }
    }

    private struct Sample {
        let key = Random.bytes(256)
        let direction: LegacyMTProto1.Direction
        let content: LegacyMTProto1.Content

        init(_ number: Int) {
            direction = number % 2 == 0 ? .fromClient : .fromServer
            let random = SeededRandom(seed: UInt64(number))
            content = LegacyMTProto1.Content(
                salt: random.next(), session: random.next(),
                message: LegacyMTProto1.Message(
                    id: MessageID(random.next()), sequence: UInt32(truncatingIfNeeded: random.next()),
                    data: random.bytes(number)))
        }

        var fields: [String: [UInt8]] {
            var (salt, session, id, sequence): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
            salt.append(number: content.salt)
            session.append(number: content.session)
            id.append(number: content.message.id.number)
            sequence.append(number: content.message.sequence)
            return ["salt": salt, "session": session, "id": id, "sequence": sequence, "data": content.message.data]
        }

        var about: [String: [UInt8]] { ["key": key, "client": [direction == .fromClient ? 1 : 0]] }
    }

    @Test func `telethon's functions of version 1 open what is sealed here`() throws {
        let samples = (0..<Self.count).map { Sample($0) }
        let answers = try PythonPeer.carryOut(
            samples.map { sample in
                let packet = try LegacyMTProto1.Packet.seal(
                    sample.content, key: authorizationKey(sample.key), sample.direction)
                return ("open", sample.about.merging(["packet": packet]) { first, _ in first })
            })
        #expect(answers.count == Self.count)
        for (sample, answer) in zip(samples, answers) { #expect(answer == sample.fields) }
    }

    @Test func `what telethon's functions of version 1 seal is opened here`() throws {
        let samples = (0..<Self.count).map { Sample($0) }
        let answers = try PythonPeer.carryOut(
            samples.map { ("seal", $0.about.merging($0.fields) { first, _ in first }) })
        #expect(answers.count == Self.count)
        for (sample, answer) in zip(samples, answers) {
            let packet = try #require(answer["packet"])
            let opened = try LegacyMTProto1.Packet.open(
                packet.span, key: authorizationKey(sample.key), sample.direction)
            #expect(opened == sample.content)
        }
    }
}
