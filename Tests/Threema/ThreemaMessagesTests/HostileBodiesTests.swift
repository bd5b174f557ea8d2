import SecureMemory
import Testing
import Threema

@testable import ThreemaMessages

/// Bytes that nobody has made as a body end in an error, or in a value that is written and read again as itself.
@Suite struct HostileBodiesTests {
    @Test(arguments: MessageType.allCases) func `random bytes`(_ type: MessageType) throws {
        for _ in 0..<2000 { try read(type, Random.bytes(RandomMessages.number(0...120))) }
        try read(type, Random.bytes(8192))
    }

    @Test(arguments: MessageType.allCases) func `changed bodies`(_ type: MessageType) throws {
        for _ in 0..<20 {
            let sender = ThreemaID.random()
            guard let bytes = try RandomMessages.body(type, from: sender)?.encodedBody(), bytes.count < 3000 else {
                continue
            }
            for _ in 0..<50 where !bytes.isEmpty {
                var changed = bytes
                let place = RandomMessages.number(0...bytes.count - 1)
                switch RandomMessages.number(0...3) {
                case 0: changed[place] ^= 1 << UInt8(RandomMessages.number(0...7))
                case 1: changed.remove(at: place)
                case 2: changed.insert(contentsOf: Random.bytes(RandomMessages.number(1...9)), at: place)
                default: changed.removeLast(place)
                }
                try read(type, changed)
            }
        }
    }

    /// A value that was read is written as bytes that are read as the same value.
    private func read(_ type: MessageType, _ bytes: [UInt8]) throws {
        let body: MessageBody
        do throws(MessageBodyError) {
            body = try MessageBody(type, decoding: bytes.span)
        } catch {
            return
        }
        #expect(body.type == type)
        // More than is ever sent may be received.
        guard let written = try? body.encodedBody() else { return }
        let again = try MessageBody.decoded(type, written)
        // Coordinates are written with six decimals.
        if type != .location && type != .groupLocation { #expect(again == body) }
        #expect(try again.encodedBody() == written)
    }
}
