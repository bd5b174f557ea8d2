import Foundation
import SecureMemory
import Testing
import VectorKit

@testable import SessionStore

@Suite struct ReplayTests {
    private let scratch: Scratch
    private let replay = ReplayStore(ownID: "ABCD1234")
    private let nonce = [UInt8](repeating: 3, count: 24)

    init() throws { scratch = try Scratch() }

    @Test func `a nonce is stored under the own ID`() throws {
        let vector = try Vector.named("nonce-hash", in: .threemaClient)
        let replay = try ReplayStore(ownID: vector.inputs.string("identity"))
        #expect(try replay.digest(of: vector.inputs.bytes("nonce")).hex == vector.expected.string("hashedNonce"))
    }

    @Test func `a nonce is refused at once and after reopening`() throws {
        var store = try scratch.open()
        var isKnown = try replay.contains(nonce, in: store)
        #expect(!isKnown)
        try store.transaction { transaction in
            try replay.remember(nonce, in: transaction)
            #expect(throws: ReplayError.replayed) { try replay.remember(nonce, in: transaction) }
        }
        for _ in 0..<2 {
            isKnown = try replay.contains(nonce, in: store)
            #expect(isKnown)
            #expect(throws: ReplayError.replayed) { try store.transaction { try replay.remember(nonce, in: $0) } }
            store.close()
            store = try scratch.open()
        }
        // Another identity's set is another one.
        isKnown = try ReplayStore(ownID: "ABCD1235").contains(nonce, in: store)
        #expect(!isKnown)
    }

    @Test func `what is not made is not remembered`() throws {
        struct Refused: Error {}
        let store = try scratch.open()
        #expect(throws: Refused.self) {
            try store.transaction { transaction in
                try replay.remember(nonce, in: transaction)
                _ = try replay.draw(in: transaction)
                throw Refused()
            }
        }
        let state = try (replay.contains(nonce, in: store), store.count(of: "nonce"))
        #expect(state == (false, 0))
    }

    @Test func `a drawn nonce is fresh and remembered`() throws {
        let store = try scratch.open()
        try store.transaction { try replay.remember(nonce, in: $0) }
        let fresh = [UInt8](repeating: 4, count: 24)
        var draws = [nonce, nonce, fresh][...]
        let drawn = try store.transaction { try replay.draw(in: $0) { draws.removeFirst() } }
        #expect(drawn == fresh && draws.isEmpty)
        let random = try store.transaction { try replay.draw(in: $0) }
        #expect(random.count == 24 && random != fresh)
        for nonce in [drawn, random] {
            #expect(throws: ReplayError.replayed) { try store.transaction { try replay.remember(nonce, in: $0) } }
        }
    }

    @Test func `a nonce that somebody made unreadable is refused still`() throws {
        var store = try scratch.open()
        try store.transaction { try replay.remember(nonce, in: $0) }
        store.close()
        try scratch.sql("UPDATE value SET sealed = x'00' WHERE kind = 'nonce'")
        store = try scratch.open()
        let isKnown = try replay.contains(nonce, in: store)
        #expect(isKnown)
    }
}
