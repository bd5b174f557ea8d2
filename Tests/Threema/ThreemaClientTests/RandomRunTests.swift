import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaClient

/// Two mailboxes meet crashes, repeated and late messages in a random order, and then a good network.
@Suite struct RandomRunTests {
    /// A queue of a chat server: a message stays until it is acknowledged.
    private struct Run {
        let home: Household
        var random: SeededRandom
        /// What is on its way to each side.
        var queues: [[[UInt8]]] = [[], []]
        /// The texts that each side has sent, and those that the other one got.
        var sent: [[String]] = [[], []]
        var delivered: [[String]] = [[], []]

        func side(_ place: Int) -> Side { place == 0 ? home.alice : home.bob }

        /// The sender may not learn that the server has its messages. The server knows a message by its ID.
        mutating func flush(_ place: Int, acknowledges: Bool) throws {
            for payload in try side(place).sendOutbox(acknowledges: acknowledges)
            where !queues[1 - place].contains(payload) { queues[1 - place].append(payload) }
        }

        mutating func receive(_ place: Int, crashesBefore: Bool, crashesAfter: Bool) throws {
            guard let payload = queues[place].first else { return }
            do {
                let incoming = try side(place).mailbox.receive(payload.span) { _, _ in
                    if crashesBefore { throw Crash() }
                }
                if let text = incoming.text { delivered[place].append(text) }
            } catch is Crash {
                return try side(place).open()
            }
            if crashesAfter { return try side(place).open() }
            queues[place].removeFirst()
        }

        /// Messages that are there are stored together. The process may die before one of them is stored, or when all
        /// are and only some are acknowledged.
        mutating func receiveTogether(_ place: Int, dies: Bool) throws {
            let payloads = Array(queues[place].prefix(Int.random(in: 1...8, using: &random)))
            var left = dies ? Int.random(in: 0...payloads.count, using: &random) : .max
            let batch = side(place).mailbox.receive(all: payloads) { _, _ in
                if left == 0 { throw Crash() }
                left -= 1
            }
            delivered[place] += batch.stored.compactMap(\.text)
            #expect(batch.failure == nil || batch.failure is Crash)
            #expect((batch.failure == nil) == (batch.stored.count == payloads.count))
            guard dies else { return queues[place].removeFirst(payloads.count) }
            queues[place].removeFirst(Int.random(in: 0...batch.stored.count, using: &random))
            try side(place).open()
        }

        /// A message cannot be stored, and the program tries to go on without it before it connects again.
        mutating func goOn(_ place: Int) throws {
            guard let payload = queues[place].first else { return }
            do {
                // One that was stored before is discarded.
                _ = try side(place).mailbox.receive(payload.span) { _, _ in throw Crash() }
            } catch is Crash {
                for later in queues[place].dropFirst() {
                    do {
                        let incoming = try side(place).mailbox.receive(later.span)
                        if let text = incoming.text { delivered[place].append(text) }
                    } catch MailboxError.connectionOver {}
                }
                side(place).mailbox.restart()
            }
        }

        mutating func step(_ number: Int) throws {
            let place = Int.random(in: 0...1, using: &random)
            switch Int.random(in: 0..<11, using: &random) {
            case 0, 1:
                let text = "\(place) \(number)"
                try side(place).send(text, to: side(1 - place))
                sent[place].append(text)
            case 2: try flush(place, acknowledges: true)
            case 3: try flush(place, acknowledges: false)
            case 4: try side(place).open()
            case 5: try receive(place, crashesBefore: true, crashesAfter: false)
            case 6: try receive(place, crashesBefore: false, crashesAfter: true)
            case 7: try goOn(place)
            case 8: try receiveTogether(place, dies: true)
            case 9: try receiveTogether(place, dies: false)
            default: try receive(place, crashesBefore: false, crashesAfter: false)
            }
        }

        mutating func settle() throws {
            for place in 0...1 { try side(place).open() }
            for _ in 0..<20 {
                for place in 0...1 {
                    try flush(place, acknowledges: true)
                    while !queues[place].isEmpty {
                        try receive(place, crashesBefore: false, crashesAfter: false)
                    }
                }
            }
            #expect(try home.alice.count("outbox") == 0 && home.bob.count("outbox") == 0)
        }
    }

    @Test(arguments: UInt64(0)..<12) func `each message is delivered once, in its order`(_ number: UInt64) throws {
        var run = Run(home: try Household(), random: SeededRandom(seed: number))
        for step in 0..<60 { try run.step(step) }
        try run.settle()
        #expect(run.delivered[1] == run.sent[0])
        #expect(run.delivered[0] == run.sent[1])
    }
}
