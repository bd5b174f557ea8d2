import Encodings
import Primitives
import SophaxKit
import Testing
import VectorKit

@testable import SophaxChat

@Suite struct WireTests {
    static func typing(_ text: String = "{\"isTyping\":true}", version: WireMessage.Version = .two) throws
        -> WireMessage
    {
        let identity = try alice()
        return try WireMessage.sign(
            .typing, payload: Array(text.utf8), to: bob().peerID, by: identity, version: version, at: now)
    }

    @Test func `bytes and signature of version 2, as computed elsewhere`() throws {
        let identity = try alice()
        let bytes = WireMessage.signedBytes(
            "typing", Array("{\"isTyping\":true}".utf8), identity.peerID, to: nil, .two, now, AppTime(now))
        #expect(bytes.count == 87 && SHA256.hash(bytes.span).hex.hasPrefix("872da95a693a695a"))
        #expect(identity.sign(bytes).hex.hasPrefix("2728221603365a8a"))
    }

    @Test func `version 1 signs whole seconds, rounded to milliseconds and cut`() throws {
        let identity = try alice()
        for (seconds, text) in [
            (788_918_400.25, "2026-01-01T00:00:00Z"), (788_918_400.9, "2026-01-01T00:00:00Z"),
            (788_918_400.9999, "2026-01-01T00:00:01Z"), (-0.5, "2000-12-31T23:59:59Z"),
        ] {
            let time = try #require(AppTime(seconds: seconds))
            let bytes = WireMessage.signedBytes("hello", [1], identity.peerID, to: nil, .one, now, time)
            #expect(bytes == Array("hello\u{1}\(identity.peerID)\(text)".utf8))
        }
    }

    @Test(arguments: [WireMessage.Version.one, .two])
    func `messages are written and read`(_ version: WireMessage.Version) throws {
        let message = try Self.typing(version: version)
        let read = try WireMessage(parsing: message.encoded)
        #expect(read == message)
        let other = try bob().publicIdentity
        let own = try alice().publicIdentity
        #expect(read.isSigned(by: own) && !read.isSigned(by: other))
        #expect(read.recipient == (version == .two ? other.peerID : nil) && read.time == now)
    }

    @Test func `a payload keeps its bytes`() throws {
        let text = "{ \"b\" : 1.0, \"a\":\"\\/\" }"
        let read = try WireMessage(parsing: Self.typing(text).encoded)
        let sender = try alice().publicIdentity
        #expect(read.payload == Array(text.utf8) && read.isSigned(by: sender))
    }

    @Test func `10,000 mutations of a message`() throws {
        let random = SeededRandom(seed: 1)
        let sender = try alice().publicIdentity
        let message = try Self.typing()
        for _ in 0..<10_000 {
            if let read = try? WireMessage(parsing: random.changed(message.encoded)), read.isSigned(by: sender) {
                #expect(read.signedBytes == message.signedBytes)
            }
        }
    }
}
