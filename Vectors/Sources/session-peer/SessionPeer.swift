import Encodings
import Foundation
import SecureMemory
import TextSecure

/// A side of TextSecure sessions, by what is public of the room. Scripts/test-libsignal lets it talk with one on another
/// library. It reads a command from each line and answers with a line. Bytes are hexadecimal; keys have 33 bytes.
///
///     new                              IDENTITY ID PREKEY     another account; the session is forgotten
///     begin VERSION ID PREKEY IDENTITY ok
///     seal TEXT                        wrapped MESSAGE | plain MESSAGE
///     open wrapped|plain MESSAGE       text TEXT | refused ERROR
///     store                            ok                     account and session are written and read
@main
struct SessionPeer {
    static func main() {
        guard var side = try? Side() else { exit(2) }
        while let line = readLine() {
            do {
                guard let answer = try side.answer(line.split(separator: " ").map(String.init)) else { exit(2) }
                print(answer)
            } catch let error as SessionError {
                print("refused \(error)".prefix { $0 != "(" })
            } catch {
                exit(2)
            }
            fflush(nil)
        }
    }
}

/// An account, and its session with the one contact.
struct Side: ~Copyable {
    private static let now = Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000))

    private var account: TextSecureAccount
    private var session: TextSecureSession?

    init() throws { account = try Self.register() }

    private static func register() throws -> TextSecureAccount {
        try TextSecureAccount.register(AccountNumber("+12025550123")!, server: nil, at: now)
    }

    /// Nil if the words are not a command.
    mutating func answer(_ words: [String]) throws -> String? {
        switch (words.first, words.count) {
        case ("new", 1):
            account = try Self.register()
            session = nil
            return keys()
        case ("begin", 5): return try begin(words)
        case ("seal", 2):
            guard let body = bytes(words[1]), let sent = try session?.seal(body.span) else { return nil }
            if case .preKeyWhisper = sent { return "wrapped " + hex(sent.bytes) }
            return "plain " + hex(sent.bytes)
        case ("open", 3):
            guard let message = bytes(words[2]) else { return nil }
            return try words[1] == "wrapped" ? openWrapped(message) : open(message)
        case ("store", 1):
            try store()
            return "ok"
        default: return nil
        }
    }

    private func keys() -> String? {
        guard let prekey = account.prekeys.publicPrekeys().randomElement() else { return nil }
        return "\(hex(account.identity.publicKey.bytes)) \(prekey.id) \(hex([PublicKey33.type] + prekey.publicKey))"
    }

    private mutating func begin(_ words: [String]) throws -> String? {
        guard let version = UInt8(words[1]).flatMap(SessionVersion.init(rawValue:)), let id = UInt32(words[2]),
            let key = bytes(words[3]).flatMap({ PublicKey33($0) }),
            let identity = bytes(words[4]).flatMap({ PublicKey33($0) })
        else { return nil }
        session = try account.initiate(
            with: PeerPrekey(id: id, key: key, identity: identity), known: nil, version: version)
        return "ok"
    }

    private mutating func openWrapped(_ bytes: [UInt8]) throws -> String? {
        let message = try PreKeyWhisperMessage(parsing: bytes)
        if let opened = try session?.open(message, at: Self.now) { return take(opened) }
        let begun = try account.respond(to: message, known: nil, sessions: [], at: Self.now)
        let text = "text " + hex(begun.plaintext)
        account.prekeys = begun.prekeys
        session = consume begun.session
        return text
    }

    private mutating func open(_ bytes: [UInt8]) throws -> String? {
        let message = try WhisperMessage(parsing: bytes)
        guard let opened = try session?.open(message, at: Self.now) else { return nil }
        return take(opened)
    }

    private mutating func take(_ opened: consuming TextSecureSession.Opened) -> String {
        let text = "text " + hex(opened.plaintext)
        session = consume opened.next
        return text
    }

    private mutating func store() throws {
        account = try account.encoded().withBytes { try TextSecureAccount(decoding: $0, at: Self.now) }
        guard let record = session?.encoded() else { return }
        session = try record.withBytes { try TextSecureSession(decoding: $0) }
    }
}

private func bytes(_ text: String) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

private func hex(_ secret: borrowing SecureBytes) -> String {
    secret.withBytes { bytes in hex(bytes.indices.map { bytes[$0] }) }
}
