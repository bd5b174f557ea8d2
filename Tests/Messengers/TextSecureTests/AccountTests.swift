import Encodings
import Foundation
import Primitives
import Ratchet
import SecureMemory
import Testing
import VectorKit

@testable import TextSecure

@Suite struct AccountTests {
    private static func read(_ text: String) throws(TextSecureAccountError) -> TextSecureAccount {
        try read(Array(text.utf8))
    }

    private static func read(_ text: [UInt8]) throws(TextSecureAccountError) -> TextSecureAccount {
        try TextSecureAccount(decoding: text.span, at: now)
    }

    /// An account whose text is short.
    private static func text(prekeys: String = #"{"id":5,"private":"\#(key)"}"#, _ changes: [String: String] = [:])
        -> String
    {
        var text = #"{"identity":"\#(key)","lastResort":{"id":1048575,"private":"\#(key)"},"messenger":"textsecure","#
        text += #""nextPrekeyId":7,"number":"+12025550123","password":"a\"b\\c:","prekeys":[\#(prekeys)],"#
        text += #""registrationId":1234,"relay":null,"server":"https://example.com","signalingKey":"\#(signaling)","#
        text += #""version":1}"#
        for (old, new) in changes { text = text.replacing(old, with: new) }
        return text
    }

    /// A clamped key.
    private static let key = "CJZy6qoNVnoKENJDHeeMpuc6yc0Fb575f43treOqvnQ="
    private static let signaling = String(repeating: "AQID", count: 17) + "AQ=="

    @Test func `a registration without a server`() throws {
        let account = try TextSecureAccount.register(number(), server: nil, at: now)
        #expect(account.password.held.bytes.count == 32 && account.signalingKey.held.bytes.count == 52)
        let digits = account.password.held.bytes.copied
        #expect(digits.allSatisfy { Array("0123456789abcdef".utf8).contains($0) })
        #expect(
            account.signalingKey.encryptionKey.copied + account.signalingKey.macKey.copied
                == account.signalingKey.held.bytes.copied)
        #expect(account.signalingKey.macKey.count == 20)
        #expect((1...16380).contains(account.registrationID) && account.lastResort.id == 0xfffff)
        let ids = account.prekeys.publicPrekeys().map(\.id)
        #expect(ids.count == 100 && ids.allSatisfy { (1...0xffffe).contains($0) })
        #expect(account.prekey(ids[3]) != nil && account.prekey(0xfffff) === account.lastResort.key.held)
        #expect(account.prekey(0xffffff) == nil)
        let other = try TextSecureAccount.register(number(), server: nil, at: now)
        #expect(other.identity.publicKey != account.identity.publicKey)
        #expect(other.password.held.bytes.copied != digits)
    }

    @Test func `written and read`() throws {
        let account = try TextSecureAccount.register(
            number(), server: "https://example.com", relay: "other.example", at: now)
        let text = account.encoded()
        let next = try Self.read(text.copied)
        #expect(next.encoded().copied == text.copied)
        #expect(next.identity.publicKey == account.identity.publicKey && next.relay == "other.example")
        #expect(next.prekeys.publicPrekeys() == account.prekeys.publicPrekeys())
        #expect(next.prekeys.nextID == account.prekeys.nextID)
        // Sorted names, compact, and no other reader sees anything else.
        let object = try JSONSerialization.jsonObject(with: Data(text.copied))
        let sorted = try JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        #expect(Array(sorted) == text.copied)
        // Keys are clamped where they leave.
        let members = try #require(object as? [String: Any])
        for prekey in try #require(members["prekeys"] as? [[String: Any]]) {
            let text = try #require(prekey["private"] as? String)
            let key = Array(try #require(Data(base64Encoded: text)))
            #expect(key[0] & 7 == 0 && key[31] & 0xc0 == 0x40)
        }
    }

