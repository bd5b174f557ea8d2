import SecureMemory
import SophaxKit
import Testing

@testable import SophaxChat

/// What remembers the ephemeral keys of begun sessions is bounded, and none is forgotten early. So it fills.
@Suite struct FullStoreTests {
    /// Prekeys that have seen so many ephemeral keys of others.
    private static func prekeys(seen count: Int) -> PrekeyStore {
        var prekeys = PrekeyStore(at: now)
        var seen = SeenEphemerals()
        for number in 0..<count {
            var key = [UInt8](repeating: 0, count: 28)
            key.appendNumber(UInt32(number))
            _ = seen.insert(key, for: prekeys.signedID)
        }
        prekeys.seen = seen
        return prekeys
    }

    /// A stranger's places, and all of them.
    private static let (strangers, all) = (8000, 10_000)

    @Test func `places are kept for contacts`() throws {
        let contact = try alice().publicIdentity
        let last = Self.prekeys(seen: Self.strangers - 1)
        _ = try SessionTests.respond(SessionTests.initiated(last, oneTime: nil).initiation, last)
        let full = Self.prekeys(seen: Self.strangers)
        let begun = try SessionTests.initiated(full, oneTime: nil)
        #expect(throws: HandshakeError.storeFull) { _ = try SessionTests.respond(begun.initiation, full) }
        let answer = try SessionTests.respond(begun.initiation, full, known: contact)
        #expect(answer.plaintext.copied == Array("hi".utf8))
        #expect(answer.prekeys.seen.contains(begun.initiation.ephemeral))
        #expect(throws: HandshakeError.replayed) {
            _ = try SessionTests.respond(begun.initiation, answer.prekeys, known: contact)
        }
        let record = answer.prekeys.encoded().copied
        let read = try PrekeyStore(decoding: record.span)
        #expect(read.seen == answer.prekeys.seen)
    }

    @Test func `a store without any place refuses contacts, too, and forgets nothing`() throws {
        let contact = try alice().publicIdentity
        let almost = Self.prekeys(seen: Self.all - 1)
        let answer = try SessionTests.respond(
            SessionTests.initiated(almost, oneTime: nil).initiation, almost, known: contact)
        #expect(answer.prekeys.seen.isFull && answer.prekeys.seen.contains([UInt8](repeating: 0, count: 32)))
        let begun = try SessionTests.initiated(answer.prekeys, oneTime: nil)
        #expect(throws: HandshakeError.storeFull) {
            _ = try SessionTests.respond(begun.initiation, answer.prekeys, known: contact)
        }
    }

    /// Who has no private key of the contact fills none of the contacts' places.
    @Test func `a stranger in a contact's name is refused`() throws {
        let full = Self.prekeys(seen: Self.strangers)
        let begun = try SessionTests.initiated(full, oneTime: nil)
        let other = try bob().publicIdentity
        #expect(throws: HandshakeError.bundle(.identityChanged)) {
            _ = try SessionTests.respond(begun.initiation, full, known: other)
        }
    }
}
