@testable import Encodings
@testable import Primitives
@testable import SecureMemory
@testable import Threema
@testable import ThreemaCalls
@testable import ThreemaMessages
@testable import ThreemaWeb

/// Web client and app, and calls.
enum Pairing {
    private static let limits = MessagePackLimits(bytes: 4096, depth: 8, values: 256)

    static func messagePack(_ bytes: [UInt8]) throws {
        let value = try MessagePackValue(decoding: bytes.span, limits: limits)
        let encoded = value.encoded
        let again = try! MessagePackValue(decoding: encoded.span, limits: .task)
        expect(again.encoded == encoded, "the same value")
    }

    static func code(_ bytes: [UInt8]) throws {
        _ = try? PairingPayload(code: bytes.span)
        let payload = try PairingPayload(decoding: bytes.span)
        let encoded = payload.encoded.revealBytes()
        let again = try! PairingPayload(decoding: encoded.span)
        expect(again.encoded.revealBytes() == encoded && again.url == payload.url, "the same pairing")
    }

    static func trusted(_ bytes: [UInt8]) throws {
        // The public key belongs to the private one, which a fuzzer would not find.
        var record = bytes
        if record.count >= 64 {
            record.replaceSubrange(0..<32, with: X25519.publicKey(of: record.span.extracting(32..<64)))
        }
        let pairing = try TrustedPairing(decoding: record.span)
        let encoded = pairing.encoded.revealBytes()
        expect((try? TrustedPairing(decoding: encoded.span))?.encoded.revealBytes() == encoded, "the same pairing")
    }

    private static let initiator = PermanentKey(Chat.secret(14))
    private static let responder = PermanentKey(Chat.secret(15))
    private static let tasks = [OfferedTask(.relayedData)]
    private static var token: AuthToken { AuthToken(Chat.secret(16)) }

    /// Messages of a server and of strangers behind it, each behind two bytes with its length.
    static func signaling(_ bytes: [UInt8]) {
        let (first, rest) = split(bytes)
        var remaining = rest[...]
        var messages: [[UInt8]] = []
        while remaining.count >= 2, messages.count < 16 {
            let count = Int(remaining.removeFirst()) << 8 | Int(remaining.removeFirst())
            messages.append(Array(remaining.prefix(count)))
            remaining = remaining.dropFirst(count)
        }
        if first & 1 == 0 {
            var client = InitiatorClient(key: initiator, trust: .token(token), serverKey: nil, tasks: tasks)
            for message in messages { _ = client.receive(message.span) }
            expect(client.peer == nil, "nobody pairs without the token")
        } else {
            var client = ResponderClient(
                key: responder, initiatorKey: initiator.publicKey, token: token, serverKey: nil, tasks: tasks)
            for message in messages { _ = client.receive(message.span) }
            expect(client.peer == nil, "nobody pairs without the initiator's key")
        }
    }

    static func wakeUp(_ bytes: [UInt8]) throws {
        let wakeUp = try PushWakeUp(bytes.span)
        expect((try? PushWakeUp(wakeUp.encoded.span)) == wakeUp, "the same")
    }

    static func token(_ bytes: [UInt8]) throws {
        _ = try TokenMessage.open(bytes.span, token: token)
        fatalError("a token message that nobody sealed opens")
    }

    // MARK: Calls

    private static let call = EnclosedKey(Chat.secret(17))
    private static let ids = [try! ThreemaID("ECHOECHO"), try! ThreemaID("ABCD1234")]

    static func callMessage(_ bytes: [UInt8]) throws {
        _ = try? CallState.open(bytes.span, keys: CallKeys(call))
        _ = try? MediaKey(decoding: bytes.span)
        var handshake = PeerHandshake(
            .present, as: ids[0], nickname: "nickname", members: [ids[1]], keys: CallKeys(call))
        do { _ = try handshake.receive(bytes.span) } catch {}
        // The input in the box of a session.
        let key = Chat.secret(18)
        let challenge = [UInt8](repeating: 1, count: 16)
        var session = PeerSession(
            peer: ids[1], nickname: "", key: EnclosedKey(Chat.secret(18)), ownChallenge: challenge,
            peerChallenge: challenge)
        let box = Box.seal(bytes.span, nonce: CallBox.nonce(challenge, CallBox.firstNumber + 1), sharedKey: key)
        let content = try session.open(box.span)
        if case .other(let number, let content) = content {
            expect(number > 0 && content.count <= bytes.count, "a field of the message")
        }
    }

    static func mediaFrame(_ bytes: [UInt8]) throws {
        let (first, frame) = split(bytes)
        let codec: MediaFrame.Codec = first & 1 == 0 ? .opus : .vp8
        if let count = try? MediaFrame.clearHeaderCount(codec, frame.span) { expect(count <= frame.count, "inside") }
        let footer = try MediaFrame.footer(of: frame.span)
        _ = footer.counter
        var receiver = try MediaReceiver(CallKeys(call), [MediaKey(epoch: 0, ratchet: 0, key: call)])
        _ = try receiver.open(frame.span, codec)
        fatalError("a frame that nobody sealed opens")
    }

    static func description(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = try? CertificateFingerprint(of: text)
        let description = try SessionDescription(text)
        expect((try? SessionDescription(description.text))?.text == description.text, "the same description")
    }
}
