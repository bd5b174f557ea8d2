import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// An account and its text.
@Suite struct AccountTests {
    private static let first = (0..<256).map { UInt8(truncatingIfNeeded: 7 &* $0 &+ 3) }
    private static let second = (0..<256).map { UInt8(truncatingIfNeeded: 255 &- 5 &* $0) }

    private static func key(_ dataCentre: Int32, _ bytes: [UInt8], isLost: Bool = false) throws -> TelegramAccount.Key {
        .init(dataCentre: dataCentre, held: HeldAuthorizationKey(try authorizationKey(bytes)), isLost: isLost)
    }

    /// Two keys, of which the first one is lost.
    static func account(user: UInt64? = 1_099_511_627_776) throws -> TelegramAccount {
        try TelegramAccount(
            user: user, mainDataCentre: 2, keys: [try key(2, second), try key(-3, first, isLost: true)])
    }

    @Test(arguments: [1_099_511_627_776, 0, .max, nil] as [UInt64?])
    func `the text is that of another implementation`(_ user: UInt64?) throws {
        let number = user.map { user in (0..<8).map { UInt8(truncatingIfNeeded: user >> (56 - 8 * $0)) } } ?? []
        let written = try #require(
            try PythonPeer.carryOut([
                ("account", ["user": number, "lost": [1], "key0": Self.first, "key1": Self.second])
            ]).first)
        let account = try Self.account(user: user)
        #expect(
            String(decoding: account.encoded().copied, as: UTF8.self)
                == String(decoding: written["exact"]!, as: UTF8.self))
        for form in ["exact", "loose"] {
            let text = written[form]!
            let read = try TelegramAccount(decoding: text.span)
            #expect(read == account)
        }
    }

    @Test func `the keys stand in the order of their data centres`() throws {
        let account = try Self.account()
        #expect(account.keys.map(\.dataCentre) == [-3, 2] && account.mainKey.dataCentre == 2)
        #expect(account.keys.map(\.isLost) == [true, false])
    }

    @Test func `a key is marked as lost`() throws {
        let account = try Self.account()
        let marked = try #require(account.markingLost(account.mainKey.id))
        #expect(marked.keys.map(\.isLost) == [true, true] && marked.mainKey.held == account.mainKey.held)
        #expect(marked.user == account.user && marked.markingLost(account.mainKey.id) == marked)
        #expect(account.markingLost(KeyID(number: 1)) == nil)
    }

    @Test func `other keys for the same data centre are found`() throws {
        let account = try Self.account()
        let fewer = try TelegramAccount(user: nil, mainDataCentre: 2, keys: [try Self.key(2, Self.second)])
        let other = try TelegramAccount(user: nil, mainDataCentre: 2, keys: [try Self.key(2, Self.first)])
        #expect(account.differingDataCentres(from: fewer) == [] && account.differingDataCentres(from: other) == [2])
    }

    @Test func `keys that are no account`() throws {
        let key = try Self.key(2, Self.first)
        #expect(throws: TelegramAccountError.duplicateDataCentre(2)) {
            try TelegramAccount(user: nil, mainDataCentre: 2, keys: [key, key])
        }
        #expect(throws: TelegramAccountError.noMainKey(1)) {
            try TelegramAccount(user: nil, mainDataCentre: 1, keys: [key])
        }
        #expect(throws: TelegramAccountError.noMainKey(1)) {
            try TelegramAccount(user: nil, mainDataCentre: 1, keys: [])
        }
        let many = try (0...64).map { try Self.key($0, Self.first) }
        #expect(throws: TelegramAccountError.tooManyKeys(limit: 64)) {
            try TelegramAccount(user: nil, mainDataCentre: 1, keys: many)
        }
        let most = try TelegramAccount(user: .max, mainDataCentre: 1, keys: Array(many.dropLast()))
        let text = most.encoded().copied
        #expect(try TelegramAccount(decoding: text.span) == most)
    }

    /// What is replaced in a good text, by what, and the refusal.
    @Test(
        arguments: [
            ("{\"keys\"", "[\"keys\"", .malformed), (#","main_dc":2"#, "", .malformed),
            (#""main_dc":2"#, #""main_dc":2.0"#, .malformed), (#""main_dc":2"#, #""main_dc":"2""#, .malformed),
            (#""main_dc":2"#, #""main_dc":4294967298"#, .malformed), (#""main_dc":2"#, #""main_dc":3"#, .noMainKey(3)),
            (#""main_dc":2"#, #""main_dc":2,"main_dc":2"#, .malformed),
            (#""dc":-3"#, #""dc":2"#, .duplicateDataCentre(2)),
            (#""dc":-3,"#, "", .malformed), (#""dc":-3"#, #""dc":null"#, .malformed),
            (#""lost":true"#, #""lost":1"#, .malformed), (#","lost":true"#, "", .malformed),
            (#""lost":true"#, #""lost":true,"a":1"#, .unknownMember), (#""key":""#, #""kez":""#, .malformed),
            (#""messenger":"telegram""#, #""messenger":"threema""#, .otherMessenger),
            (#""messenger":"telegram","#, "", .malformed), (#""version":1"#, #""version":2"#, .unknownVersion(2)),
            (#""version":1"#, #""version":"1""#, .unknownVersion(nil)), (#","version":1"#, "", .malformed),
            (#""version":1"#, #""version":1,"a":[]"#, .unknownMember),
            (#"==","lost":true"#, #"=","lost":true"#, .malformedKey(dataCentre: -3)),
            (#"==","lost":true"#, #"AA","lost":true"#, .malformedKey(dataCentre: -3)),
            (#"==","lost":true"#, #"AAAA==","lost":true"#, .malformedKey(dataCentre: -3)),
            (#""user_id":"1099511627776""#, #""user_id":1099511627776"#, .malformed),
            (#""user_id":"1099511627776""#, #""user_id":"01""#, .malformed),
            (#""user_id":"1099511627776""#, #""user_id":"+1""#, .malformed),
            (#""user_id":"1099511627776""#, #""user_id":"18446744073709551616""#, .malformed),
            (#""user_id":"1099511627776""#, #""user_id":null"#, .malformed), ("}]", "}],", .malformed),
            ("{", #"{"api_id":0,"#, .malformed), ("{", #"{"api_id":-1,"#, .malformed),
            ("{", #"{"api_id":2147483648,"#, .malformed), ("{", #"{"bot":0,"#, .malformed),
            (#""version":1}"#, #""version":1} x"#, .malformed), (#""keys":["#, #""keys":[1,"#, .malformed),
        ] as [(String, String, TelegramAccountError)])
    func `a text that is no account`(_ old: String, _ new: String, _ refusal: TelegramAccountError) throws {
        let text = String(decoding: try Self.account().encoded().copied, as: UTF8.self)
        let range = try #require(text.firstRange(of: old))
        let changed = Array(text.replacingCharacters(range, with: new).utf8)
        #expect(throws: refusal) { try TelegramAccount(decoding: changed.span) }
    }

    @Test func `a text that is too long`() {
        let text = [UInt8](repeating: 0x20, count: TelegramAccount.maxTextCount + 1)
        #expect(throws: TelegramAccountError.tooLong(limit: 65_536)) { try TelegramAccount(decoding: text.span) }
        let blank = Array(text.dropLast())
        #expect(throws: TelegramAccountError.malformed) { try TelegramAccount(decoding: blank.span) }
    }

    @Test func `every truncation is refused`() throws {
        let text = try Self.account().encoded().copied
        for count in 0..<text.count {
            let part = Array(text.prefix(count))
            #expect(throws: TelegramAccountError.self) { try TelegramAccount(decoding: part.span) }
        }
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
