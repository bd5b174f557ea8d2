@testable import Encodings
@testable import Primitives
@testable import Ratchet
@testable import SecureMemory
@testable import SophaxChat
@testable import SophaxGroups
@testable import SophaxMesh
@testable import SophaxStorage

/// SophaxChat: what neighbours send, records, backups.
enum Sophax {
    private static var identity: SophaxIdentity {
        SophaxIdentity(signing: Chat.secret(20), agreement: Chat.secret(21))!
    }
    private static var other: SophaxIdentity { SophaxIdentity(signing: Chat.secret(22), agreement: Chat.secret(23))! }

    /// Bytes of a connection, in two pieces.
    static func frames(_ bytes: [UInt8]) throws {
        var reader = FrameReader()
        let middle = bytes.count / 3
        var contents = try reader.read(bytes.span.extracting(0..<middle))
        contents += try reader.read(bytes.span.extracting(middle..<bytes.count))
        let written = contents.flatMap { FrameReader.frame($0)! }
        expect(bytes.starts(with: written), "frames are written as they were read")
        for content in contents { try? message(content) }
    }

    static func message(_ bytes: [UInt8]) throws {
        let message = try WireMessage(parsing: bytes)
        let again = try! WireMessage(parsing: message.encoded)
        expect(again == message, "the same message")
    }

    static func prekeys(_ bytes: [UInt8]) throws {
        if let bundle = try? PrekeyBundle(parsing: bytes) {
            expect((try? PrekeyBundle(parsing: bundle.encoded)) == bundle, "the same bundle")
        }
        if let initiation = try? Initiation(parsing: bytes) {
            expect((try? Initiation(parsing: initiation.encoded)) == initiation, "the same initiation")
        }
        if let identity = PublicIdentity(code: bytes) { _ = identity.peerID }
        let message = PairMessage(parsing: bytes)
        guard let message else { return }
        expect(PairMessage(parsing: message.encoded) == message, "the same message")
    }

    static func records(_ bytes: [UInt8]) throws {
        let (own, peer) = (identity.publicIdentity, other.publicIdentity)
        if let store = try? PrekeyStore(decoding: bytes.span) {
            let encoded = store.encoded().revealBytes()
            let again = try! PrekeyStore(decoding: encoded.span)
            expect(again.encoded().revealBytes() == encoded, "the same prekeys")
        }
        if let session = try? PairSession(decoding: bytes.span, of: own, with: peer) {
            expect(session.encoded().revealBytes() == bytes, "a record has one form")
        }
        if let record = try? PeerRecord(decoding: bytes.span, of: own) {
            expect(record.encoded().revealBytes() == bytes, "a record has one form")
            _ = try? record.facts()
        }
        _ = try? StoredSession.summarize(bytes.span)
        let key = Chat.secret(24)
        let sealed = try StoredSession.seal(bytes.span, key: key)
        let opened = try sealed.withBytes { try StoredSession.open($0, key: key) }
        expect(opened.revealBytes() == bytes, "the same session")
        _ = try StoredSession.open(bytes.span, key: key)
        fatalError("a session that nobody sealed opens")
    }

    static func groups(_ bytes: [UInt8]) throws {
        if let payload = GroupPayload(parsing: bytes) {
            expect(GroupPayload(parsing: payload.encoded)?.encoded == payload.encoded, "the same payload")
        }
        if case .version3(let chain) = try? SenderKeyDistribution(parsing: bytes.span) {
            let encoded = chain.encoded().revealBytes()
            guard case .version3(let again) = try! SenderKeyDistribution(parsing: encoded.span) else { fatalError() }
            expect(again.encoded().revealBytes() == encoded, "the same distribution")
        }
        let record = try GroupRecord(decoding: bytes.span, of: identity.publicIdentity.peerID)
        expect(record.encoded().revealBytes() == bytes, "a record has one form")
    }

    static func payloads(_ bytes: [UInt8]) throws {
        if let message = ChatMessage(parsing: bytes) {
            expect(ChatMessage(parsing: message.encoded)?.encoded == message.encoded, "the same message")
        }
        if let left = GroupMemberLeft(parsing: bytes) {
            expect(GroupMemberLeft(parsing: left.encoded)?.encoded == left.encoded, "the same")
        }
        if let invite = try? GroupInvite(parsing: bytes.span) {
            let encoded = invite.encoded().revealBytes()
            expect((try? GroupInvite(parsing: encoded.span))?.encoded().revealBytes() == encoded, "the same invitation")
        }
        if let relay = try? Relay(parsing: bytes) {
            expect((try? Relay(parsing: relay.encoded))?.encoded == relay.encoded, "the same relay")
        }
        let sealed = try SealedMessage(parsing: bytes)
        expect((try? SealedMessage(parsing: sealed.encoded)) == sealed, "the same sealed message")
        _ = try sealed.open(by: identity)
        fatalError("a message that nobody sealed opens")
    }

    /// The input inside of a sealed message.
    static func sealed(_ bytes: [UInt8]) throws {
        let message = try SealedMessage.seal(
            bytes, for: identity.publicIdentity.agreement, version: .two, ephemeral: Chat.secret(25),
            nonce: [UInt8](repeating: 1, count: ChaChaPoly.nonceCount))
        let inner = try message.open(by: identity)
        expect(inner.kind != .sealed, "not sealed twice")
    }

    static func backups(_ bytes: [UInt8]) throws {
        _ = try? IdentityBackup.check(bytes)
        _ = try? MessageBackup.check(bytes)
        if let summary = try? MessageBackup(summarizing: bytes.span) {
            expect(summary.messageCount <= bytes.count && summary.peerCount <= bytes.count, "each has its bytes")
        }
        if let share = try? IdentityShare(parsing: bytes.span) {
            let encoded = share.encoded().revealBytes()
            expect((try? IdentityShare(parsing: encoded.span))?.encoded().revealBytes() == encoded, "the same share")
        }
        _ = try? IdentityShare(opening: bytes, from: other.publicIdentity, by: identity)
        if let backup = try? IdentityBackup(parsing: bytes.span) { _ = backup.identity.publicIdentity }
        let key = Chat.secret(26)
        let sealed = StoredMessages.seal(bytes.span, key: key, nonce: [UInt8](repeating: 1, count: 12))
        expect(try StoredMessages.open(sealed, key: key).revealBytes() == bytes, "the same messages")
        let account = try SophaxAccount(decoding: bytes.span)
        let encoded = account.encoded().revealBytes()
        let again = try! SophaxAccount(decoding: encoded.span)
        expect(again.encoded().revealBytes() == encoded, "the same account")
    }

    static func pinRecords(_ bytes: [UInt8]) {
        let now = Timestamp(milliseconds: 1_800_000_000_000)
        if let record = PINLock(decoding: bytes) { expect(record.encoded == bytes, "a record has one form") }
        if let record = PINAttempts(decoding: bytes) {
            // Its time is rounded to milliseconds.
            expect(PINAttempts(decoding: record.encoded)?.count == record.count, "the same count")
            _ = record.corrected(at: now)
            _ = record.next(at: now)
        }
        if let record = PINAllowance(decoding: bytes) {
            expect(record.encoded == bytes, "a record has one form")
            _ = record.used(at: now)
        }
    }
}