    @Test func `the longest texts, all of which is escaped`() throws {
        let quotes = String(repeating: #"\""#, count: 1024)
        let longest = Self.text([
            #""a\"b\\c:""#: #""\#(quotes.prefix(512))""#, "null": #""\#(quotes)""#, "https://example.com": quotes,
        ])
        let account = try Self.read(longest)
        #expect(account.encoded().copied == Array(longest.utf8))
        #expect(throws: TextSecureAccountError.wrongPassword) {
            _ = try Self.read(Self.text([#""a\"b\\c:""#: #""\#(quotes.prefix(514))""#]))
        }
        #expect(throws: TextSecureAccountError.wrongName) {
            _ = try Self.read(Self.text(["null": #""\#(quotes)x""#]))
        }
    }

    @Test func `a text is read to its letter`() throws {
        let account = try Self.read(Self.text())
        #expect(account.encoded().copied == Array(Self.text().utf8))
        #expect(account.password.held.bytes.copied == Array(#"a"b\c:"#.utf8))
        #expect(account.prekeys.nextID == 7 && account.registrationID == 1234 && account.number.text == "+12025550123")
        // Blanks, another order, Base64 without padding, the clients' last-resort id, and ids above.
        let loose = Self.text([
            #"{"identity""#: "\n{ \"identity\"", "1048575": "16777215", Self.key: String(Self.key.dropLast()),
            #""id":5"#: #""id":16777214"#,
        ])
        let read = try Self.read(loose)
        #expect(read.lastResort.id == 0xffffff && read.prekey(0xfffffe) != nil && read.prekey(0xfffff) == nil)
    }

    @Test(arguments: [
        (#""version":1"#, #""version":2"#, TextSecureAccountError.unknownVersion(2)),
        (#""version":1"#, #""version":"1""#, .unknownVersion(nil)),
        (#","version":1"#, "", .malformed),
        ("textsecure", "telegram", .otherMessenger),
        (#""relay":null,"#, "", .malformed),
        (#""relay":null"#, #""relay":"""#, .wrongName),
        (#""relay":null"#, #""relay":null,"extra":1"#, .unknownMember),
        (#""id":5,"#, #""id":5,"x":1,"#, .unknownMember),
        (#""id":5,"#, #""id":0,"#, .wrongPrekeys),
        (#""id":5,"#, #""id":1048575,"#, .lastResortInPool(0xfffff)),
        (#""id":5,"#, #""id":16777215,"#, .wrongPrekeys),
        (#""id":5,"#, #""id":5,"id":5,"#, .malformed),
        ("1048575", "1048574", .wrongLastResortID),
        ("1234", "0", .wrongRegistrationID),
        ("1234", "16381", .wrongRegistrationID),
        ("1234", "70000", .wrongRegistrationID),
        ("1234", "1e3", .malformed),
        (":7,", ":0,", .wrongPrekeys),
        (":7,", ":1048575,", .wrongPrekeys),
        ("+1202", "1202", .wrongNumber),
        ("+1202", "+0202", .wrongNumber),
        (#""a\"b\\c:""#, #""""#, .wrongPassword),
        (#""a\"b\\c:""#, #""a\n""#, .wrongPassword),
        (#""a\"b\\c:""#, "7", .malformed),
        (#""identity":"C"#, #""identity":"CC"#, .malformedIdentity),
        (#""signalingKey":"AQID"#, #""signalingKey":""#, .malformedSignalingKey),
        (#""id":5,"private":"C"#, #""id":5,"private":"-"#, .malformedPrekey(5)),
        ("https://example.com", "https://example.com/a b", .wrongName),
    ]) func `refused texts`(_ old: String, _ new: String, _ error: TextSecureAccountError) throws {
        #expect(Self.text().contains(old))
        #expect(throws: error) { _ = try Self.read(Self.text([old: new])) }
    }

    @Test func `two prekeys of one id, and too many`() throws {
        let one = #"{"id":5,"private":"\#(Self.key)"}"#
        #expect(throws: TextSecureAccountError.wrongPrekeys) { _ = try Self.read(Self.text(prekeys: "\(one),\(one)")) }
        let many = (1...1001).map { #"{"id":\#($0),"private":"\#(Self.key)"}"# }.joined(separator: ",")
        #expect(throws: TextSecureAccountError.wrongPrekeys) { _ = try Self.read(Self.text(prekeys: many)) }
        let most = (1...1000).map { #"{"id":\#($0),"private":"\#(Self.key)"}"# }.joined(separator: ",")
        #expect(try Self.read(Self.text(prekeys: most)).prekeys.count == 1000)
        let long = Self.text() + String(repeating: " ", count: TextSecureAccount.maxTextCount)
        #expect(throws: TextSecureAccountError.tooLong(limit: 262_144)) { _ = try Self.read(long) }
    }

    @Test func `10,000 mutations give no account that is written differently`() throws {
        let random = SeededRandom(seed: 1)
        let text = Array(Self.text().utf8)
        var read = 0
        for _ in 0..<10_000 {
            guard let account = try? Self.read(random.changed(text)) else { continue }
            let written = account.encoded().copied
            #expect(try Self.read(written).encoded().copied == written)
            read += 1
        }
        #expect(read > 50 && read < 5000, "\(read)")
    }

    @Test func `ids wrap, and skip what is stored`() throws {
        let last = LastResortPrekey.id - 1
        let start = last - 9
        let keys = [start + 3, 2].map { PrekeyPool.PrivatePrekey(id: $0, key: held([UInt8](repeating: 1, count: 32))) }
        var pool = try require(PrekeyPool(.textSecure, keys: keys, next: start, at: now))
        let made = pool.refill(at: now).map(\.id)
        #expect(made.count == 98 && made.prefix(9) == (start...last).filter { $0 != start + 3 }[...])
        #expect(made.dropFirst(9).first == 1 && made.dropFirst(10).first == 3 && !made.contains(2))
        #expect(pool.nextID == 91)
        // A used id rests, also in the pool that stands after it.
        let next = try require(pool.after(using: made[0], at: now))
        #expect(next.count == 99 && pool.count == 100)
        #expect(throws: Missing.self) { _ = try require(pool.after(using: 500_000, at: now)) }
    }

    @Test(arguments: [
        "12025550123", "+", "+120255", "+1234567890123456", "+1202555012a", "+١٢٣٤٥٦٧", "+02025550123", "",
    ])
    func `what is no number`(_ text: String) { #expect(AccountNumber(text) == nil) }
}
