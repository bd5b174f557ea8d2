import Primitives
import Testing
import VectorKit

@testable import Telegram
@testable import TelegramSessions

/// Session texts; the digests are those of texts that Telethon and Pyrogram wrote.
@Suite struct SessionTextTests {
    private static let known: [(digest: String, account: @Sendable () throws -> TelegramAccount, isTelethon: Bool)] = [
        (
            "563e3d13a72734071c6053927d56456f38858091a78b43b7a5d90e0a8931ff1a",
            { try account(user: nil, isBot: nil, apiID: nil) }, true
        ),
        ("5a0d32719f5209460dd82b50014d7876", { try account() }, false),
        (
            "86abe8a4076cbf90e44b7591a081c7c9",
            { try account(user: 777_000 + 1 << 33, isBot: false, apiID: nil) }, false
        ),
    ]

    private static func text(_ account: TelegramAccount, _ isTelethon: Bool) throws -> String {
        let text = isTelethon ? try account.telethonText() : try account.pyrogramText()
        return String(decoding: text.copied, as: UTF8.self)
    }

    @Test func `texts are those that the libraries wrote, and are read again`() throws {
        for (digest, account, isTelethon) in Self.known {
            let account = try account()
            let text = try Self.text(account, isTelethon)
            #expect(SHA256.hash(Array(text.utf8).span).hex.hasPrefix(digest))
            for written in [text, "  \(text)\r\n", text.filter { $0 != "=" }, Self.standard(text)] {
                let read = try TelegramSession(text: written)
                #expect(read.account == account)
                #expect(read.form == (isTelethon ? .telethonText : .pyrogramText))
            }
        }
    }

    @Test func `the texts of other forms`() throws {
        // 32 bits for the user, and an IPv6 address.
        let old = [2, 0] + keyBytes() + [0, 0x0b, 0xdb, 0x28, 1]
        let long = [2, 0x20, 1, 6, 0x7c, 4, 0xe8, 0xf0, 2, 0, 0, 0, 0, 0, 0, 0, 10, 1, 0xbb] + keyBytes()
        let texts = [
            (text: Self.base64(old), digest: "df3766489316e4395a088e19ebc4a5e8", isTelethon: false),
            (text: "1" + Self.base64(long) + "=", digest: "ea51987e57220a6b4a33ce75e880e1e6", isTelethon: true),
        ]
        for (text, digest, isTelethon) in texts {
            #expect(SHA256.hash(Array(text.utf8).span).hex.hasPrefix(digest))
            let expected =
                isTelethon ? try account(user: nil, isBot: nil, apiID: nil) : try account(isBot: true, apiID: nil)
            #expect(try TelegramSession(text: text).account == expected)
        }
    }

    @Test func `accounts that have no session are refused`() throws {
        #expect(throws: TelegramSessionError.noUser) { try account(user: nil).pyrogramText() }
        #expect(throws: TelegramSessionError.noUser) { try account(user: .max).pyrogramFile() }
        for number: Int32 in [6, -2, 10_004, 256, .max, .min] {
            let account = try account(number)
            #expect(throws: TelegramSessionError.noAddress(dataCentre: number)) { try account.telethonFile() }
            #expect(throws: TelegramSessionError.noAddress(dataCentre: number)) { try account.pyrogramFile() }
            #expect(throws: TelegramSessionError.noAddress(dataCentre: number)) { try account.telethonText() }
            #expect(throws: TelegramSessionError.noAddress(dataCentre: number)) { try account.pyrogramText() }
        }
    }

    @Test func `texts that are damaged`() throws {
        let random = SeededRandom(seed: 40)
        for (_, account, isTelethon) in Self.known {
            let text = Array(try Self.text(try account(), isTelethon).utf8)
            for length in 0..<text.count - 1 {
                let cut = Array(text[..<length])
                // The lengths of other forms: no form has a checksum.
                if length == 351 || length == 356 { continue }
                #expect(throws: TelegramSessionError.self) { try TelegramSession(text: cut.span) }
            }
            for _ in 0..<2000 {
                let changed = random.changed(text)
                guard let read = try? TelegramSession(text: changed.span) else { continue }
                #expect(read.account.mainKey.held.key.bytes.count == 256)
            }
        }
        let text = try Self.text(try account(user: nil), true)
        let places = text.indices.filter { "-_".contains(text[$0]) }
        var mixed = text
        let place = try #require(places.first)
        mixed.replaceSubrange(place...place, with: text[place] == "-" ? "+" : "/")
        #expect(throws: TelegramSessionError.damaged) { try TelegramSession(text: mixed) }
        // Data centre 0, port 0, and a key of zeros.
        for (bytes, error): ([UInt8], TelegramSessionError) in [
            ([0, 1, 2, 3, 4, 1, 0xbb] + keyBytes(), .damaged), ([2, 1, 2, 3, 4, 0, 0] + keyBytes(), .damaged),
            ([2, 1, 2, 3, 4, 1, 0xbb] + [UInt8](repeating: 0, count: 256), .noKey),
        ] {
            #expect(throws: error) { try TelegramSession(text: "1" + Self.base64(bytes) + "=") }
        }
        #expect(throws: TelegramSessionError.damaged) {
            try TelegramSession(text: Self.base64([2, 2] + keyBytes() + [0, 0, 0, 1, 1]))
        }
    }

    /// URL-safe, without padding.
    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return String(
            stride(from: 0, to: bits.count, by: 6).map { start in
                let group = Array(bits[start..<min(start + 6, bits.count)])
                return alphabet[(0..<6).reduce(0) { $0 << 1 | Int($1 < group.count ? group[$1] : 0) }]
            })
    }

    private static func standard(_ text: String) -> String {
        text.replacing("-", with: "+").replacing("_", with: "/")
    }
}
