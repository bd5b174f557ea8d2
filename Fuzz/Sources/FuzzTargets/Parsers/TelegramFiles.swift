@testable import Primitives
@testable import SecureMemory
@testable import Telegram
@testable import TelegramSessions

/// Telegram's packets, and files with its keys.
enum TelegramFiles {
    private static let keyBytes = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    private static var key: AuthorizationKey { try! AuthorizationKey(copying: keyBytes.span) }
    private static let passcode = SecureBytes(copying: Span<UInt8>())

    static func account(_ bytes: [UInt8]) throws {
        let account = try TelegramAccount(decoding: bytes.span)
        let encoded = account.encoded().revealBytes()
        let again = try! TelegramAccount(decoding: encoded.span)
        expect(again.encoded().revealBytes() == encoded, "the same account")
    }

    static func keyFile(_ bytes: [UInt8]) throws {
        _ = try? LegacyKeyFile.candidates(of: bytes.span)
        _ = try? AuthorizationKey(number: bytes.span)
        let opened = try LegacyKeyFile.open(bytes.span)
        expect(!opened.form.isProtected, "a file without a password")
    }

    /// The sum of a hashed file is right, and forms under a password are tried with one, except the costly one.
    static func hashedKeyFile(_ bytes: [UInt8]) throws {
        let key = padded(bytes, AuthorizationKey.count)
        let opened = try LegacyKeyFile.open((Legacy.SHA1.hash(key.span) + key).span)
        expect(opened.form == .hashed, "the form")
        guard let forms = try? LegacyKeyFile.candidates(of: bytes.span), !forms.contains(.scrypt) else { return }
        _ = try LegacyKeyFile.open(bytes.span, password: SecureBytes(copying: Array("password".utf8).span))
    }

    /// The checksum of a tdata file is made right, and the block in it is sealed with a key that is known.
    static func desktop(_ bytes: [UInt8]) throws {
        _ = try? DesktopFile(bytes.span)
        let file = try desktopFile(bytes)
        let keyFile = try DesktopKeyFile(file)
        // Without a passcode, one round of the derivation is enough.
        let local = try keyFile.open(passcode: passcode)
        _ = try keyFile.accounts(local)
    }

    private static func desktopFile(_ data: [UInt8]) throws -> DesktopFile {
        let version: UInt32 = 5_000_000
        var message = data
        message.append(number: UInt32(data.count))
        message.append(number: version)
        message += Array("TDF$".utf8)
        var file = Array("TDF$".utf8)
        file.append(number: version)
        return try DesktopFile((file + data + Legacy.MD5.hash(message.span)).span)
    }

    private static func bigEndian(_ count: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
    }

    private static var local: DesktopLocalKey { DesktopLocalKey(SecureBytes(copying: keyBytes.span)) }

    /// A sealed block: SHA-1's first 16 bytes, then length, content and padding under them.
    private static func sealed(_ content: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        plain.append(number: UInt32(4 + content.count))
        plain += content
        while !plain.count.isMultiple(of: 16) { plain.append(0) }
        let hash = Array(Legacy.SHA1.hash(plain.span).prefix(16))
        let keys = LegacyMTProto1.blockKeys(keyBytes.span, messageKey: hash, offset: 8)
        return hash + keys.encrypt(plain.span)
    }

    static func desktopAccount(_ bytes: [UInt8]) throws {
        _ = try? DesktopAccount(payload: bytes.span)
        _ = try? local.open(bytes.span)
        let block = sealed(bytes)
        let account = try DesktopAccount(desktopFile(bigEndian(block.count) + block), local)
        expect(
            account.keys.count + account.keysToDestroy.count <= 2 * DesktopAccount.maxKeys, "not more keys than allowed"
        )
    }

    static func packet(_ bytes: [UInt8]) throws {
        _ = try? LegacyMTProto1.Packet.keyID(of: bytes.span)
        if let plain = try? PlainPacket(decoding: bytes.span) {
            expect((try? plain.encoded()) == bytes, "a packet has one form")
        }
        if let message = try? ServiceMessage(decoding: bytes) {
            expect((try? ServiceMessage(decoding: message.encoded)) == message, "the same message")
        }
        if let window = try? ReplayWindow(decoding: bytes.span) {
            expect(window.encoded == bytes, "a record has one form")
        }
        if let session = try? LegacyMTProto1.Session(decoding: bytes.span) {
            expect(session.encoded == bytes, "a record has one form")
        }
        _ = try LegacyMTProto1.Packet.open(bytes.span, key: key, .fromServer)
        fatalError("a packet that nobody sealed opens")
    }

    /// A server's packets: each has a byte with its length before it; what stands in them is the input's.
    static func sealedPackets(_ bytes: [UInt8]) throws {
        let now = MessageTime(seconds: 1_400_000_000)
        var session = LegacyMTProto1.Session(.client, key: key, id: 7, salt: 9)
        var rest = bytes[...]
        var number: UInt64 = 1_400_000_000 << 32
        while let count = rest.first {
            let data = Array(rest.dropFirst().prefix(Int(count) & ~3))
            rest = rest.dropFirst(1 + Int(count))
            number += 4
            let message = LegacyMTProto1.Message(
                id: MessageID(number | 1), sequence: UInt32(count) & 3, data: data)
            let content = LegacyMTProto1.Content(salt: 9, session: 7, message: message)
            let packet = try LegacyMTProto1.Packet.seal(content, key: key, .fromServer) {
                [UInt8](repeating: 0, count: $0)
            }
            _ = try? session.receive(packet.span, key: key, now: now)
            if (try? session.receive(packet.span, key: key, now: now)) != nil {
                fatalError("a packet is received twice")
            }
        }
    }

    static func keyExchange(_ bytes: [UInt8]) throws {
        let keys = LegacyMTProto1.blockKeys(keyBytes.span, messageKey: [UInt8](repeating: 1, count: 16), offset: 0)
        _ = try KeyExchangeAnswer.open(bytes.span, keys: keys)
    }

    static func sessionText(_ bytes: [UInt8]) throws {
        let session = try TelegramSession(text: bytes.span)
        guard let text = try? session.account.telethonText() else { return }
        _ = try text.withBytes { try TelegramSession(text: $0) }
    }

    /// A database with its log and journal: two bytes have the lengths of these, in 64 bytes.
    static func sessionFile(_ bytes: [UInt8]) throws {
        let (first, rest) = split(bytes)
        let (second, files) = split(rest)
        let log = min(Int(first) * 64, files.count)
        let journal = min(Int(second) * 64, files.count - log)
        let database = files.count - log - journal
        let session = try TelegramSession(
            database: SecureBytes(copying: files.span.extracting(0..<database)),
            log: SecureBytes(copying: files.span.extracting(database..<database + log)),
            journal: SecureBytes(copying: files.span.extracting(database + log..<files.count)))
        _ = try? session.account.pyrogramFile()
    }
}
