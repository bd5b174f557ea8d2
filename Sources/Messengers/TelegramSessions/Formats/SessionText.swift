internal import Encodings
package import SecureMemory
package import Telegram

// A session as a text: Base64 in its URL-safe alphabet, of big-endian fields. Telethon's has `1` in front and ends with
// `=`, Pyrogram's never has one. The number of characters before that tells the forms apart.
//
//   characters  bytes  library   fields
//    1 and 351    263  Telethon  data centre (1), IPv4 address (4), port (2), key (256)
//    1 and 367    275  Telethon  the same with an IPv6 address (16)
//          351    263  Pyrogram  data centre (1), test servers (1), key (256), user (4), bot (1)
//          356    267  Pyrogram  the same with a user of 8 bytes
//          362    271  Pyrogram  data centre (1), API ID (4), test servers (1), key (256), user (8), bot (1)
//
// None has a checksum: a wrong character in the key gives another key.

extension TelegramSession {
    /// Longest text that is read, in bytes, with blanks around it.
    package static let maxTextCount = 512

    /// Whether bytes have the form of a session text: its number of characters, and nothing but its alphabet.
    package static func isText(_ bytes: Span<UInt8>) -> Bool { SessionText.isOne(bytes) }

    /// Reads a session text, with blanks and line breaks around it or not.
    /// - Throws: `.damaged` if it is none, or for a wrong value; `.noKey` for a key of zeros.
    package init(text: Span<UInt8>) throws(TelegramSessionError) {
        guard let text = SessionText.read(text) else { throw .damaged }
        self = try text.bytes.withBytes { (bytes) throws(TelegramSessionError) in
            switch text.form {
            case .telethon: try Self.telethon(bytes)
            case .pyrogram: try Self.pyrogram(bytes)
            }
        }
    }

    private static func telethon(_ bytes: Span<UInt8>) throws(TelegramSessionError) -> TelegramSession {
        let addressCount = bytes.count - 3 - AuthorizationKey.count
        let address = bytes.extracting(1..<1 + addressCount).revealBytes()
        guard bytes[0] > 0, bytes.number(2, at: 1 + addressCount) > 0 else { throw .damaged }
        let isTest = DataCentres.isTest(DataCentres.text(address))
        return TelegramSession(
            form: .telethonText,
            account: try .session(
                keys: [(Int64(bytes[0]), try key(bytes.extracting((3 + addressCount)..<bytes.count)))], isTest: isTest))
    }

    private static func pyrogram(_ bytes: Span<UInt8>) throws(TelegramSessionError) -> TelegramSession {
        let hasAPI = bytes.count == 271
        let test = hasAPI ? 5 : 1
        let user = test + 1 + AuthorizationKey.count
        let userCount = bytes.count - 1 - user
        let number = bytes.number(userCount, at: user)
        // A text that was cut to the length of an older form mostly has another number there.
        guard bytes[0] > 0, bytes[test] <= 1, bytes[bytes.count - 1] <= 1, number < 1 << 52 else { throw .damaged }
        return TelegramSession(
            form: .pyrogramText,
            account: try .session(
                keys: [(Int64(bytes[0]), try key(bytes.extracting((test + 1)..<user)))], isTest: bytes[test] == 1,
                user: number, isBot: bytes[bytes.count - 1] == 1, apiID: hasAPI ? bytes.number(4, at: 1) : nil))
    }

    /// - Throws: `.noKey` for zeros; `.keyLength`.
    static func key(_ bytes: Span<UInt8>) throws(TelegramSessionError) -> HeldAuthorizationKey {
        guard !bytes.isEmpty else { throw .noKey }
        guard let key = try? AuthorizationKey(copying: bytes) else { throw .keyLength(bytes.count) }
        guard !ConstantTime.isZero(bytes) else { throw .noKey }
        return HeldAuthorizationKey(key)
    }
}

extension TelegramAccount {
    /// The session of the account's main key as a text of Telethon, for IPv4.
    /// - Returns: 353 characters, without a line break.
    /// - Throws: `.noAddress`.
    package func telethonText() throws(TelegramSessionError) -> SecureBytes {
        let server = try sessionServer
        let head = [sessionNumber] + server.address + bigEndian(UInt64(server.port), count: 2)
        return SessionText.encode(after: "1", [.plain(head), .key(mainKey.held)], isPadded: true)
    }

