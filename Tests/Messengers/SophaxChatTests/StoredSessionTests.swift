import Encodings
import SecureMemory
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat

@Suite struct StoredSessionTests {
    @Test(arguments: try Vector.all(in: .sophaxChat, op: "session-state-mac"))
    func `MAC of a session`(_ vector: Vector) throws {
        let key = secure(try vector.inputs.bytes("mac_key"))
        let state = try vector.inputs.bytes("state")
        let record = try StoredSession.seal(state.span, key: key).copied
        #expect(record == (try vector.expected.bytes("blob")))
        #expect(try StoredSession.open(record.span, key: key).copied == state)
        for index in record.indices {
            var other = record
            other[index] ^= 1
            #expect(throws: StoredRecordError.notAuthentic) { _ = try StoredSession.open(other.span, key: key) }
        }
    }

    @Test func `a session of 100,000 bytes is refused`() throws {
        let key = secure([UInt8](repeating: 1, count: 32))
        let state = [UInt8](repeating: 32, count: 100_000)
        #expect(throws: StoredRecordError.malformed) { _ = try StoredSession.seal(state.span, key: key) }
        let record = [UInt8](repeating: 0, count: 32) + state
        #expect(throws: StoredRecordError.malformed) { _ = try StoredSession.open(record.span, key: key) }
        #expect(throws: StoredRecordError.malformed) { _ = try StoredSession.summarize(state.span) }
    }

    @Test func `counters of a session`() throws {
        func summary(_ counter: String, _ keys: Int) throws -> StoredSession.Summary {
            let bucket = (0..<keys).map { "\"\($0)\":\"AA==\"" }.joined(separator: ",")
            let text = Array(
                "{\"sendMessageCount\":\(counter),\"receiveMessageCount\":2,\"previousSendingChainLength\":3,\"skippedKeyBundles\":{\"a\":{\(bucket)}}}"
                    .utf8)
            return try StoredSession.summarize(text.span)
        }
        #expect(try summary("4294967294", 1000).skipped == 1000)
        for (counter, keys) in [("4294967295", 0), ("-1", 0), ("1e3", 0), ("1.0", 0), ("1", 1001)] {
            #expect(throws: StoredRecordError.malformed) { try summary(counter, keys) }
        }
    }

    @Test func `10,000 mutations`() {
        let random = SeededRandom(seed: 1)
        let state = Array(
            "{\"sendMessageCount\":1,\"receiveMessageCount\":2,\"previousSendingChainLength\":3,\"skippedKeyBundles\":{\"a\":{\"1\":\"A\"}}}"
                .utf8)
        for _ in 0..<10_000 {
            let bytes = random.changed(state)
            if let read = try? StoredSession.summarize(bytes.span) { #expect(read.skipped <= 1000) }
        }
    }
}
