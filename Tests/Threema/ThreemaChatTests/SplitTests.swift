import Testing
import Threema
import ThreemaMessages
import VectorKit

@testable import ThreemaChat

/// A stream is the same wherever it is divided.
@Suite struct SplitTests {
    @Test func `a server reads a stream that is divided anywhere`() throws {
        let connected = try Connected()
        var stream = connected.toServer
        for each in PayloadTests.all where each.payload.isFromClient {
            stream += try connected.client.seal(each.payload)
        }
        let whole = run(connected.scene, [stream])
        #expect(whole.failure == nil)
        #expect(whole.events.count == 1 + PayloadTests.all.count { $0.payload.isFromClient })
        for split in 1..<stream.count {
            #expect(run(connected.scene, [Array(stream[..<split]), Array(stream[split...])]) == whole, "\(split)")
        }
        #expect(run(connected.scene, stream.map { [$0] }) == whole)
    }

    @Test func `a client reads a stream that is divided anywhere`() throws {
        let connected = try Connected(acknowledgement: LoginAcknowledgement(milliseconds: 1, queuedCount: 2))
        var stream = connected.toClient
        for each in PayloadTests.all where each.payload.isFromServer {
            stream += try connected.server.seal(each.payload)
        }
        let whole = runClient(connected.scene, [stream])
        #expect(whole.failure == nil)
        #expect(whole.events.count == 1 + PayloadTests.all.count { $0.payload.isFromServer })
        for split in 1..<stream.count {
            #expect(
                runClient(connected.scene, [Array(stream[..<split]), Array(stream[split...])]) == whole, "\(split)")
        }
        #expect(runClient(connected.scene, stream.map { [$0] }) == whole)
    }

    private func run(_ scene: Scene, _ pieces: [[UInt8]]) -> ChatProgress<ChatServerConnection.Event> {
        var server = scene.server()
        var sum = ChatProgress<ChatServerConnection.Event>()
        func add(_ progress: ChatProgress<ChatServerConnection.Event>) {
            sum.events += progress.events
            sum.toSend += progress.toSend
            sum.failure = progress.failure
        }
        for piece in pieces {
            let progress = server.receive(piece.span, publicKey: scene.publicKey)
            add(progress)
            if case .login = progress.events.last { add(server.accept(.silent)) }
        }
        return sum
    }

    private func runClient(_ scene: Scene, _ pieces: [[UInt8]]) -> ChatProgress<ChatClient.Event> {
        var client = scene.client()
        var sum = ChatProgress<ChatClient.Event>()
        for piece in pieces {
            let progress = client.receive(piece.span)
            sum.events += progress.events
            sum.toSend += progress.toSend
            sum.failure = progress.failure
        }
        return sum
    }
}
