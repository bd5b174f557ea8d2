import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import Telegram

/// Ten thousand changes of each format: no trap, and a refusal with a name, or the same value again.
@Suite struct MutationTests {
    private static let count = 10_000

    @Test func `packets`() throws {
        let key = try authorizationKey(Random.bytes(256))
        let random = SeededRandom(seed: 1)
        var session = LegacyMTProto1.Session(.server, key: key, id: 1, salt: 2)
        let before = session
        let now = MessageTime(seconds: 1_700_000_000)
        // Without padding, which the message key does not cover: beside 14 bytes of it, a changed last block would leave
        // the other two as they were once in 65,536 times.
        let content = LegacyMTProto1.Content(
            salt: 2, session: 1,
            message: LegacyMTProto1.Message(id: MessageID(now, .client), sequence: 1, data: [UInt8](1...16)))
        let packet = try LegacyMTProto1.Packet.seal(content, key: key, .fromClient)
        var refusals: Set<String> = []
        for _ in 0..<Self.count {
            do throws(Refusal) {
                let changed = random.changed(packet)
                _ = try session.receive(changed.span, key: key, now: now)
                Issue.record("accepted \(changed)")
            } catch {
                refusals.insert("\(error)".prefix { $0 != "(" }.description)
            }
        }
        #expect(session == before && refusals == ["malformed", "unknownKey", "notAuthentic"])
    }

