import Encodings
import Primitives
import RatchetModel
import SecureMemory
import SophaxChat
import Testing
import TextSecure

@testable import Ratchet

/// What a session opens and refuses, for every suite.
@Suite struct SessionTests {
    @Test(arguments: RatchetSuite.all) func `both sides talk`(_ suite: RatchetSuite) throws {
        var pair = try Pair(suite)
        for number in 0..<20 as Range<UInt8> {
            #expect(try pair.bob.receive(try pair.alice.send([number, 0])) == [number, 0])
            let texts = [[number, 1], [number, 2]]
            let letters = [try pair.bob.send(texts[0]), try pair.bob.send(texts[1])]
            #expect(try pair.alice.receive(letters[0]) == texts[0])
            #expect(try pair.alice.receive(letters[1]) == texts[1])
        }
    }

    @Test(arguments: RatchetSuite.all) func `a responder sends first only on a shared chain`(
        _ suite: RatchetSuite
    ) throws {
        var pair = try Pair(suite)
        if suite.start == .sharedChain {
            #expect(pair.bob.canSend == true)
            #expect(try pair.alice.receive(try pair.bob.send([7])) == [7])
        } else {
            let before = pair.bob.record()
            #expect(pair.bob.canSend == false)
            #expect(throws: RatchetError.notYetReceived) { _ = try pair.bob.seal() }
            #expect(pair.bob.record() == before)
        }
    }

    @Test(arguments: RatchetSuite.all) func `a message opens once`(_ suite: RatchetSuite) throws {
        var pair = try Pair(suite)
        let letter = try pair.alice.send([1])
        _ = try pair.bob.receive(letter)
        let before = pair.bob.record()
        #expect(throws: RatchetError.duplicate) { _ = try pair.bob.receive(letter) }
        #expect(pair.bob.record() == before)
    }

    @Test(arguments: RatchetSuite.all) func `late messages of two chains open in any order, once`(
        _ suite: RatchetSuite
    ) throws {
        var pair = try Pair(suite)
        try pair.talk()
        var first: [Letter] = []
        for number in 0..<8 as Range<UInt8> { first.append(try pair.alice.send([number])) }
        #expect(try pair.bob.receive(first[5]) == [5])
        #expect(pair.bob.storedCount == 5)
        _ = try pair.alice.receive(try pair.bob.send([9]))
        var second: [Letter] = []
        for number in 10..<14 as Range<UInt8> { second.append(try pair.alice.send([number])) }
        let opened = try pair.bob.received(second[3])
        #expect(opened.hasTurned == true)
        #expect(opened.skipped == 3 + (suite.formerChains == .areClosed ? 2 : 0))
        pair.bob = opened.next
        let rest = [first[7], second[0], first[0], first[4], second[2], first[6], first[1], second[1]]
        for letter in rest { _ = try pair.bob.receive(letter) }
        for letter in first[4...7] + second {
            #expect(throws: RatchetError.self) { _ = try pair.bob.receive(letter) }
        }
        #expect(try pair.bob.receive(first[2]) == [2])
        #expect(try pair.bob.receive(first[3]) == [3])
        #expect(pair.bob.storedCount == 0)
    }

    /// The limits, exactly.
    @Test(arguments: RatchetSuite.all) func `as many messages are skipped as the limit says`(
        _ suite: RatchetSuite
    ) throws {
        var pair = try Pair(suite)
        _ = try pair.bob.receive(try pair.alice.send([0]))
        var letters: [Letter] = []
        let limit = suite.limits.maxSkipped
        for _ in 0...limit + 1 { letters.append(try pair.alice.send([1])) }
        let before = pair.bob.record()
        #expect(throws: RatchetError.tooManySkipped) { _ = try pair.bob.receive(letters[limit + 1]) }
        #expect(pair.bob.record() == before)
        _ = try pair.bob.receive(letters[limit])
        #expect(pair.bob.storedCount == limit)
        _ = try pair.bob.receive(letters[0])
        _ = try pair.bob.receive(letters[limit - 1])
        #expect(pair.bob.storedCount == limit - 2)
    }

