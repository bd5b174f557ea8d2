import Encodings
import Primitives
import Ratchet
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

@Suite struct SessionTests {
    /// An account with few prekeys, and a session of another one that begins with the first of them.
    struct Start: ~Copyable {
        let alice: TextSecureAccount
        let bob: TextSecureAccount
        var session: TextSecureSession
    }

    static func start(_ version: SessionVersion, prekeys: Int = 60, lastResort: Bool = false) throws -> Start {
        let alice = try account(identity: Random.bytes(32), registrationID: 16380, prekeys: [])
        let keys = (1...UInt32(prekeys)).map {
            PrekeyPool.PrivatePrekey(id: $0, key: held(Random.bytes(32)))
        }
        let bob = try account(identity: Random.bytes(32), registrationID: 7, prekeys: keys, next: UInt32(prekeys) + 1)
        let first = try #require(bob.prekeys.publicPrekeys().first)
        let key = lastResort ? bob.lastResort.key.publicKey : try #require(PublicKey33(point: first.publicKey))
        let session = try alice.initiate(
            with: PeerPrekey(
                id: lastResort ? LastResortPrekey.id : first.id, key: key, identity: bob.identity.publicKey),
            known: nil, version: version)
        return Start(alice: alice, bob: bob, session: session)
    }

    static func wrapped(_ message: OutgoingMessage) throws -> PreKeyWhisperMessage {
        guard case .preKeyWhisper(let message) = message else { throw Missing() }
        return try PreKeyWhisperMessage(parsing: message.bytes)
    }