    /// The session of the account's main key as a text of Pyrogram. Without an API ID it has the older form, to which
    /// the library adds its own. An account is a user's if it is not known to be a bot's.
    /// - Returns: 362 or 356 characters, without a line break.
    /// - Throws: `.noUser`, `.noAddress`.
    package func pyrogramText() throws(TelegramSessionError) -> SecureBytes {
        let user = try pyrogramUser
        let api = apiID.map { bigEndian(UInt64($0), count: 4) } ?? []
        let tail = bigEndian(UInt64(user), count: 8) + [isBot == true ? 1 : 0]
        return SessionText.encode(
            after: "", [.plain([sessionNumber] + api + [isForTests ? 1 : 0]), .key(mainKey.held), .plain(tail)],
            isPadded: false)
    }
}

/// The bytes of a session text.
private struct SessionText: ~Copyable {
    enum Form { case telethon, pyrogram }

    let form: Form
    let bytes: SecureBytes

    static func isOne(_ text: Span<UInt8>) -> Bool { read(text) != nil }

    /// - Returns: nil if it has not the length of one, or another alphabet. Standard Base64 is read, too, but not a
    ///   mixture.
    static func read(_ text: Span<UInt8>) -> SessionText? {
        let trimmed = ASCII.trimmed(text)
        var (start, end) = (trimmed.lowerBound, trimmed.upperBound)
        // The last character is one of the key's.
        for _ in 0..<2 where end > start && ASCII.isSame(text[end - 1], "=") { end -= 1 }
        let form: Form
        switch end - start {
        case 352, 368:
            guard text[start] == UInt8(ascii: "1") else { return nil }
            (form, start) = (.telethon, start + 1)
        case 351, 356, 362: form = .pyrogram
        default: return nil
        }
        guard let bytes = decode(text.extracting(start..<end)) else { return nil }
        return SessionText(form: form, bytes: bytes)
    }

    // `-` and `_` stand for `+` and `/`. As in `Base64`, characters are computed and not compared one by one.
    private static func decode(_ text: Span<UInt8>) -> SecureBytes? {
        var standard = SecureBuffer(capacity: text.count + 2)
        var (urlSafe, other): (UInt32, UInt32) = (0, 0)
        for index in text.indices {
            let character = UInt32(text[index])
            let dash = ConstantTime.mask(character, equals: 45)
            let underscore = ConstantTime.mask(character, equals: 95)
            urlSafe |= dash | underscore
            other |= ConstantTime.mask(character, equals: 43) | ConstantTime.mask(character, equals: 47)
            standard.append(UInt8(truncatingIfNeeded: character ^ dash & (45 ^ 43) ^ underscore & (95 ^ 47)))
        }
        guard !ConstantTime.reveal(urlSafe & other) else { return nil }
        while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
        return standard.finish().withBytes { Base64.decode($0) }
    }

    static func encode(after prefix: String, _ pieces: [SecretPiece], isPadded: Bool) -> SecureBytes {
        var bytes = SecureBuffer(capacity: pieces.reduce(0) { $0 + $1.count })
        for piece in pieces { piece.append(to: &bytes) }
        var standard = SecureBuffer(capacity: Base64.encodedCount(bytes.count))
        bytes.finish().withBytes { Base64.encode($0, appendingTo: &standard) }
        let encoded = standard.finish()
        return encoded.withBytes { encoded in
            var text = SecureBuffer(capacity: prefix.utf8.count + encoded.count)
            text.append(prefix)
            for index in encoded.indices {
                let character = UInt32(encoded[index])
                let plus = ConstantTime.mask(character, equals: 43)
                let slash = ConstantTime.mask(character, equals: 47)
                text.append(UInt8(truncatingIfNeeded: character ^ plus & (45 ^ 43) ^ slash & (95 ^ 47)))
            }
            while !isPadded, text.count > 0, encoded[text.count - prefix.utf8.count - 1] == UInt8(ascii: "=") {
                text.removeLast()
            }
            return text.finish()
        }
    }
}