    @Test func `a session that is full refuses what would exceed it`() throws {
        var pair = try Pair(.sophaxChat)
        try pair.talk()
        for _ in 0..<600 { _ = try pair.alice.send([0]) }
        _ = try pair.bob.receive(try pair.alice.send([1]))
        for _ in 0..<400 { _ = try pair.alice.send([0]) }
        let tight = try pair.alice.send([1])
        let over = try pair.alice.send([2])
        #expect(throws: RatchetError.tooManySkipped) { _ = try pair.bob.receive(over) }
        _ = try pair.bob.receive(tight)
        #expect(pair.bob.storedCount == 1000)
        #expect(try pair.bob.receive(over) == [2])
        // Old keys make room.
        _ = try pair.alice.send([0])
        let later = try pair.alice.send([3])
        #expect(throws: RatchetError.tooManySkipped) { _ = try pair.bob.receive(later) }
        #expect(try pair.bob.receive(later, at: start + .seconds(7 * 24 * 3600)) == [3])
        #expect(pair.bob.storedCount == 1)
    }

    @Test func `a session that is full drops its oldest keys`() throws {
        var pair = try Pair(.plain)
        var letters: [Letter] = []
        for number in 0..<42 as Range<UInt8> { letters.append(try pair.alice.send([number])) }
        _ = try pair.bob.receive(letters[20])
        _ = try pair.bob.receive(letters[41])
        #expect(pair.bob.storedCount == 30)
        #expect(throws: RatchetError.duplicate) { _ = try pair.bob.receive(letters[9]) }
        #expect(try pair.bob.receive(letters[10]) == [10])
    }

    @Test(arguments: RatchetSuite.all) func `a skipped key lives as long as the suite says`(
        _ suite: RatchetSuite
    ) throws {
        var pair = try Pair(suite)
        let letters = [try pair.alice.send([0]), try pair.alice.send([1]), try pair.alice.send([2])]
        _ = try pair.bob.receive(letters[2])
        let age = suite.limits.maxAge
        #expect(try pair.bob.receive(letters[0], at: start + age + .milliseconds(-1)) == [0])
        // A clock that goes back removes nothing.
        pair.bob.expire(at: start + .seconds(-1_000_000_000))
        #expect(pair.bob.storedCount == 1)
        #expect(throws: RatchetError.duplicate) { _ = try pair.bob.receive(letters[1], at: start + age) }
        pair.bob.expire(at: start + age)
        #expect(pair.bob.storedCount == 0)
    }

    @Test(arguments: RatchetSuite.all) func `every changed bit is refused, and changes nothing`(
        _ suite: RatchetSuite
    ) throws {
        var pair = try Pair(suite)
        try pair.talk()
        _ = try pair.bob.receive(try pair.alice.send([0]))
        let letter = try pair.alice.send([1, 2, 3])
        let before = pair.bob.record()
        for byte in 0..<letter.header.count + letter.body.count {
            for bit in [0, 7] as [UInt8] {
                var changed = letter
                if byte < letter.header.count {
                    changed.header[byte] ^= 1 << bit
                } else {
                    changed.body[byte - letter.header.count] ^= 1 << bit
                }
                #expect(throws: RatchetError.self) { _ = try pair.bob.receive(changed) }
            }
        }
        #expect(pair.bob.record() == before)
        #expect(try pair.bob.receive(letter) == [1, 2, 3])
    }

