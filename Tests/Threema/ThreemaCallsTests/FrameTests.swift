import SecureMemory
import Testing
import ThreemaMessages
import VectorKit

@testable import Primitives
@testable import ThreemaCalls

@Suite struct FrameTests {
    private let call = EnclosedKey.random()

    private func seal(
        _ frame: [UInt8], _ codec: MediaFrame.Codec, _ footer: MediaFrame.Footer, _ key: [UInt8]
    ) throws -> [UInt8] {
        let cipher = FrameCipher(key: SecureBytes(copying: key.span))
        return try MediaFrame.seal(frame.span, codec, footer, cipher: cipher)
    }

    private func open(_ frame: [UInt8], _ codec: MediaFrame.Codec, _ key: [UInt8]) throws -> [UInt8] {
        let cipher = FrameCipher(key: SecureBytes(copying: key.span))
        return try MediaFrame.open(frame.span, codec, cipher: cipher)
    }

    private func footer(_ sealed: [UInt8]) throws -> MediaFrame.Footer { try MediaFrame.footer(of: sealed.span) }

    private func clearHeaderCount(_ codec: MediaFrame.Codec, _ frame: [UInt8]) throws -> Int {
        try MediaFrame.clearHeaderCount(codec, frame.span)
    }

    @Test(arguments: try Vector.all(in: .threemaClient, op: "group-call-frame"))
    func `frames byte for byte`(_ vector: Vector) throws {
        let codec: MediaFrame.Codec = try vector.inputs.string("codec") == "opus" ? .opus : .vp8
        let key = try vector.inputs.bytes("pcmfk")
        let footer = MediaFrame.Footer(
            epoch: UInt8(try vector.inputs.integer("epoch")),
            ratchet: UInt8(try vector.inputs.integer("ratchetCounter")),
            counter: UInt32(try vector.inputs.integer("mfsn")))
        let frame = try vector.inputs.bytes("frame")
        let sealed = try seal(frame, codec, footer, key)
        #expect(sealed == (try vector.expected.bytes("encrypted")))
        #expect(try open(sealed, codec, key) == frame)
        #expect(try self.footer(sealed) == footer)
    }

    /// The prose of the specification has it the other way round.
    @Test func `a VP8 key frame has lowest bit 0 and 10 clear bytes`() throws {
        for first in UInt8.min...UInt8.max {
            let frame = [first] + [UInt8](repeating: 0, count: 20)
            #expect(try clearHeaderCount(.vp8, frame) == (first & 1 == 0 ? 10 : 3))
            #expect(try clearHeaderCount(.opus, frame) == 0)
        }
    }

    /// The steps of the specification count twice.
    @Test func `the counter goes on by one, for all streams and keys together`() throws {
        let sender = TestSender(call, counter: 5)
        let now = ContinuousClock.now
        var counters: [UInt32] = []
        for step in 0..<6 {
            if step == 2 { try sender.participantJoined() }
            if step == 3 { _ = sender.participantLeft(at: now) }
            if step == 4 { _ = sender.advance(to: now + .seconds(2)) }
            let sealed = try sender.seal([1, 2, 3, 4], step % 2 == 0 ? .opus : .vp8)
            counters.append(try footer(sealed).counter)
        }
        #expect(counters == [5, 6, 7, 8, 9, 10])
        #expect(sender.current.epoch == 1)
    }

    @Test func `the counter ends at 32 bits`() throws {
        let sender = TestSender(call, counter: .max)
        #expect(throws: FrameError.tooShort(minimum: 1, actual: 0)) { try sender.seal([], .vp8) }
        let last = try sender.seal([1], .opus)
        #expect(try footer(last).counter == .max)
        _ = sender.participantLeft(at: .now)
        _ = sender.advance(to: .now + .seconds(3))
        #expect(sender.current.epoch == 1)
        for _ in 0..<2 {
            #expect(throws: FrameError.framesExhausted) { try sender.seal([1], .opus) }
        }
    }

