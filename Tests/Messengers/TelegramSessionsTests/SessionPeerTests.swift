import Testing
import VectorKit

@testable import Telegram
@testable import TelegramSessions

/// What the libraries write is read here, and what is written here is read by them.
@Suite struct SessionPeerTests {
    @Test(arguments: SessionPeers.Library.allCases)
    func `files and texts of the libraries are read`(_ library: SessionPeers.Library) throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let written = try SessionPeers.write(sessionCount, by: library, in: scratch)
        #expect(written.count == sessionCount)
        for (number, facts) in written.enumerated() {
            let file = try scratch.session("\(number).session")
            #expect(try Self.facts(file) == Self.expected(facts))
            let text = try TelegramSession(text: try #require(facts.text))
            var expected = Self.expected(facts)
            if library == .telethon { expected.user = nil }
            #expect(try Self.facts(text) == expected)
            #expect(!file.form.isNewer)
        }
        let form = try scratch.session("0.session").form
        #expect(
            form
                == [
                    .telethon: .telethonFile(version: 8), .pyrogram: .pyrogramFile(version: 3),
                    .kurigram: .pyrogramFile(version: 7),
                ][library])
    }

    @Test(arguments: SessionPeers.Library.allCases)
    func `files and texts that are written here are opened by the libraries`(
        _ library: SessionPeers.Library
    ) throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let random = SeededRandom(seed: 39)
        let centres: [Int32] = [1, 2, 3, 4, 5, 10_001, 10_002, 10_003]
        let accounts = try (0..<sessionCount).map { (number: Int) throws -> TelegramAccount in
            let user: UInt64 = number % 3 == 0 ? 1 << 40 : 777_000
            let apiID: Int32? = number % 4 == 1 ? nil : Int32(number + 1)
            return try account(
                centres[number % 8], key: random.bytes(256), user: user, isBot: number % 2 == 0, apiID: apiID)
        }
        for (number, account) in accounts.enumerated() {
            let file = library == .telethon ? try account.telethonFile() : try account.pyrogramFile()
            let text = library == .telethon ? try account.telethonText() : try account.pyrogramText()
            try scratch.write("\(number).session", file.copied)
            try scratch.write("\(number).text", text.copied)
        }
        let read = try SessionPeers.read(sessionCount, by: library, in: scratch)
        #expect(read.count == accounts.count)
        for (facts, account) in zip(read, accounts) {
            #expect(facts.dc == Int(account.sessionNumber) && facts.key == account.mainKey.held.key.bytes.copied.hex)
            #expect(facts.user == account.user.map { Int($0) })
            guard library != .telethon else { continue }
            #expect(facts.bot == account.isBot && facts.api == account.apiID.map { Int($0) })
            #expect(facts.test == account.isForTests)
        }
        // As the libraries have upgraded them.
        for (number, account) in accounts.enumerated() {
            let again = try scratch.session("\(number).session").account
            #expect(again.keys == account.keys && again.user == account.user)
        }
    }

    private static func facts(_ session: TelegramSession) throws -> SessionPeers.Facts {
        let account = session.account
        return SessionPeers.Facts(
            dc: Int(account.sessionNumber), key: account.mainKey.held.key.bytes.copied.hex,
            user: account.user.map { Int($0) }, bot: account.isBot, api: account.apiID.map { Int($0) },
            test: account.isForTests)
    }

    private static func expected(_ facts: SessionPeers.Facts) -> SessionPeers.Facts {
        var facts = facts
        facts.text = nil
        return facts
    }
}