    @Test func `keys that are nobody's are refused`() throws {
        var pair = try Pair(.textSecure3)
        try pair.talk()
        for key in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31), [], [1, 2, 3]] {
            let header = RatchetHeader(ratchetKey: key, previousCount: 0, number: 0)
            #expect(throws: RatchetError.weakKey) {
                _ = try pair.bob.open(.plain(header), at: start) { _ in
                    Issue.record(); return secure([])
                }
            }
        }
        let keys = FirstSecret.ResponderKeys(
            identity: publicKey([UInt8](repeating: 1, count: 32)), prekey: [UInt8](repeating: 0, count: 32))
        #expect(throws: RatchetError.weakKey) {
            _ = try FirstSecret.initiate(
                .textSecure3, identity: secure([UInt8](repeating: 2, count: 32)),
                ephemeral: secure([UInt8](repeating: 3, count: 32)), with: keys)
        }
    }

    @Test func `numbers at the end of 32 bits derive nothing`() throws {
        for suite in [RatchetSuite.textSecure3, .plain] {
            var pair = try Pair(suite)
            try pair.talk()
            let letter = try pair.alice.send([1])
            let own = letter.plainHeader
            let other = publicKey([UInt8](repeating: 9, count: 32))
            let errors: [(RatchetHeader, RatchetError)] = [
                (RatchetHeader(ratchetKey: own.ratchetKey, previousCount: 0, number: .max), .numberTooHigh),
                (RatchetHeader(ratchetKey: own.ratchetKey, previousCount: 0, number: .max - 1), .tooManySkipped),
                (RatchetHeader(ratchetKey: other, previousCount: 0, number: .max), .numberTooHigh),
                (RatchetHeader(ratchetKey: other, previousCount: 0, number: .max - 1), .tooManySkipped),
                (
                    RatchetHeader(ratchetKey: other, previousCount: .max, number: 0),
                    suite.formerChains == .areClosed ? .tooManySkipped : .notAuthentic
                ),
            ]
            for (header, error) in errors {
                #expect(throws: error) {
                    _ = try pair.bob.open(.plain(header), at: start) { (_) throws(AuthenticationError) in
                        throw .notAuthentic
                    }
                }
            }
        }
    }

    /// Both sides as after 2³² − 3 messages on a chain.
    @Test func `a chain ends at its last number`() throws {
        var pair = try Pair(.textSecure3)
        try pair.talk()
        _ = try pair.bob.receive(try pair.alice.send([0]))
        let end = UInt32.max - 2
        let last = pair.bob.state.receiving.count - 1
        pair.alice.state.sending!.chain = KeyChain(key: pair.alice.state.sending!.chain.key, next: end)
        pair.bob.state.receiving[last].chain = KeyChain(key: pair.bob.state.receiving[last].chain!.key, next: end)
        let letters = [try pair.alice.send([1]), try pair.alice.send([2])]
        #expect(letters[1].plainHeader.number == UInt32.max - 1)
        #expect(throws: RatchetError.chainExhausted) { _ = try pair.alice.seal() }
        #expect(try pair.bob.receive(letters[1]) == [2])
        #expect(try pair.bob.receive(letters[0]) == [1])
        // At its end, the state is a record like any other, and goes on with an answer.
        pair.alice = try DoubleRatchet(decoding: pair.alice.record().span, suite: .textSecure3)
        pair.bob = try DoubleRatchet(decoding: pair.bob.record().span, suite: .textSecure3)
        try { _ = try pair.alice.receive(try pair.bob.send([3])) }()
        let next = try pair.alice.send([4])
        #expect(next.plainHeader.previousCount == UInt32.max && next.plainHeader.number == 0)
        #expect(try pair.bob.receive(next) == [4])
    }

    @Test func `a sending chain ends`() throws {
        var pair = try Pair(.plain)
        try pair.talk()
        _ = try pair.bob.receive(try pair.alice.send([0]))
        for _ in 1..<50 { _ = try pair.alice.send([0]) }
        #expect(pair.alice.canSend == false)
        let before = pair.alice.record()
        #expect(throws: RatchetError.chainExhausted) { _ = try pair.alice.seal() }
        #expect(pair.alice.record() == before)
        _ = try pair.alice.receive(try pair.bob.send([1]))
        #expect(pair.alice.canSend == true)
    }
}
