import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxChat
import SophaxKit
import Testing
import VectorKit

@testable import SophaxStorage

@Suite struct BackupTests {
    static let passphrase = Array("a long passphrase, sixteen+".utf8)

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "identity-export-sxid2"))
    func `identity backup`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let phrase = secure(try inputs.utf8("passphrase"))
        let json = secure(try inputs.utf8("payload_json"))
        let file = IdentityBackup.seal(
            json, phrase, iterations: UInt32(try inputs.integer("iterations")), salt: try inputs.bytes("salt"),
            nonce: try inputs.bytes("nonce"))
        #expect(file == (try vector.expected.bytes("file")))
        let opened = try IdentityBackup(opening: file, passphrase: phrase)
        let own = try alice()
        #expect(opened.identity.peerID == own.peerID && opened.username == "alice")
        #expect(opened.exported.seconds == 796_000_000.5)
        var other = file
        other[60] ^= 1
        #expect(throws: BackupError.wrongKeyOrDamaged) { _ = try IdentityBackup(opening: other, passphrase: phrase) }
        let wrong = secure(Array("another long passphrase".utf8))
        #expect(throws: BackupError.wrongKeyOrDamaged) { _ = try IdentityBackup(opening: file, passphrase: wrong) }
    }

    @Test func `what is written is read`() throws {
        let backup = IdentityBackup(identity: try alice(), username: "al\"ice\n", exported: AppTime(now))
        #expect(throws: BackupError.shortPassphrase) {
            _ = try backup.sealed(passphrase: secure(Array("ééééééééééééééé".utf8)))
        }
        let phrase = secure(Self.passphrase)
        let file = try backup.sealed(passphrase: phrase)
        let opened = try IdentityBackup(opening: file, passphrase: phrase)
        #expect(opened.identity.peerID == backup.identity.peerID && opened.username == "al\"ice\n")
    }

    @Test func `headers are checked before a key is derived`() throws {
        var file = Array("SXID".utf8) + [2, 0, 9, 0x27, 0xc0] + [UInt8](repeating: 0, count: 60)
        try IdentityBackup.check(file)
        for (count, bytes): (UInt32, [UInt8]) in [
            (599_999, [0, 9, 0x27, 0xbf]), (10_000_001, [0, 0x98, 0x96, 0x81]), (.max, [255, 255, 255, 255]),
        ] {
            file.replaceSubrange(5..<9, with: bytes)
            #expect(throws: BackupError.iterations(count)) { try IdentityBackup.check(file) }
        }
        file[4] = 3
        #expect(throws: BackupError.unknownVersion(3)) { try IdentityBackup.check(file) }
        #expect(throws: BackupError.unknownFormat) { try IdentityBackup.check(Array("SXBK".utf8)) }
        #expect(throws: BackupError.malformed) { try IdentityBackup.check(Array("SXID".utf8)) }
        #expect(throws: BackupError.malformed) { try IdentityBackup.check(Array("SXID\u{2}".utf8)) }
    }

    @Test func `message backup`() throws {
        let text = Array(
            "{\"version\":2,\"createdAt\":1.5,\"username\":\"a\",\"peers\":[1],\"messages\":{\"a\":[],\"b\":[]}}".utf8)
        let phrase = secure(Self.passphrase)
        let file = try MessageBackup.seal(secure(text), passphrase: phrase)
        #expect(file.count == 49 + text.count + 16 && file.starts(with: Array("SXBK\u{2}".utf8)))
        let opened = try MessageBackup.open(file, passphrase: phrase)
        let summary = try opened.withBytes { (bytes) throws(BackupError) in try MessageBackup(summarizing: bytes) }
        #expect(summary.peerCount == 1 && summary.messageCount == 2 && summary.username == "a")
        var other = file
        other[file.count - 1] ^= 1
        #expect(throws: BackupError.wrongKeyOrDamaged) { _ = try MessageBackup.open(other, passphrase: phrase) }
        #expect(throws: BackupError.malformed) { _ = try MessageBackup.open(Array(file[..<64]), passphrase: phrase) }
    }

    // MARK: Shares

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "shamir-split"))
    func `shares`(_ vector: Vector) throws {
        let secret = secure(try vector.inputs.bytes("secret"))
        let coefficients = secure(try vector.inputs.bytes("coefficients"))
        let shares = (1...UInt8(try vector.inputs.integer("total"))).map {
            "\($0):" + IdentityShare.values(secret, coefficients, at: $0).copied.hex
        }
        #expect(shares.joined(separator: ",") == (try vector.expected.string("shares")))
    }

    @Test func `any shares of the right number join`() throws {
        let identity = try alice()
        let shares = try IdentityShare.split(identity, threshold: 3, total: 5, at: AppTime(now))
        for (one, two, three) in [(0, 1, 2), (4, 2, 0), (1, 3, 4), (2, 3, 4)] {
            let joined = try IdentityShare.join([shares[one], shares[two], shares[three]])
            #expect(joined.peerID == identity.peerID && joined.joined().copied == identity.joined().copied)
        }
        #expect(throws: BackupError.malformed) { _ = try IdentityShare.join([shares[0], shares[1]]) }
        #expect(throws: BackupError.malformed) { _ = try IdentityShare.join([shares[0], shares[1], shares[1]]) }
        let others = try IdentityShare.split(identity, threshold: 3, total: 5, at: AppTime(now))
        #expect(throws: BackupError.malformed) { _ = try IdentityShare.join([shares[0], shares[1], others[2]]) }
        let wrong = try bob().peerID
        #expect(throws: BackupError.wrongIdentity) { _ = try IdentityShare.join(Array(shares[0..<3]), expected: wrong) }
        for (threshold, total): (UInt8, UInt8) in [(1, 3), (4, 3), (2, 1), (0, 0)] {
            #expect(throws: BackupError.malformed) {
                _ = try IdentityShare.split(identity, threshold: threshold, total: total, at: AppTime(now))
            }
        }
        #expect(try IdentityShare.split(identity, threshold: 255, total: 255, at: AppTime(now)).count == 255)
    }

    @Test func `a damaged share is found by the name`() throws {
        let shares = try IdentityShare.split(alice(), threshold: 2, total: 2, at: AppTime(now))
        var bytes = shares[1].data.bytes.copied
        bytes[40] ^= 1
        let damaged = IdentityShare(
            id: shares[1].id, index: 2, threshold: 2, total: 2, created: AppTime(now), peerID: nil, data: held(bytes))
        #expect(throws: BackupError.wrongIdentity) { _ = try IdentityShare.join([shares[0], damaged]) }
    }

    @Test func `multiplication, by its definition`() {
        for left in 0...255 {
            for right in 0...255 {
                var product = (0..<8).reduce(0) { right >> $1 & 1 == 1 ? $0 ^ left << $1 : $0 }
                for bit in stride(from: 15, through: 8, by: -1) where product >> bit & 1 == 1 {
                    product ^= 0x11b << (bit - 8)
                }
                if Int(GF256.multiply(UInt8(left), UInt8(right))) != product { Issue.record("\(left) × \(right)") }
            }
            if left > 0, GF256.multiply(UInt8(left), GF256.inverse(UInt8(left))) != 1 { Issue.record("1 / \(left)") }
        }
    }

    // MARK: Stored messages

    @Test(arguments: try Vector.all(in: .sophaxChat, op: "store-encrypt"))
    func `stored messages`(_ vector: Vector) throws {
        let key = secure(try vector.inputs.bytes("master_key"))
        let text = try vector.inputs.bytes("plaintext")
        let blob = StoredMessages.seal(text.span, key: key, nonce: try vector.inputs.bytes("nonce"))
        #expect(blob == (try vector.expected.bytes("blob")))
        #expect(try StoredMessages.open(blob, key: key).copied == text)
        #expect(throws: BackupError.wrongKeyOrDamaged) { _ = try StoredMessages.open(Array(blob.dropLast()), key: key) }
        // Computed elsewhere.
        let name = StoredMessages.fileName(try alice().peerID, key: key)
        #expect(name == "0d5973b8233f5c5b55cf933e91b9fed4")
        let id = try alice().peerID.description
        #expect(!name.contains(id) && !name.contains(id.prefix(16)))
    }

    @Test func `names of the key store`() {
        #expect(StoredMessages.isAccount(String(repeating: "a", count: 256)))
        #expect(!StoredMessages.isAccount(String(repeating: "a", count: 257)) && !StoredMessages.isAccount(""))
    }

    @Test func `10,000 mutations of each format`() throws {
        let random = SeededRandom(seed: 1)
        let share = try IdentityShare.split(alice(), threshold: 2, total: 2, at: AppTime(now))[0].encoded().copied
        let read = try IdentityShare(parsing: share.span)
        #expect(read.encoded().copied == share)
        let header = Array("SXID".utf8) + [2, 0, 9, 0x27, 0xc0] + [UInt8](repeating: 0, count: 60)
        let content = Array(
            "{\"dhKeyPrivate\":\"H3tytbcGvWX/Ba5oKz66QgwIWoM8JvC7EX5DfhF7Uqk=\",\"exportedAt\":796000000.5,\"signingKeyPrivate\":\"HxIfg1dl1OFPwk0yPnj1OmwiUyDRWsEC3sT2v8OtTCc=\",\"username\":\"alice\"}"
                .utf8)
        let state = Array(
            "{\"sendMessageCount\":1,\"receiveMessageCount\":2,\"previousSendingChainLength\":3,\"skippedKeyBundles\":{\"a\":{\"1\":\"A\"}}}"
                .utf8)
        let attempts = PINAttempts.none.next(at: now).encoded
        let allowance = PINAllowance.unused.used(at: now).used(at: now).encoded
        for _ in 0..<10_000 {
            let (shareBytes, contentBytes) = (random.changed(share), random.changed(content))
            let stateBytes = random.changed(state)
            if let read = try? IdentityShare(parsing: shareBytes.span) { #expect(read.threshold >= 2) }
            _ = try? IdentityBackup(parsing: contentBytes.span)
            _ = try? MessageBackup(summarizing: stateBytes.span)
            _ = try? IdentityBackup.check(random.changed(header))
            _ = PINAttempts(decoding: random.changed(attempts))
            let times = random.changed(allowance)
            if let read = PINAllowance(decoding: times) { #expect(read.encoded == times) }
        }
    }
}
