import Primitives
import Ratchet
import SecureMemory
import SophaxChat
import SophaxKit
import Testing
import VectorKit

@testable import SophaxStorage

/// Changed bytes are refused, or are what they say.
@Suite struct MutationTests {
    @Test func `10,000 mutations of an account`() throws {
        let random = SeededRandom(seed: 1)
        let small = Array(AccountTests.text.utf8)
        let account = try SophaxAccount(
            identity: alice(), username: "alice", verified: [bob().peerID: AccountTests.number],
            prekeys: PrekeyStore(at: now))
        let large = Array(AccountTests.text(account).utf8)
        var read = 0
        for round in 0..<10_000 {
            let changed = random.changed(round.isMultiple(of: 2) ? small : large)
            guard let other = try? SophaxAccount(decoding: changed.span) else { continue }
            read += 1
            // What is read is written and read again as the same.
            let text = other.encoded().copied
            let again = try SophaxAccount(decoding: text.span)
            #expect(again.peerID == other.peerID && again.username == other.username)
            #expect(again.verified == other.verified && again.encoded().copied == text)
            #expect(SophaxAccount.isUsername(other.username))
        }
        #expect(read > 100 && read < 9_900)
    }

    @Test func `10,000 mutations of the record of a lock`() throws {
        let random = SeededRandom(seed: 1)
        let old = try #require(
            PINHash(form: .version1, salt: [UInt8](repeating: 1, count: 16), hash: [UInt8](repeating: 2, count: 32)))
        let lock = try PINLock(pin: secure(Array("1234".utf8))).setting(duress: secure(Array("9876".utf8)))
        let records = [lock.encoded, PINLock(real: old, duress: lock.duress).encoded]
        var read = 0
        for round in 0..<10_000 {
            let changed = random.changed(records[round % 2])
            guard let other = PINLock(decoding: changed) else { continue }
            #expect(other.encoded == changed)
            read += 1
        }
        #expect(read > 100 && read < 9_900)
    }

    @Test func `10,000 mutations of a message backup`() throws {
        let random = SeededRandom(seed: 1)
        let text = Array(
            "{\"version\":2,\"createdAt\":1.5,\"username\":\"a\",\"peers\":[1],\"messages\":{\"a\":[],\"b\":[]}}".utf8)
        let phrase = secure(BackupTests.passphrase)
        let salt = [UInt8](repeating: 3, count: 32)
        let file = MessageBackup.seal(secure(text), phrase, salt: salt, nonce: [UInt8](repeating: 4, count: 12))
        // Once with the passphrase. The key of each mutation would take an hour.
        #expect(try MessageBackup.open(file, passphrase: phrase).copied == text)
        let key = phrase.withBytes { PBKDF2.deriveKey(password: $0, salt: salt, iterations: 720_000, count: 32) }
        #expect(try MessageBackup.open(file, key: key).copied == text)
        var (opened, summarized) = (0, 0)
        for _ in 0..<10_000 {
            let changed = random.changed(file)
            if let content = try? MessageBackup.open(changed, key: key) {
                // With this key only the salt may differ, which makes another one.
                #expect(content.copied == text && Array(changed[37...]) == Array(file[37...]) && changed != file)
                #expect(changed.count == file.count && changed.starts(with: Array("SXBK\u{2}".utf8)))
                opened += 1
            }
            let content = random.changed(text)
            if let summary = try? MessageBackup(summarizing: content.span) {
                #expect(summary.peerCount <= content.count && summary.messageCount <= content.count)
                summarized += 1
            }
        }
        #expect(opened > 0 && opened < 5_000 && summarized > 100 && summarized < 9_900)
    }
}
