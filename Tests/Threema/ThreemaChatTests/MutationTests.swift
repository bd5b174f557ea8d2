import SecureMemory
import Testing
import Threema
import VectorKit

@testable import ThreemaChat

/// A thousand changes of each message of the handshake by the network: the connection ends, with the result that names
/// the first part that was not as it was sent.
@Suite struct MutationTests {
    private let scene = Scene()

    /// A message of the same length with up to four other bytes.
    private func changed(_ bytes: [UInt8], _ random: SeededRandom) -> [UInt8] {
        var changed = bytes
        while changed == bytes {
            for _ in 0...random.number(below: 3) {
                changed[random.number(below: bytes.count)] ^= UInt8(1 + random.number(below: 255))
            }
        }
        return changed
    }

    private struct Server: ~Copyable {
        var half: ChatServerConnection
        let scene: Scene
        mutating func receive(_ bytes: [UInt8]) -> ChatProgress<ChatServerConnection.Event> {
            half.receive(bytes.span, publicKey: scene.publicKey)
        }
    }

    private func server() -> Server { Server(half: scene.server(), scene: scene) }

    @Test func `a client's hello`() {
        let random = SeededRandom(seed: 1)
        for _ in 0..<1000 {
            var client = scene.client()
            var server = server()
            let hello = client.hello
            let changed = changed(hello, random)
            let answer = server.receive(changed)
            #expect(answer.failure == nil && answer.events.isEmpty)
            let login = client.receive(answer.toSend.span)
            // The highest bit of a public key does not count in a multiplication.
            var sameKey = hello[..<32]
            sameKey[31] ^= 0x80
            if changed[..<32] == sameKey, changed[32...] == hello[32...] {
                #expect(server.receive(login.toSend).failure == .wrongVouch)
            } else {
                let sameBox = changed[..<32] == hello[..<32] || changed[..<32] == sameKey
                #expect(login.failure == (sameBox ? .clientCookieNotRepeated : .serverHelloNotAuthentic))
                #expect(login.events.isEmpty && login.toSend.isEmpty)
            }
        }
    }

    @Test func `the highest bit of a temporary key`() {
        var client = scene.client()
        var server = server()
        var hello = client.hello
        hello[31] ^= 0x80
        let login = client.receive(server.receive(hello).toSend.span)
        #expect(server.receive(login.toSend).failure == .wrongVouch)
    }

    @Test func `a server's hello`() {
        let random = SeededRandom(seed: 2)
        var server = server()
        let hello = server.receive(scene.client().hello).toSend
        for _ in 0..<1000 {
            var client = scene.client()
            let refused = client.receive(changed(hello, random).span)
            #expect(refused == ChatProgress(events: [], toSend: [], failure: .serverHelloNotAuthentic))
        }
    }

    @Test func `a login`() {
        let random = SeededRandom(seed: 3)
        for _ in 0..<1000 {
            var client = scene.client()
            var server = server()
            let login = client.receive(server.receive(client.hello).toSend.span).toSend
            let changed = changed(login, random)
            let refused = server.receive(changed)
            let isData = changed[..<144] != login[..<144]
            #expect(
                refused
                    == ChatProgress(
                        events: [], toSend: [], failure: isData ? .loginNotAuthentic : .extensionsNotAuthentic))
        }
    }

    @Test func `an acknowledgement of the login`() {
        let random = SeededRandom(seed: 4)
        for _ in 0..<1000 {
            var client = scene.client()
            var server = server()
            let login = client.receive(server.receive(client.hello).toSend.span).toSend
            #expect(server.receive(login).failure == nil)
            let refused = client.receive(changed(server.half.accept(.silent).toSend, random).span)
            #expect(refused == ChatProgress(events: [], toSend: [], failure: .loginAcknowledgementNotAuthentic))
        }
    }

    @Test func `a frame`() throws {
        let random = SeededRandom(seed: 5)
        for _ in 0..<1000 {
            let connected = try Connected()
            let frame = try connected.client.seal(.alertEcho)
            let changed = changed(frame, random)
            // More bytes, so that a longer frame is complete.
            let progress = connected.serverReceives(changed + [UInt8](repeating: 0, count: 8192))
            #expect(progress.events.isEmpty)
            let length = Int(changed[0]) | Int(changed[1]) << 8
            switch length {
            case ..<20: #expect(progress.failure == .frameTooShort(minimum: 20, actual: length))
            case 8193...: #expect(progress.failure == .frameTooLong(limit: 8192, actual: length))
            default: #expect(progress.failure == .frameNotAuthentic)
            }
        }
    }

    @Test(arguments: [true, false])
    func `bytes that are lost or added move the rest`(_ isLost: Bool) {
        let random = SeededRandom(seed: 6)
        for _ in 0..<1000 {
            // Both messages of a client, made with the right hello of the server.
            var client = scene.client()
            var server = server()
            let hello = client.hello
            let login = client.receive(server.receive(hello).toSend.span).toSend
            var stream = hello + login
            let place = random.number(below: hello.count + 144)
            let before = stream
            if isLost {
                stream.remove(at: place)
            } else {
                stream.insert(UInt8(random.number(below: 256)), at: place)
            }
            server = self.server()
            let refused = server.receive(stream)
            // What replaces a byte may have its value.
            guard stream.prefix(192) != before.prefix(192) else { continue }
            // A byte that replaces the highest one of a key may have all but its highest bit.
            let differ = zip(stream, before).prefix(192).enumerated().filter { $0.element.0 != $0.element.1 }
            if differ.map(\.offset) == [31] { continue }
            #expect(refused.failure == .loginNotAuthentic && refused.events.isEmpty)
        }
    }
}

extension ChatPayload {
    fileprivate static let alertEcho = ChatPayload.echoRequest(Array(0..<40))
}