    /// The content is changed before it is encrypted, so that all later checks see it.
    @Test func `contents of packets`() throws {
        let key = try authorizationKey(Random.bytes(256))
        let random = SeededRandom(seed: 2)
        let now = MessageTime(seconds: 1_700_000_000)
        let members = (0..<3).map {
            LegacyMTProto1.Message(id: MessageID(now.number + 4 * $0), sequence: UInt32($0), data: [1, 2, 3, 4])
        }
        var plain: [UInt8] = []
        for number: UInt64 in [2, 1, now.number + 400] { plain.append(number: number) }
        let data = LegacyMTProto1.Container.encode(members)
        plain.append(number: 9 as UInt32)
        plain.append(number: UInt32(data.count))
        plain += data
        var refusals: Set<String> = []
        for _ in 0..<Self.count {
            var session = LegacyMTProto1.Session(.server, key: key, id: 1, salt: 2)
            var changed = random.changed(plain)
            if changed.count < 32 { changed += [UInt8](repeating: 0, count: 32 - changed.count) }
            let messageKey = LegacyMTProto1.messageKey(of: changed.span)
            changed += Random.bytes(BlockKeys.paddingCount(of: changed.count))
            let keys = LegacyMTProto1.blockKeys(key, messageKey: messageKey, .fromClient)
            let packet = key.id.bytes + messageKey + keys.encrypt(changed.span)
            do throws(Refusal) {
                let received = try session.receive(packet.span, key: key, now: now)
                #expect(received.accepted.count + received.refused.count <= 3)
                refusals.insert("accepted")
            } catch {
                #expect(session.received.count == 0)
                refusals.insert("\(error)".prefix { $0 != "(" }.description)
            }
        }
        #expect(
            refusals.isSuperset(of: [
                "accepted", "notAuthentic", "wrongSession", "wrongDirection", "badSalt", "tooOld", "tooNew",
                "container",
            ]))
    }

    @Test func `containers, service messages and packets without encryption`() throws {
        let random = SeededRandom(seed: 3)
        let members = (0..<5).map { LegacyMTProto1.Message(id: MessageID($0), sequence: 0, data: random.bytes(4)) }
        let container = LegacyMTProto1.Container.encode(members)
        let services = [
            ServiceMessage.acknowledgement([MessageID(1), MessageID(2)]).encoded,
            ServiceMessage.badSalt(id: MessageID(1), sequence: 1, code: 48, salt: 2).encoded,
        ]
        let plain = try PlainPacket(id: MessageID(4), data: [1, 2, 3]).encoded()
        for _ in 0..<Self.count {
            let message = LegacyMTProto1.Message(id: MessageID(.max), sequence: .max, data: random.changed(container))
            if let members = try? LegacyMTProto1.Container.decode(message) {
                #expect(LegacyMTProto1.Container.encode(members) == message.data)
            }
            let service = random.changed(services[random.number(below: 2)])
            if let read = try? ServiceMessage(decoding: service) { #expect(read.encoded == service) }
            let packet = random.changed(plain)
            if let read = try? PlainPacket(decoding: packet.span) { #expect(try read.encoded() == packet) }
        }
    }

    @Test func `stored sessions and windows`() throws {
        let random = SeededRandom(seed: 4)
        var session = LegacyMTProto1.Session(
            .client, key: try authorizationKey(Random.bytes(256)), id: 7, salt: 9, capacity: 8)
        for id: UInt64 in 1...6 { _ = session.received.insert(MessageID(id)) }
        session.salts.change(to: 1, at: MessageTime(seconds: 5))
        session.lastID = MessageID(4)
        var read = 0
        for _ in 0..<Self.count {
            let changed = random.changed(session.encoded)
            if let other = try? LegacyMTProto1.Session(decoding: changed.span) {
                #expect(other.encoded == changed)
                read += 1
            }
            let window = random.changed(session.received.encoded)
            if let other = try? ReplayWindow(decoding: window.span) { #expect(other.encoded == window) }
        }
        #expect(read > 100 && read < Self.count)
    }

    @Test func `key files`() throws {
        let random = SeededRandom(seed: 5)
        let password = secure(KeyFileTests.password)
        // That with scrypt would take 20 minutes; it differs from the others in its key only.
        let files = try LegacyKeyFile.Form.allCases.filter { $0 != .scrypt }.map { try KeyFileTests.file($0) }
        for number in 0..<Self.count {
            let changed = random.changed(files[number % files.count])
            guard (try? LegacyKeyFile.candidates(of: changed.span)) != [.scrypt] else { continue }
            do throws(LegacyKeyFileError) {
                let opened = try LegacyKeyFile.open(changed.span, password: password)
                // A raw key shows no change; a change in the padding, or in text that is not read, does not matter.
                if opened.form != .raw { #expect(opened.held.key.bytes.copied == KeyFileTests.keyBytes) }
            } catch {
                #expect(error != .needsPassword)
            }
        }
    }

    @Test func `the Desktop app's files`() throws {
        let random = SeededRandom(seed: 6)
        let local = DesktopLocalKey(Random.secret(256))
        let salt = Random.bytes(32)
        let passcodeKey = DesktopLocalKey(passcode: secure(""), salt: salt, .current)
        let list: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]
        let parts = [salt, passcodeKey.seal(local.bytes.copied.span), local.seal(list.span)]
        let data = Array(parts.map(desktopArray).joined())
        var content = [UInt8](repeating: 0, count: 8)
        content += [0, 0, 0, 1, 0, 0, 0, 2] as [UInt8]
        content += Random.bytes(256)
        content += [0, 0, 0, 0] as [UInt8]
        let account = [0, 0, 0, 0x4b] as [UInt8] + desktopArray(content)
        var results: Set<String> = []
        func note(_ work: () throws(DesktopError) -> Void) {
            do throws(DesktopError) { try work() } catch { results.insert("\(error)".prefix { $0 != "(" }.description) }
        }
        let shell = desktopFile(data)
        for _ in 0..<Self.count {
            let outside = random.changed(shell)
            let blob = random.changed(local.seal(list.span))
            let payload = random.changed(account)
            note { () throws(DesktopError) in _ = try DesktopFile(outside.span) }
            // With a right checksum.
            let inside = desktopFile(random.changed(data))
            note { () throws(DesktopError) in
                let keyFile = try DesktopKeyFile(DesktopFile(inside.span))
                let key = try keyFile.open(passcode: secure(""))
                _ = try keyFile.accounts(key)
            }
            note { () throws(DesktopError) in _ = try local.open(blob.span) }
            note { () throws(DesktopError) in _ = try DesktopAccount(payload: payload.span) }
        }
        #expect(
            results == [
                "notDesktopFile", "wrongChecksum", "malformed", "newer", "wrongPasscode", "otherLocalKey",
                "unknownBlock",
            ])
    }

    @Test func `texts of accounts`() throws {
        let random = SeededRandom(seed: 7)
        let account = try AccountTests.account()
        let text = account.encoded().copied
        var refusals: Set<String> = []
        for _ in 0..<Self.count {
            let changed = random.changed(text)
            do throws(TelegramAccountError) {
                let read = try TelegramAccount(decoding: changed.span)
                // A changed key, number or flag is another account: the text itself authenticates nothing.
                #expect(try TelegramAccount(decoding: read.encoded().copied.span) == read)
                refusals.insert("accepted")
            } catch {
                refusals.insert("\(error)".prefix { $0 != "(" }.description)
            }
        }
        #expect(refusals.isSuperset(of: ["accepted", "malformed", "malformedKey", "unknownMember"]))
    }
}
