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

    static func gate() throws -> WireGate { WireGate(own: try bob().publicIdentity) }

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

    @Test func `a message for somebody else, or for nobody, is refused`() throws {
        let identity = try alice()
        var gate = WireGate(own: identity.publicIdentity)
        #expect(throws: WireError.wrongRecipient) {
            try gate.admit(Self.typing(), known: identity.publicIdentity, at: now)
        }
        #expect(throws: WireError.wrongRecipient) {
            _ = try WireMessage.sign(.typing, payload: [], to: nil, by: alice(), at: now)
        }
        let hello = try WireMessage.sign(.hello, payload: [], to: nil, by: identity, at: now)
        #expect(hello.recipient == nil)
    }

    @Test func `the order of the checks`() throws {
        let sender = try alice().publicIdentity
        var gate = try Self.gate()
        let message = try Self.typing()
        #expect(try gate.admit(message, known: sender, at: now) == sender)
        #expect(throws: WireError.replayed) { try gate.admit(message, known: sender, at: now) }
        #expect(throws: WireError.lowerVersion) {
            try gate.admit(Self.typing(version: .one), known: sender, at: now)
        }
        #expect(throws: WireError.unknownSender) { try gate.admit(message, known: nil, at: now) }
        let other = try bob().publicIdentity
        #expect(throws: WireError.wrongSender) { try gate.admit(message, known: other, at: now) }
        let text = String(decoding: message.encoded, as: UTF8.self)
        let later = text.replacing("\"timeMs\":1767225600250", with: "\"timeMs\":1767225600251")
        #expect(later != text)
        #expect(throws: WireError.badSignature) {
            try gate.admit(WireMessage(parsing: Array(later.utf8)), known: sender, at: now)
        }
    }

    @Test func `a peer of version 1 may go up, and not down again`() throws {
        let sender = try alice().publicIdentity
        var gate = try Self.gate()
        _ = try gate.admit(Self.typing(version: .one), known: sender, at: now)
        #expect(gate.version(of: sender) == .one)
        _ = try gate.admit(Self.typing(), known: sender, at: now)
        #expect(gate.version(of: sender) == .two)
        var restarted = try Self.gate()
        restarted.pin(.two, of: sender)
        restarted.pin(.one, of: sender)
        #expect(throws: WireError.lowerVersion) {
            try restarted.admit(Self.typing(version: .one), known: sender, at: now)
        }
    }

    @Test func `the eleventh typing is dropped before its signature is verified`() throws {
        let sender = try alice().publicIdentity
        var gate = try Self.gate()
        for index in 0..<10 { _ = try gate.admit(Self.typing("\(index)"), known: sender, at: now) }
        var text = String(decoding: try Self.typing("10").encoded, as: UTF8.self)
        text = text.replacing("1767225600250", with: "1767225600251")
        let eleventh = try WireMessage(parsing: Array(text.utf8))
        #expect(throws: WireError.rateLimited) { try gate.admit(eleventh, known: sender, at: now) }
        #expect(throws: WireError.badSignature) { try gate.admit(eleventh, known: sender, at: now + .seconds(1)) }
        #expect(throws: WireError.rateLimited) {
            try gate.admit(eleventh, known: sender, at: now + .milliseconds(1999))
        }
        _ = try gate.admit(Self.typing("11"), known: sender, at: now + .seconds(2))
    }

    @Test func `a stranger introduces itself with its own bundle`() throws {
        let identity = try alice()
        let bundle = try BundleTests.bundle()
        let payload = Array("{\"bundle\":".utf8) + bundle.encoded + Array("}".utf8)
        var gate = try Self.gate()
        let hello = try WireMessage.sign(.hello, payload: payload, to: nil, by: identity, at: now)
        #expect(try gate.admit(hello, known: nil, at: now) == identity.publicIdentity)
        let other = try bob()
        let false_ = try WireMessage.sign(.hello, payload: payload, to: nil, by: other, at: now)
        #expect(throws: WireError.wrongSender) { try gate.admit(false_, known: nil, at: now) }
        let empty = try WireMessage.sign(.hello, payload: Array("{}".utf8), to: nil, by: other, at: now)
        #expect(throws: WireError.malformed) { try gate.admit(empty, known: nil, at: now) }
    }

    @Test func `strangers keep no contact out`() throws {
        let identity = try alice()
        var gate = try Self.gate()
        for number in 0..<WireGate.maxPeers {
            var key = [UInt8](repeating: 0, count: 28)
            key.appendNumber(UInt32(number))
            gate.pin(.one, of: try #require(PublicIdentity(signing: key, agreement: key)))
        }
        let payload = Array("{\"bundle\":".utf8) + (try BundleTests.bundle().encoded) + Array("}".utf8)
        let hello = try WireMessage.sign(.hello, payload: payload, to: nil, by: identity, at: now)
        #expect(throws: WireError.rateLimited) { try gate.admit(hello, known: nil, at: now) }
        #expect(try gate.admit(hello, known: identity.publicIdentity, at: now) == identity.publicIdentity)
    }

    // MARK: Frames

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "tcp-frame-limit"))
    func `frame limits`(_ vector: Vector) throws {
        let prefix = try vector.inputs.bytes("prefix")
        var reader = FrameReader()
        if try vector.expected.string("result").hasPrefix("wait") {
            #expect(try reader.read(prefix.span) == [])
        } else {
            #expect(throws: FrameReader.Failure.tooLong(prefix.reduce(0) { $0 << 8 | UInt32($1) })) {
                try reader.read(prefix.span)
            }
        }
        #expect(reader.reserved == 0)
    }

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "tcp-frame"))
    func `frames`(_ vector: Vector) throws {
        let content = [UInt8](repeating: 0, count: try vector.inputs.integer("payload_length"))
        let frame = try #require(FrameReader.frame(content))
        #expect(Array(frame.prefix(4)) == (try vector.expected.bytes("prefix")))
        #expect(SHA256.hash(frame.span) == (try vector.expected.bytes("frame_sha256")))
    }

    @Test func `a frame of 4 MiB, and one byte more`() throws {
        let content = [UInt8](repeating: 1, count: FrameReader.maxCount)
        let frame = try #require(FrameReader.frame(content))
        var reader = FrameReader()
        let (first, rest) = (Array(frame[..<100_000]), Array(frame[100_000...]))
        #expect(try reader.read(first.span) == [] && reader.reserved < 1 << 20)
        let frames = try reader.read(rest.span)
        #expect(frames == [content] && reader.buffered == 0)
        #expect(FrameReader.frame(content + [1]) == nil)
        let over: [UInt8] = [0x00, 0x40, 0x00, 0x01, 1, 2, 3]
        #expect(throws: FrameReader.Failure.tooLong(4_194_305)) { try reader.read(over.span) }
        #expect(throws: FrameReader.Failure.tooLong(4_194_305)) { try reader.read(Span()) }
        #expect(reader.reserved == 0)
    }

    @Test func `frames in any pieces`() throws {
        let contents: [[UInt8]] = [[], [1], [2, 3, 4], [UInt8](repeating: 5, count: 300)]
        let stream = contents.flatMap { FrameReader.frame($0)! }
        for size in [1, 2, 3, 5, 7, 400] {
            var (reader, read) = (FrameReader(), [[UInt8]]())
            for start in stride(from: 0, to: stream.count, by: size) {
                let piece = Array(stream[start..<min(stream.count, start + size)])
                read += try reader.read(piece.span)
            }
            #expect(read == contents)
        }
    }

    // MARK: Relays

    static func relay(_ id: String, ttl: UInt8 = 6, to target: PublicIdentity) throws -> Relay {
        try #require(
            Relay(id: id, target: target.peerID, origin: try alice().peerID, ttl: ttl, message: try typing()))
    }

    @Test func `relays lose a hop, once`() throws {
        let (own, far) = (try bob().publicIdentity, try alice().publicIdentity)
        var rules = RelayRules()
        let relay = try Self.relay("a", to: far)
        guard case .forward(let next) = rules.decide(relay, from: far.peerID, own: own, at: now) else {
            Issue.record("not forwarded")
            return
        }
        #expect(next.ttl == 5 && next.hopCount == 1 && next.message == relay.message)
        #expect(rules.decide(relay, from: far.peerID, own: own, at: now) == .drop(.duplicate))
        #expect(
            rules.decide(try Self.relay("b", ttl: 1, to: far), from: far.peerID, own: own, at: now) == .drop(.lastHop))
        #expect(rules.decide(try Self.relay("c", ttl: 1, to: own), from: far.peerID, own: own, at: now) == .deliver)
    }

    @Test func `hop counts at their limits`() throws {
        let (own, far) = (try bob().publicIdentity, try alice().publicIdentity)
        let text = String(decoding: try Self.relay("a", to: far).encoded, as: UTF8.self)
        func relay(_ ttl: String, _ hops: String) throws -> Relay {
            let changed = text.replacing("\"ttl\":6", with: "\"ttl\":\(ttl)")
                .replacing("\"hopCount\":0", with: "\"hopCount\":\(hops)")
            return try Relay(parsing: Array(changed.utf8))
        }
        for ttl in ["0", "7", "255"] {
            var rules = RelayRules()
            #expect(rules.decide(try relay(ttl, "0"), from: far.peerID, own: own, at: now) == .drop(.hops))
        }
        for ttl in ["-1", "256", "1.0", "1e0", "\"6\""] {
            #expect(throws: WireError.malformed) { try relay(ttl, "0") }
        }
        var rules = RelayRules()
        guard case .forward(let next) = rules.decide(try relay("6", "255"), from: far.peerID, own: own, at: now) else {
            Issue.record("not forwarded")
            return
        }
        #expect(next.hopCount == 255)
    }

    @Test func `20 forwards in 10 seconds for each sender`() throws {
        let (own, far) = (try bob().publicIdentity, try alice().publicIdentity)
        var rules = RelayRules()
        for index in 0..<20 {
            guard case .forward = rules.decide(try Self.relay("\(index)", to: far), from: far.peerID, own: own, at: now)
            else {
                Issue.record("\(index) was not forwarded")
                return
            }
        }
        let next = try Self.relay("20", to: far)
        #expect(rules.decide(next, from: far.peerID, own: own, at: now) == .drop(.rateLimited))
        guard case .forward = rules.decide(next, from: own.peerID, own: own, at: now) else {
            Issue.record("another sender's was not forwarded")
            return
        }
    }

    @Test func `a relay in a relay is refused`() throws {
        let far = try alice().publicIdentity
        let inner = try Self.relay("a", to: far).encoded
        let wire = try WireMessage.sign(.relay, payload: inner, to: nil, by: alice(), at: now)
        #expect(Relay(id: "b", target: far.peerID, origin: far.peerID, message: wire) == nil)
    }

    @Test func `10,000 mutations of messages and relays`() throws {
        let random = SeededRandom(seed: 1)
        let sender = try alice().publicIdentity
        let message = try Self.typing()
        let relay = try Self.relay("a", to: sender).encoded
        for _ in 0..<10_000 {
            if let read = try? WireMessage(parsing: random.changed(message.encoded)), read.isSigned(by: sender) {
                #expect(read.signedBytes == message.signedBytes)
            }
            if let read = try? Relay(parsing: random.changed(relay)) { #expect(!read.encoded.isEmpty) }
        }
    }

    @Test func `10,000 mutations of a stream of frames`() throws {
        let random = SeededRandom(seed: 1)
        let stream = [[], [1], [2, 3, 4]].flatMap { FrameReader.frame($0)! }
        for _ in 0..<10_000 {
            var reader = FrameReader()
            let bytes = random.changed(stream)
            let frames = (try? reader.read(bytes.span)) ?? []
            #expect(frames.allSatisfy { $0.count <= bytes.count } && reader.buffered <= bytes.count)
        }
    }
}
