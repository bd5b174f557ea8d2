import Encodings
import SecureMemory
import Testing

@testable import Ratchet

@Suite struct HeldMessagesTests {
    private typealias KeptName = HeldMessages.Name

    private let chain = ChainID([UInt8](repeating: 5, count: 16))!

    private func name(_ number: UInt32, _ digest: UInt8 = 0) -> HeldMessages.Name {
        HeldMessages.Name(chain, number, [digest])
    }

    @Test func `a message that comes before its distribution is opened once`() throws {
        let people = try ["a", "b"].map { try Person($0, ["a", "b"]) }
        let distribution = try people[0].group.distribution(for: member("b"), at: start)
        let letters = [try people[0].group.send([0]), try people[0].group.send([1])]
        var held = HeldMessages()
        for letter in letters.reversed() {
            #expect(throws: GroupError.unknownChain) { _ = try people[1].group.receive(letter) }
            let name = KeptName(letter.chain, letter.number, letter.body)
            #expect(held.hold(name, from: letter.sender, count: 10, at: start) == .keep(asks: letter.number == 1))
            #expect(held.hold(name, from: letter.sender, count: 10, at: start) == .duplicate)
        }
        #expect(try people[1].group.accept(distribution, from: member("a"), at: start) == .stored)
        let released = held.release(distribution.chain, of: member("a"))
        #expect(released.map(\.name.number) == [0, 1] && held.entries.isEmpty)
        for entry in released {
            #expect(try people[1].group.receive(letters[Int(entry.name.number)]) == [UInt8(entry.name.number)])
        }
    }

    @Test func `kept messages are bounded for each sender`() {
        var held = HeldMessages()
        for number in 0..<100 as Range<UInt32> {
            let decision = held.hold(name(number), from: member("a"), count: 1, at: start)
            #expect(decision == .keep(asks: number == 0))
        }
        #expect(held.hold(name(100), from: member("a"), count: 1, at: start) == .full)
        #expect(held.hold(name(0), from: member("b"), count: 1 << 20, at: start) == .keep(asks: true))
        #expect(held.hold(name(1), from: member("b"), count: 1, at: start) == .full)
        #expect(held.hold(name(1), from: member("c"), count: (1 << 20) + 1, at: start) == .full)
        #expect(held.drop(member("b")).count == 1)
        #expect(held.hold(name(1), from: member("b"), count: 1, at: start) == .keep(asks: true))
    }

    @Test func `stored messages are read at the start`() {
        var held = HeldMessages()
        for number in 0..<3 as Range<UInt32> {
            _ = held.hold(name(number), from: member("a"), count: 1, at: start + .seconds(Int(number)))
        }
        var again = HeldMessages(held.entries.reversed() + [held.entries[0]])
        #expect(again.entries == held.entries)
        #expect(again.hold(name(9), from: member("a"), count: 1, at: start) == .keep(asks: true))
        let many = (0..<200 as Range<UInt32>).map {
            HeldMessages.Entry(name: name($0), sender: member("a"), count: 1, received: start)
        }
        #expect(HeldMessages(many).entries.count == HeldMessages.maxMessages)
    }

    @Test func `a sender is asked once a minute, and messages go after a day`() {
        var held = HeldMessages()
        for (number, seconds) in [(0, 0), (1, 59), (2, 60), (3, 61)] as [(UInt32, Int)] {
            let decision = held.hold(name(number), from: member("a"), count: 1, at: start + .seconds(seconds))
            #expect(decision == .keep(asks: seconds == 0 || seconds == 60))
        }
        #expect(held.expire(at: start + .seconds(86_400 + 59)).map(\.name.number) == [0, 1])
        #expect(held.expire(at: start + .seconds(86_400 + 61)).map(\.name.number) == [2, 3])
        #expect(held == HeldMessages())
    }

    /// Chains without a name have one name together, and each begins at 0.
    @Test func `messages of one chain and number with other boxes are kept beside each other`() {
        var held = HeldMessages()
        for digest in 0..<3 as Range<UInt8> {
            #expect(held.hold(name(0, digest), from: member("a"), count: 1, at: start) == .keep(asks: digest == 0))
        }
        #expect(held.hold(name(0, 1), from: member("a"), count: 1, at: start) == .duplicate)
        #expect(held.release(chain, of: member("a")).map(\.name) == [name(0, 0), name(0, 1), name(0, 2)])
    }

    @Test func `a message that is kept again is as old as it was`() {
        var held = HeldMessages()
        _ = held.hold(name(1), from: member("a"), count: 1, at: start)
        _ = held.hold(name(2), from: member("a"), count: 1, at: start + .seconds(1000))
        let later = start + .seconds(50_000)
        #expect(held.hold(name(1), from: member("a"), count: 1, at: later) == .duplicate)
        #expect(held.entries[0].received == start)
        // A distribution of another chain has come.
        let released = held.release(chain, of: member("a"))
        #expect(held.entries.isEmpty)
        for entry in released.reversed() {
            #expect(held.keep(entry, at: later) == .keep(asks: entry.name.number == 2))
            #expect(held.keep(entry, at: later) == .duplicate)
        }
        #expect(held.entries == released)
        #expect(held.expire(at: start + HeldMessages.maxAge) == [released[0]])
        #expect(held.keep(released[0], at: start + HeldMessages.maxAge) == .full)
        #expect(held.entries == [released[1]])
    }
}
