import Foundation
import SecureMemory
import Telegram

/// Shows the keys in the Desktop app's directory, or in a file under a password; then two sides that share the first
/// one exchange a text, and the server changes its salt.
///
///     echo 'PASSCODE' | read-telegram PATH
@main
struct ReadTelegram {
    static func main() throws {
        let path = URL(filePath: CommandLine.arguments[1])
        let passcode = SecureBytes(copying: Array((readLine() ?? "").utf8).span)
        let held = try path.hasDirectoryPath ? keys(in: path, passcode) : key(in: path, passcode)
        guard let held else { return }
        let now = MessageTime(seconds: UInt32(Date.now.timeIntervalSince1970))
        try talk(held.key, now)
        try changeSalt(held.key, now)
    }

    static func keys(in directory: URL, _ passcode: borrowing SecureBytes) throws -> HeldAuthorizationKey? {
        do {
            let desktop = try DesktopDirectory(passcode: passcode) { name in
                let url = directory.appending(path: name)
                do {
                    let bytes = try FileHandle(forReadingFrom: url).read(upToCount: DesktopFile.maxCount + 1) ?? Data()
                    let facts = try FileManager.default.attributesOfItem(atPath: url.path)
                    let changed = (facts[.modificationDate] as? Date ?? .distantPast).timeIntervalSince1970
                    return DesktopDirectory.File(bytes: Array(bytes), changed: Int64(changed * 1000))
                } catch CocoaError.fileReadNoSuchFile {
                    return nil
                }
            }
            var first: HeldAuthorizationKey?
            for found in desktop.accounts {
                switch found.result {
                case .success(let account):
                    let stored = try TelegramAccount(account).encoded()
                    let read = try stored.withBytes { try TelegramAccount(decoding: $0) }
                    print("account \(read.mainKey.id), \(stored.count) bytes")
                    for key in account.keys {
                        print("user \(account.user), data centre \(key.dataCentre): key \(key.held.key.id)")
                        first = first ?? key.held
                    }
                case .failure(let error): print("account \(found.index): \(error)")
                }
            }
            return first
        } catch DesktopDirectoryError.wrongPasscode {
            print("Wrong passcode.")
            return nil
        }
    }

    static func key(in path: URL, _ password: borrowing SecureBytes) throws -> HeldAuthorizationKey? {
        let file = Array(try Data(contentsOf: path))
        let opened = try LegacyKeyFile.open(file.span, password: password)
        print("\(opened.form): key \(opened.held.key.id)")
        return opened.held
    }

    static func talk(_ key: borrowing AuthorizationKey, _ now: MessageTime) throws {
        var client = LegacyMTProto1.Session(.client, key: key, id: 1, salt: 2)
        var server = LegacyMTProto1.Session(.server, key: key, id: 1, salt: 2)
        let text = Array("Hello".utf8)
        let question = try client.seal(text, isContent: true, key: key, now: now)
        let packet = question.packet
        for _ in 0..<2 {
            do {
                let received = try server.receive(packet.span, key: key, now: now)
                print(
                    "a packet of \(packet.count) bytes: \(String(decoding: received.accepted[0].data, as: UTF8.self))")
            } catch Refusal.duplicate {
                print("The packet was received already.")
            }
        }
    }

    /// A salt is accepted for 300 seconds after it was replaced. Then the server names the new one, and the client sends
    /// its message again in a container, which has a higher ID.
    static func changeSalt(_ key: borrowing AuthorizationKey, _ now: MessageTime) throws {
        try key.requireNew(among: [])
        var client = LegacyMTProto1.Session(.client, key: key, id: 1, salt: 2)
        var server = LegacyMTProto1.Session(.server, key: key, id: 1, salt: 2)
        server.salts.change(to: 3, at: now)
        let later = MessageTime(number: now.number + (ServerSalts.grace + 1) << 32)
        let sent = try client.seal(Array("Hello".utf8), isContent: true, key: key, now: later)
        do throws(Refusal) {
            _ = try server.receive(sent.packet.span, key: key, now: later)
        } catch {
            print("The server refuses it:", error)
            let answer = ServiceMessage.badSalt(
                id: sent.message.id, sequence: sent.message.sequence, code: 48, salt: server.salts.current)
            let packet = try server.seal(answer.encoded, isContent: false, as: .reply, key: key, now: later).packet
            let received = try client.receive(packet.span, key: key, now: later, trustsClock: false)
            guard case .badSalt(_, _, _, let salt)? = try ServiceMessage(decoding: received.message.data) else {
                return
            }
            client.salts.change(to: salt, at: later)
        }
        let again = try client.sealContainer([.again(sent.message)], key: key, now: later)
        print("accepted:", try server.receive(again.packet.span, key: key, now: later).accepted.count)
    }
}