    static func plain(_ message: OutgoingMessage) throws -> WhisperMessage {
        guard case .whisper(let message) = message else { throw Missing() }
        return try WhisperMessage(parsing: message.bytes)
    }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(arguments: SessionVersion.allCases)
    func `a first message, its answer, and what is wrapped until then`(_ version: SessionVersion) throws {
        var start = try Self.start(version)
        let (hello, again) = (Self.text("hello"), Self.text("again"))
        let first = try Self.wrapped(start.session.seal(hello.span))
        let second = try Self.wrapped(start.session.seal(again.span))
        #expect(start.session.isPending && first.baseKey == second.baseKey && first.prekeyIDs == second.prekeyIDs)
        #expect(first.registrationID == 16380 && first.identity == start.alice.identity.publicKey)
        #expect(first.bytes[0] == version.rawValue << 4 | 3 && first.message.bytes[0] == first.bytes[0])
        #expect(first.message.previousCounter == 0 && second.message.counter == 1)
        // The second one may come first.
        let begun = try start.bob.respond(to: second, known: nil, sessions: [], at: now)
        #expect(begun.plaintext.copied == again && begun.trust == .firstUse && !begun.needsUpload)
        #expect(begun.prekeys.count == 59 && begun.prekeys.key(1) == nil && start.bob.prekeys.key(1) != nil)
        #expect(begun.session.peer == start.alice.identity.publicKey && begun.session.peerRegistrationID == 16380)
        #expect(!begun.session.isPending && begun.session.storedCount == 1 && begun.session.version == version)
        let opened = try begun.session.open(first, at: now)
        #expect(opened.plaintext.copied == hello && opened.next.storedCount == 0)
        #expect(throws: SessionError.replayed) { _ = try opened.next.open(first, at: now) }
        var bob = opened.next.encoded().copied.session()
        let answer = try Self.plain(bob.seal(hello.span))
        let answered = try start.session.open(answer, at: now)
        var alice = answered.next.encoded().copied.session()
        #expect(!alice.isPending && answered.plaintext.copied == hello)
        let third = try Self.plain(alice.seal(again.span))
        #expect(third.previousCounter == 1, "the last counter of the chain of two messages")
        #expect(try bob.open(third, at: now).plaintext.copied == again)
        // The message that began a session is taken once.
        let next = try TextSecureAccount(
            number: number(), password: AccountPassword(), signalingKey: SignalingKey(), identity: start.bob.identity,
            registrationID: 7, lastResort: start.bob.lastResort, prekeys: begun.prekeys, server: nil, relay: nil)
        #expect(throws: SessionError.unknownPrekey(1)) {
            _ = try next.respond(to: first, known: nil, sessions: [], at: now)
        }
        #expect(throws: SessionError.sessionExists) {
            _ = try next.respond(to: first, known: nil, sessions: [first.baseKey], at: now)
        }
    }

    @Test func `identities that are known, and others`() throws {
        var start = try Self.start(.two)
        let body = Self.text("x")
        let message = try Self.wrapped(start.session.seal(body.span))
        let own = start.alice.identity.publicKey
        #expect(try start.bob.respond(to: message, known: own, sessions: [], at: now).trust == .known)
        let other = AgreementKey().publicKey
        #expect(throws: SessionError.identityChanged(own)) {
            _ = try start.bob.respond(to: message, known: other, sessions: [], at: now)
        }
        #expect(throws: SessionError.identityChanged(start.bob.identity.publicKey)) {
            _ = try start.alice.initiate(
                with: PeerPrekey(id: 1, key: other, identity: start.bob.identity.publicKey), known: other)
        }
    }

    @Test func `the last-resort prekey stays`() throws {
        var start = try Self.start(.two, prekeys: 3, lastResort: true)
        let body = Self.text("x")
        let message = try Self.wrapped(start.session.seal(body.span))
        let begun = try start.bob.respond(to: message, known: nil, sessions: [], at: now)
        #expect(message.prekeyIDs.prekey == 0xfffff && begun.prekeys.count == 3 && !begun.needsUpload)
    }

    @Test func `the pool is filled below half a batch`() throws {
        var start = try Self.start(.two, prekeys: 50)
        let body = Self.text("x")
        let message = try Self.wrapped(start.session.seal(body.span))
        let begun = try start.bob.respond(to: message, known: nil, sessions: [], at: now)
        #expect(begun.needsUpload && begun.prekeys.count == 100 && begun.prekeys.key(1) == nil)
        #expect(begun.prekeys.nextID == 102 && start.bob.prekeys.count == 50)
    }

    /// Two sessions that have talked.
    static func talk(_ version: SessionVersion) throws -> (alice: [UInt8], bob: [UInt8]) {
        var start = try Self.start(version)
        let body = Self.text("x")
        let message = try Self.wrapped(start.session.seal(body.span))
        let begun = try start.bob.respond(to: message, known: nil, sessions: [], at: now)
        var bob = begun.session
        let answer = try Self.plain(bob.seal(body.span))
        return (try start.session.open(answer, at: now).next.encoded().copied, bob.encoded().copied)
    }

    @Test(arguments: SessionVersion.allCases)
    func `each field that is changed changes nothing`(_ version: SessionVersion) throws {
        var start = try Self.start(version)
        let body = Self.text("body of a message")
        let message = try Self.wrapped(start.session.seal(body.span))
        for index in message.bytes.indices {
            for bit in [UInt8(1), 0x80] {
                var bytes = message.bytes
                bytes[index] ^= bit
                guard let changed = try? PreKeyWhisperMessage(parsing: bytes) else { continue }
                // Nothing proves the registration id, nor the byte before the message inside; the rest must be right.
                let isSame =
                    changed.baseKey == message.baseKey && changed.identity == message.identity
                    && changed.message == message.message && changed.prekeyIDs == message.prekeyIDs
                if isSame { continue }
                #expect(throws: SessionError.self) {
                    _ = try start.bob.respond(to: changed, known: nil, sessions: [], at: now)
                }
            }
        }
        #expect(try start.bob.respond(to: message, known: nil, sessions: [], at: now).plaintext.copied == body)

        let (alice, bob) = try Self.talk(version)
        var sender = alice.session()
        let receiver = bob.session()
        let whisper = try Self.plain(sender.seal(body.span))
        for index in whisper.bytes.indices {
            var bytes = whisper.bytes
            bytes[index] ^= 0x10
            guard let changed = try? WhisperMessage(parsing: bytes) else { continue }
            #expect(throws: SessionError.self) { _ = try receiver.open(changed, at: now) }
        }
        #expect(receiver.encoded().copied == bob)
        #expect(try receiver.open(whisper, at: now).plaintext.copied == body)
    }

    @Test(arguments: SessionVersion.allCases)
    func `counters to the last one`(_ version: SessionVersion) throws {
        let (alice, bob) = try Self.talk(version)
        var sender = alice.session()
        let receiver = bob.session()
        let body = Self.text("x")
        let whisper = try Self.plain(sender.seal(body.span))
        for (counter, error) in [
            (UInt32(2000), SessionError.notAuthentic), (2001, .tooFarAhead), (.max - 1, .tooFarAhead),
            (.max, .numberTooHigh), (0x8000_0000, .tooFarAhead),
        ] {
            for ratchetKey in [whisper.ratchetKey, AgreementKey().publicKey] {
                let message = try forged(whisper, counter: UInt64(counter), ratchetKey: ratchetKey.bytes)
                #expect(throws: error) { _ = try receiver.open(message, at: now) }
            }
        }
        // The first clients' previous counter, and one that is missing, change the MAC only.
        let early = try forged(whisper, counter: 0, previous: 0xffff_ffff)
        #expect(early.previousCounter == .max)
        #expect(throws: SessionError.notAuthentic) { _ = try receiver.open(early, at: now) }
        #expect(throws: SessionError.malformed) { try forged(whisper, counter: 1 << 32) }
        #expect(throws: SessionError.weakKey) {
            try forged(whisper, counter: 0, ratchetKey: [5] + [UInt8](repeating: 0, count: 32))
        }
        for key in [[UInt8](repeating: 5, count: 32), [4] + [UInt8](repeating: 9, count: 32)] {
            #expect(throws: SessionError.malformed) { try forged(whisper, counter: 0, ratchetKey: key) }
        }
        // 2000 messages may be missing.
        for _ in 0..<1999 { _ = try sender.seal(body.span) }
        let far = try Self.plain(sender.seal(body.span))
        let opened = try receiver.open(far, at: now)
        #expect(far.counter == 2000 && opened.skipped == 2000 && opened.next.storedCount == 2000)
        #expect(try opened.next.open(whisper, at: now).plaintext.copied == body)
    }

    private func forged(
        _ message: WhisperMessage, counter: UInt64, previous: UInt64 = 0, ratchetKey: [UInt8]? = nil
    ) throws(SessionError) -> WhisperMessage {
        var bytes = [message.bytes[0]]
        let key = ratchetKey ?? message.ratchetKey.bytes
        ProtobufWire.append(key.span, number: 1, to: &bytes)
        ProtobufWire.append(counter, number: 2, to: &bytes)
        ProtobufWire.append(previous, number: 3, to: &bytes)
        ProtobufWire.append(message.ciphertext.span, number: 4, to: &bytes)
        return try WhisperMessage(parsing: bytes + [UInt8](repeating: 0, count: 8))
    }

    @Test func `versions are not mixed`() throws {
        for (byte, isRead) in [
            (UInt8(0x22), true), (0x23, true), (0x33, true), (0x2f, true), (0x21, false), (0x32, false), (0x12, false),
            (0x44, false), (0x00, false),
        ] {
            if isRead {
                #expect(try VersionByte(byte).byte == byte)
            } else {
                #expect(throws: SessionError.unknownVersion) { _ = try VersionByte(byte) }
            }
        }
        let (two, three) = (try Self.talk(.two), try Self.talk(.three))
        var sender = two.alice.session()
        let body = Self.text("x")
        let message = try Self.plain(sender.seal(body.span))
        #expect(throws: SessionError.otherVersion) { _ = try three.bob.session().open(message, at: now) }
        var record = two.alice
        record[1] = 3
        #expect(throws: SessionError.malformed) { _ = try TextSecureSession(decoding: record.span) }
        record[0] = 2
        #expect(throws: SessionError.unknownVersion) { _ = try TextSecureSession(decoding: record.span) }
    }

    @Test func `records with a ratchet key that is none, and messages of another session`() throws {
        var start = try Self.start(.two)
        var record = start.session.encoded().copied
        // Behind the head of 118 bytes, 3 bytes and two keys of 32.
        let place = 118 + 67
        #expect(Array(record[place..<place + 32]) == start.session.ratchet.ratchetKey)
        record.replaceSubrange(place..<place + 32, with: [UInt8](repeating: 0, count: 32))
        #expect(throws: SessionError.malformed) { _ = try TextSecureSession(decoding: record.span) }

        let body = Self.text("x")
        let message = try Self.wrapped(start.session.seal(body.span))
        let begun = try start.bob.respond(to: message, known: nil, sessions: [], at: now)
        var second = try Self.start(.two)
        let other = try Self.wrapped(second.session.seal(body.span))
        #expect(throws: SessionError.otherSession) { _ = try begun.session.open(other, at: now) }
    }

    @Test func `long and empty bodies`() throws {
        for version in SessionVersion.allCases {
            let (alice, bob) = try Self.talk(version)
            var sender = alice.session()
            for count in [0, WhisperMessage.maxBodyCount] {
                let body = [UInt8](repeating: 7, count: count)
                let message = try Self.plain(sender.seal(body.span))
                #expect(try bob.session().open(message, at: now).plaintext.copied == body)
            }
            let record = sender.encoded().copied
            let body = [UInt8](repeating: 7, count: WhisperMessage.maxBodyCount + 1)
            #expect(throws: SessionError.tooLong(limit: 131_072)) { _ = try sender.seal(body.span) }
            #expect(sender.encoded().copied == record)
        }
    }

    @Test func `messages without fields, and with more`() throws {
        let (alice, _) = try Self.talk(.two)
        var sender = alice.session()
        let body = Self.text("x")
        let message = try Self.plain(sender.seal(body.span))
        let fields = message.bytes[1..<message.bytes.count - 8]
        let mac = message.bytes.suffix(8)
        // 1 ratchetKey (35 bytes), 2 counter (2), 3 previousCounter (2), 4 ciphertext (3).
        let starts = [0, 35, 37, 39, 42].map { $0 + fields.startIndex }
        for field in 0..<4 {
            let bytes = [0x23] + fields[..<starts[field]] + fields[starts[field + 1]...] + mac
            if field == 2 {
                #expect(try WhisperMessage(parsing: bytes).previousCounter == 0)
            } else {
                #expect(throws: SessionError.malformed) { _ = try WhisperMessage(parsing: bytes) }
            }
        }
        let more = [0x23] + fields + [0x78, 5, 0x7a, 1, 0, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1, 2, 3, 4] + mac
        #expect(try WhisperMessage(parsing: more).ciphertext == message.ciphertext)
        for other in [[0x0d, 1, 2, 3, 4], [0x12, 0], [0x20, 1]] as [[UInt8]] {
            #expect(throws: SessionError.malformed) { try WhisperMessage(parsing: [0x23] + fields + other + mac) }
        }
        #expect(throws: SessionError.malformed) { try WhisperMessage(parsing: []) }
        let long = [UInt8](repeating: 0x23, count: WhisperMessage.maxCount + 1)
        #expect(throws: SessionError.malformed) { try WhisperMessage(parsing: long) }
        #expect(throws: SessionError.malformed) { try PreKeyWhisperMessage(parsing: long) }
    }

    @Test(arguments: SessionVersion.allCases)
    func `10,000 mutations of each type of messages and records`(_ version: SessionVersion) throws {
        let random = SeededRandom(seed: 1)
        var start = try Self.start(version, prekeys: 60)
        let body = Self.text("body of a message")
        let message = try Self.wrapped(start.session.seal(body.span))
        let (alice, bob) = try Self.talk(version)
        var sender = alice.session()
        let receiver = bob.session()
        let whisper = try Self.plain(sender.seal(body.span))
        let pending = start.session.encoded().copied
        var (read, records) = (0, 0)
        for _ in 0..<10_000 {
            if let changed = try? PreKeyWhisperMessage(parsing: random.changed(message.bytes)),
                changed.message != message.message
            {
                read += 1
                #expect(throws: SessionError.self) {
                    _ = try start.bob.respond(to: changed, known: nil, sessions: [], at: now)
                }
            }
            if let changed = try? WhisperMessage(parsing: random.changed(whisper.bytes)), changed != whisper {
                read += 1
                #expect(throws: SessionError.self) { _ = try receiver.open(changed, at: now) }
            }
            for record in [pending, bob] {
                let bytes = random.changed(record)
                guard let session = try? TextSecureSession(decoding: bytes.span) else { continue }
                records += 1
                #expect(session.encoded().copied == bytes)
            }
        }
        #expect(read > 2000 && records > 2000, "\(read) \(records)")
    }
}

extension [UInt8] {
    /// A record that was made here.
    func session() -> TextSecureSession { try! TextSecureSession(decoding: span) }
}
