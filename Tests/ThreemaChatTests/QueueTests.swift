import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaChat

@Suite struct QueueTests {
    @Test func `a message is kept until it is acknowledged`() {
        var queue = MessageQueue()
        #expect(queue.add(message(1), at: .zero, isConnected: false) == nil)
        #expect(queue.add(message(2), at: .zero, isConnected: true) == message(2))
        // The same message again: the sender missed the acknowledgement.
        #expect(queue.add(message(2), at: .zero, isConnected: true) == nil)
        #expect(queue.deliver(at: .seconds(9)) == [message(1), message(2)])
        #expect(queue.deliver(at: .seconds(1_000_000)) == [message(1), message(2)])
        #expect(queue.acknowledge(ChatAcknowledgement(Scene.alice, MessageID(1))) == true)
        #expect(queue.acknowledge(ChatAcknowledgement(Scene.alice, MessageID(1))) == false)
        #expect(queue.acknowledge(ChatAcknowledgement(Scene.bob, MessageID(2))) == false)
        #expect(queue.deliver(at: .zero) == [message(2)])
        #expect(MessageQueue.isAcknowledged(message(1)))
    }

    @Test func `a message without queue is for connected receivers only`() {
        var queue = MessageQueue()
        let sent = message(1, flags: .noServerQueue)
        #expect(queue.add(sent, at: .zero, isConnected: false) == nil)
        #expect(queue.add(sent, at: .zero, isConnected: true) == sent)
        #expect(queue.count == 0)
    }

    @Test func `a message without acknowledgement is delivered once`() {
        var queue = MessageQueue()
        let sent = message(1, flags: .noServerAcknowledgement)
        #expect(!MessageQueue.isAcknowledged(sent))
        #expect(queue.add(sent, at: .zero, isConnected: true) == sent)
        #expect(queue.count == 0)
        #expect(queue.add(sent, at: .zero, isConnected: false) == nil)
        #expect(queue.deliver(at: .zero) == [sent])
        #expect(queue.deliver(at: .zero) == [])
    }

    @Test func `a short-lived message is kept for 60 seconds`() {
        var queue = MessageQueue()
        let sent = message(1, flags: .shortLived)
        #expect(queue.add(sent, at: .seconds(5), isConnected: false) == nil)
        #expect(queue.deliver(at: .seconds(64)) == [sent])
        #expect(queue.deliver(at: .seconds(65)) == [])
        #expect(queue.count == 0)
    }

    @Test func `a message goes from one client to another, and both are acknowledged`() throws {
        var queue = MessageQueue()
        #expect(try atServer(.outgoingMessage(message(7).encoded)) == [.message(message(7))])
        #expect(queue.add(message(7), at: .zero, isConnected: false) == nil)
        let acknowledgement = ChatPayload.serverAcknowledgement(ChatAcknowledgement(Scene.bob, MessageID(7)))
        #expect(try atClient(acknowledgement) == [.received(acknowledgement)])
        // The receiver's connection has the same keys: they do not matter for frames.
        let delivered = queue.deliver(at: .zero).map { ChatPayload.incomingMessage($0.encoded) }
        #expect(delivered == [.incomingMessage(message(7).encoded)])
        #expect(try atClient(delivered[0]) == [.received(delivered[0])])
        let named = ChatAcknowledgement(Scene.alice, MessageID(7))
        #expect(try atServer(.clientAcknowledgement(named)) == [.received(.clientAcknowledgement(named))])
        #expect(queue.acknowledge(named) == true)
        #expect(queue.count == 0)
    }

    private func atServer(_ payload: ChatPayload) throws -> [ChatServerConnection.Event] {
        var connected = try Connected()
        let frame = try connected.client.seal(payload)
        return connected.serverReceives(frame).events
    }

    private func atClient(_ payload: ChatPayload) throws -> [ChatClient.Event] {
        var connected = try Connected()
        let frame = try connected.server.seal(payload)
        return connected.client.receive(frame.span).events
    }
}