    /// The specification permits 65,536 bytes, and the desktop app sends 131,072.
    @Test func `limits of a frame`() throws {
        let sender = TestSender(call)
        let longest = [UInt8](repeating: 1, count: 65_536)
        #expect(try sender.seal(longest, .opus).count == 65_558)
        #expect(throws: FrameError.tooLong(limit: 65_536, actual: 65_537)) { try sender.seal((longest + [1]), .opus) }
        let footer = MediaFrame.Footer(epoch: 0, ratchet: 0, counter: 77)
        let received = seal131072(footer, sender.current)
        let receiver = try TestReceiver(call, sender.distributed)
        let opened = try receiver.open(received, .opus)
        #expect(opened.count == 131_050)
        #expect(throws: FrameError.tooLong(limit: 131_072, actual: 131_073)) {
            try receiver.open((received + [0]), .opus)
        }
        #expect(throws: FrameError.tooShort(minimum: 22, actual: 21)) {
            try receiver.open(Array(received.prefix(21)), .opus)
        }
        let short = [UInt8](repeating: 0, count: 31)
        #expect(throws: FrameError.tooShort(minimum: 32, actual: 31)) { try receiver.open(short, .vp8) }
        #expect(throws: FrameError.tooShort(minimum: 10, actual: 9)) { try sender.seal(Array(short.prefix(9)), .vp8) }
    }

    private func seal131072(_ footer: MediaFrame.Footer, _ key: MediaKey) -> [UInt8] {
        let cipher = FrameCipher(key: key.frameKey(CallKeys(call)))
        let (plaintext, end) = ([UInt8](repeating: 2, count: 131_072 - 22), footer.bytes)
        return cipher.seal(plaintext.span, nonce: footer.nonce, additionalData: end, between: Span(), and: end.span)
    }

    @Test func `frames open in any order, after steps of the ratchet that were missed`() throws {
        let sender = TestSender(call)
        let receiver = try TestReceiver(call, sender.distributed)
        let frame = Random.bytes(1200)
        let first = try sender.seal(frame, .vp8)
        let second = try sender.seal(frame, .vp8)
        for sealed in [second, first] {
            let opened = try receiver.open(sealed, .vp8)
            #expect(opened == frame)
        }
        for _ in 0..<255 { try sender.participantJoined() }
        #expect(throws: MediaKeyError.ratchetExhausted) { try sender.participantJoined() }
        #expect(sender.current.ratchet == 255)
        let last = try sender.seal(frame, .opus)
        let opened = try receiver.open(last, .opus)
        #expect(opened == frame)
        #expect(throws: FrameError.ratchetPassed(0)) { try receiver.open(first, .vp8) }
        // Somebody who has just joined gets the key of now, and cannot go back.
        let newcomer = try TestReceiver(call, sender.distributed)
        #expect(throws: FrameError.ratchetPassed(0)) { try newcomer.open(first, .vp8) }
    }

    @Test func `a forged step of the ratchet does not move the key`() throws {
        let sender = TestSender(call)
        let receiver = try TestReceiver(call, sender.distributed)
        let sealed = try sender.seal([1, 2, 3], .opus)
        var forged = sealed
        forged[sealed.count - 5] = 200
        #expect(throws: FrameError.notAuthentic) { try receiver.open(forged, .opus) }
        let opened = try receiver.open(sealed, .opus)
        #expect(opened == [1, 2, 3])
    }

    @Test func `a new key is used two seconds after somebody has left`() throws {
        let now = ContinuousClock.now
        let sender = TestSender(call, epoch: 255, counter: 1)
        let receiver = try TestReceiver(call, sender.distributed)
        try sender.participantJoined()
        let left = sender.participantLeft(at: now)
        let next = try #require(left)
        #expect((next.epoch, next.ratchet) == (0, 0))
        #expect(sender.distributed == [sender.current, next])
        let early = sender.advance(to: now + .milliseconds(1999))
        #expect(early == nil && sender.current.epoch == 255)
        #expect(sender.nextChange == now + .seconds(2))
        try receiver.add(next)
        #expect(throws: MediaKeyError.repeatedEpoch(0)) { try receiver.add(next) }
        let before = try sender.seal([1], .opus)
        let change = sender.advance(to: now + .seconds(2))
        #expect(change == nil && sender.current == next && sender.nextChange == nil)
        let after = try sender.seal([2], .opus)
        for (sealed, frame) in [(after, [2]), (before, [1])] as [([UInt8], [UInt8])] {
            let opened = try receiver.open(sealed, .opus)
            #expect(opened == frame)
        }
        // Of three epochs, the oldest is forgotten.
        try receiver.add(MediaKey(epoch: 1, ratchet: 0, key: .random()))
        #expect(throws: FrameError.unknownEpoch(255)) { try receiver.open(before, .opus) }
    }

    @Test func `somebody who leaves while a key is distributed gets no frame of the key after it`() throws {
        let now = ContinuousClock.now
        let sender = TestSender(call)
        let first = sender.participantLeft(at: now)
        let second = sender.participantLeft(at: now + .seconds(1))
        let third = sender.participantLeft(at: now + .milliseconds(1500))
        #expect(first != nil && second == nil && third == nil)
        let further = sender.advance(to: now + .seconds(2))
        let fresh = try #require(further)
        #expect(sender.current == first)
        #expect(fresh.epoch == 2 && fresh.key != first?.key)
        #expect(sender.nextChange == now + .seconds(4))
        let last = sender.advance(to: now + .seconds(4))
        #expect(last == nil && sender.current == fresh && sender.nextChange == nil)
    }

    @Test(arguments: MediaFrame.Codec.allCases)
    func `a thousand mutations of a frame`(_ codec: MediaFrame.Codec) throws {
        var random = SeededRandom(seed: 1)
        let sender = TestSender(call)
        let receiver = try TestReceiver(call, sender.distributed)
        let frame = [0] + Random.bytes(60)
        let sealed = try sender.seal(frame, codec)
        var refusals: [String: Int] = [:]
        for _ in 0..<1000 {
            let mutation = sealed.mutated(&random)
            let refusal = refusal(receiver, mutation, codec)
            #expect(refusal != nil, "\(mutation.hex)")
            refusals["\(refusal!)".prefix { $0 != "(" }.description, default: 0] += 1
        }
        #expect(refusals.keys.sorted() == ["notAuthentic", "tooShort", "unknownEpoch"])
        let opened = try receiver.open(sealed, codec)
        #expect(opened == frame)
    }

    private func refusal(_ receiver: TestReceiver, _ frame: [UInt8], _ codec: MediaFrame.Codec) -> FrameError? {
        do throws(FrameError) {
            _ = try receiver.open(frame, codec)
            return nil
        } catch {
            return error
        }
    }
}
