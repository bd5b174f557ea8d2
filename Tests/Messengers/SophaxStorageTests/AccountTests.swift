import Encodings
import SecureMemory
import SophaxChat
import SophaxKit
import Testing

@testable import SophaxStorage

@Suite struct AccountTests {
    static let number = "12345 00000 99999 12345 00000 99999"
    static let text =
        #"{"dh":"H3tytbcGvWX/Ba5oKz66QgwIWoM8JvC7EX5DfhF7Uqk=","messenger":"sophaxchat","#
        + #""signing":"HxIfg1dl1OFPwk0yPnj1OmwiUyDRWsEC3sT2v8OtTCc=","username":"al\"ice","#
        + #""verified":{"0123456789abcdef":"12345 00000 99999 12345 00000 99999"},"version":1}"#

    static func decode(_ text: String) throws -> SophaxAccount {
        try Array(text.utf8).span.account()
    }

    static func text(_ account: borrowing SophaxAccount) -> String {
        let bytes = account.encoded()
        return String(decoding: bytes.revealBytes(), as: UTF8.self)
    }

    @Test func `the text of an identity`() throws {
        let peer = try #require(PeerID("0123456789abcdef"))
        let account = try SophaxAccount(identity: alice(), username: "al\"ice", verified: [peer: Self.number])
        #expect(Self.text(account) == Self.text)
        let read = try Self.decode(" " + Self.text + "\n")
        let own = try alice()
        #expect(read.peerID == own.peerID && read.username == "al\"ice" && read.verified == [peer: Self.number])
        #expect(Self.text(read) == Self.text)
    }

    @Test func `prekeys are in the text`() throws {
        let prekeys = PrekeyStore(at: now)
        let (id, count) = (prekeys.signedID, prekeys.oneTimeCount)
        let account = try SophaxAccount(identity: alice(), username: "alice", prekeys: prekeys)
        let text = Self.text(account)
        let read = try Self.decode(text)
        switch read.prekeys {
        case .some(let held): #expect(held.signedID == id && held.oneTimeCount == count)
        case .none: Issue.record("the prekeys are gone")
        }
        #expect(Self.text(read) == text)
        let bare = account.encodedWithoutPrekeys()
        #expect(!String(decoding: bare.revealBytes(), as: UTF8.self).contains("prekeys"))
    }

    @Test(
        arguments: [
            ("", .malformed), ("[]", .malformed), ("{}", .malformed),
            (text.replacing("sophaxchat", with: "telegram"), .unknownFormat),
            (text.replacing(":1}", with: ":2}"), .unknownVersion(2)),
            (text.replacing(":1}", with: ":-1}"), .unknownVersion(0)),
            (text.replacing(":1}", with: ":70000}"), .unknownVersion(255)),
            (text.replacing(":1}", with: #":1,"sessions":{}}"#), .malformed),
            (text.replacing("H3tytb", with: "H3ty*b"), .malformed), (text.replacing("Uqk=", with: "Uqkx"), .malformed),
            (text.replacing(#""dh""#, with: #""dg""#), .malformed),
            (text.replacing("0123456789abcdef", with: "0123456789ABCDEF"), .malformed),
            (text.replacing("99999", with: "9999x"), .malformed),
            (text.replacing("99999 ", with: "99999-"), .malformed),
            (text.replacing(#"al\"ice"#, with: ""), .malformed), (text.replacing(#"al\"ice"#, with: " x"), .malformed),
            (text.replacing(#"al\"ice"#, with: String(repeating: "x", count: 65)), .malformed),
            (text.replacing(#","version""#, with: #","prekeys":"AQ==","version""#), .malformed),
        ] as [(String, BackupError)])
    func `what is no identity's text`(_ text: String, _ error: BackupError) {
        #expect(throws: error) { _ = try Self.decode(text) }
    }

    @Test func `a long text is not parsed`() {
        let text = [UInt8](repeating: 0x20, count: SophaxAccount.maxTextCount + 1)
        #expect(throws: BackupError.malformed) { _ = try text.span.account() }
    }

    // MARK: The record of a lock

    @Test func `the record of a lock`() throws {
        let lock = try PINLock(pin: secure(Array("1234".utf8))).setting(duress: secure(Array("9876".utf8)))
        let record = lock.encoded
        #expect(record.count == 1 + 2 * 65)
        let read = try #require(PINLock(decoding: record))
        #expect(read.encoded == record && read.real.hash == lock.real.hash && read.duress.salt == lock.duress.salt)
        let old = PINHash(form: .version1, salt: [UInt8](repeating: 1, count: 16), hash: lock.real.hash)
        let mixed = PINLock(real: try #require(old), duress: lock.duress)
        #expect(mixed.encoded.count == 1 + 49 + 65 && PINLock(decoding: mixed.encoded)?.encoded == mixed.encoded)
        // Without a PIN for duress it is as long.
        #expect(lock.removingDuress().encoded.count == record.count)
        for wrong in [[], Array(record.dropLast()), record + [0], [2] + record.dropFirst(), Array(record.prefix(66))] {
            #expect(PINLock(decoding: wrong) == nil)
        }
        var other = record
        other[1] = 3
        #expect(PINLock(decoding: other) == nil)
    }
}

extension Span<UInt8> {
    fileprivate func account() throws -> SophaxAccount { try SophaxAccount(decoding: self) }
}
