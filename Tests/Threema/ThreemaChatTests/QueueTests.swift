import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaChat

@Suite struct QueueTests {
    @Test func `a message is kept until it is acknowledged`() {
        var queue = MessageQueue()
        #expect(queue.add(message(1), at: .zero, isConnected: false) == true)
        #expect(queue.add(message(2), at: .zero, isConnected: true) == true)
        // The same message again: the sender missed the acknowledgement.
        #expect(queue.add(message(2), at: .zero, isConnected: true) == false)
        #expect(queue.all(at: .seconds(9)) == [message(1), message(2)])
        #expect(queue.all(at: .seconds(1_000_000)) == [])
        queue.restart()
        #expect(queue.all(at: .seconds(1_000_000)) == [message(1), message(2)])
        #expect(queue.acknowledge(ChatAcknowledgement(Scene.alice, MessageID(1))) == true)
        #expect(queue.acknowledge(ChatAcknowledgement(Scene.alice, MessageID(1))) == false)
        #expect(queue.acknowledge(ChatAcknowledgement(Scene.bob, MessageID(2))) == false)
        queue.restart()
        #expect(queue.all(at: .zero) == [message(2)])
        // Its ID may come again after the acknowledgement.
        #expect(queue.add(message(1), at: .zero, isConnected: true) == true)
        #expect(queue.all(at: .zero) == [message(1)])
        #expect(MessageQueue.isAcknowledged(message(1)))
    }

    @Test func `a message without queue is for connected receivers only`() {
        var queue = MessageQueue()
        let sent = message(1, flags: .noServerQueue)
        #expect(queue.add(sent, at: .zero, isConnected: false) == false)
        #expect(queue.add(sent, at: .zero, isConnected: true) == true)
        #expect(queue.all(at: .zero) == [sent])
        #expect(queue.count == 0)
        // The connection ends before its turn comes.
        #expect(queue.add(sent, at: .zero, isConnected: true) == true)
        queue.restart()
        #expect(queue.all(at: .zero) == [])
        #expect(queue.count == 0)
    }

    @Test func `a message without acknowledgement is delivered once`() {
        var queue = MessageQueue()
        let sent = message(1, flags: .noServerAcknowledgement)
        #expect(!MessageQueue.isAcknowledged(sent))
        #expect(queue.add(sent, at: .zero, isConnected: true) == true)
        #expect(queue.all(at: .zero) == [sent])
        #expect(queue.count == 0)
        #expect(queue.add(sent, at: .zero, isConnected: false) == true)
        queue.restart()
        #expect(queue.all(at: .zero) == [sent])
        queue.restart()
        #expect(queue.all(at: .zero) == [])
    }

    @Test func `a short-lived message is kept for 60 seconds`() {
        var queue = MessageQueue()
        let sent = message(1, flags: .shortLived)
        #expect(queue.add(sent, at: .seconds(5), isConnected: false) == true)
        #expect(queue.all(at: .seconds(64)) == [sent])
        queue.restart()
        #expect(queue.all(at: .seconds(65)) == [])
        #expect(queue.count == 0)
    }

    /// Every sequence has the result of a plain list, however the entries are moved.
    @Test func `a queue does what a list does`() {
        let random = SeededRandom(seed: 5)
        for _ in 0..<30 {
            var queue = MessageQueue()
            var kept: [UInt64] = []
            var undelivered: [UInt64] = []
            for number in 0..<600 as Range<UInt64> {
                queue.add(message(number), at: .zero, isConnected: true)
                kept.append(number)
                undelivered.append(number)
                if random.number(below: 50) == 0 {
                    queue.restart()
                    undelivered = kept
                }
                for _ in 0..<random.number(below: 4) {
                    let wanted = undelivered.isEmpty ? nil : undelivered.removeFirst()
                    let delivered = queue.deliver(at: .zero)
                    #expect(delivered?.id.value == wanted)
                }
                for _ in 0..<random.number(below: 3) where !kept.isEmpty {
                    let index = random.number(below: 3) == 0 ? random.number(below: kept.count) : 0
                    let gone = kept.remove(at: index)
                    undelivered.removeAll { $0 == gone }
                    #expect(queue.acknowledge(ChatAcknowledgement(Scene.alice, MessageID(gone))) == true)
                }
                #expect(queue.count == kept.count)
            }
            #expect(queue.all(at: .zero).map(\.id.value) == undelivered)
        }
    }

    /// 32 times the messages take 32 times the thread's processor time. If it grew with the square of the length, it would
    /// be 1,024 times.
    @Test func `a long queue takes its time for each message only`() {
        func time(_ count: UInt64, tries: Int) -> UInt64 {
            (0..<tries).map { _ in
                let start = ThreadTime.used()
                var queue = MessageQueue()
                for number in 0..<count { queue.add(message(number), at: .zero, isConnected: false) }
                #expect(queue.all(at: .zero).count == Int(count))
                for number in 0..<count { queue.acknowledge(ChatAcknowledgement(Scene.alice, MessageID(number))) }
                #expect(queue.count == 0)
                return ThreadTime.used() - start
            }.min()!
        }
        let short = time(1_000, tries: 20)
        #expect(time(32_000, tries: 3) < short * 180)
    }

    @Test func `a message goes from one client to another, and both are acknowledged`() throws {
        var queue = MessageQueue()
        #expect(try atServer(.outgoingMessage(message(7).encoded)) == [.message(message(7))])
        #expect(queue.add(message(7), at: .zero, isConnected: false) == true)
        let acknowledgement = ChatPayload.serverAcknowledgement(ChatAcknowledgement(Scene.bob, MessageID(7)))
        #expect(try atClient(acknowledgement) == [.received(acknowledgement)])
        // The receiver's connection has the same keys: they do not matter for frames.
        let delivered = queue.all(at: .zero).map { ChatPayload.incomingMessage($0.encoded) }
        #expect(delivered == [.incomingMessage(message(7).encoded)])
        #expect(try atClient(delivered[0]) == [.received(delivered[0])])
        let named = ChatAcknowledgement(Scene.alice, MessageID(7))
        #expect(try atServer(.clientAcknowledgement(named)) == [.received(.clientAcknowledgement(named))])
        #expect(queue.acknowledge(named) == true)
        #expect(queue.count == 0)
    }

    private func atServer(_ payload: ChatPayload) throws -> [ChatServerConnection.Event] {
        let connected = try Connected()
        let frame = try connected.client.seal(payload)
        return connected.serverReceives(frame).events
    }

    private func atClient(_ payload: ChatPayload) throws -> [ChatClient.Event] {
        let connected = try Connected()
        let frame = try connected.server.seal(payload)
        return connected.client.receive(frame.span).events
    }
}

extension MessageQueue {
    /// All that the present connection has not got.
    mutating func all(at now: Duration) -> [MessagePayload] {
        var messages: [MessagePayload] = []
        while let message = deliver(at: now) { messages.append(message) }
        return messages
    }
}
