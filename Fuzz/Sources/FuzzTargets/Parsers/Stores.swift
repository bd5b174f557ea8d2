@testable import Encodings
@testable import Keystore
@testable import MessengerKeeping
@testable import ProtonMainKey
@testable import Ratchet
@testable import SafeKeeping
@testable import SecureMemory
@testable import SessionStore
@testable import SophaxChat
@testable import SophaxGroups
@testable import TextSecure
@testable import ThreemaRecords

/// Archives, records of the keystore and of sessions, and the MainKey's lists.
enum Stores {
    static func archive(_ bytes: [UInt8]) throws {
        let archive = try Archive(Files.withChecksums(bytes).span)
        for records in archive.identities { _ = try? archive.sessions(of: records.owner) }
    }

    static func exportedValues(_ bytes: [UInt8]) throws {
        let values = try ExportedValues(bytes.span)
        var count = 0
        values.forEach { _, _, value in
            count += 1
            expect(value.count <= bytes.count, "a value is inside")
        }
        expect(count == values.count, "all are listed")
    }

    static func keystoreNames(_ bytes: [UInt8]) {
        if let name = RecordName(bytes) { _ = name.at(nil) }
        _ = RecordFile(text: bytes)
        _ = History.entry(String(decoding: bytes, as: UTF8.self), length: 500)
    }

    static func ratchets(_ bytes: [UInt8]) throws {
        if let pool = try? PrekeyPool(decoding: bytes.span, rules: .textSecure) {
            expect(pool.encoded().revealBytes() == bytes, "a record has one form")
        }
        if let group = try? GroupSession(decoding: bytes.span, limits: .sophaxChat) {
            expect(group.encoded().revealBytes() == bytes, "a record has one form")
        }
        let ratchet = try DoubleRatchet(decoding: bytes.span, suite: .sophaxChat)
        expect(ratchet.encoded().revealBytes() == bytes, "a record has one form")
    }

    static func safeSetup(_ bytes: [UInt8]) throws {
        let setup = try SafeSetup(decoding: bytes.span)
        let encoded = setup.encoded().revealBytes()
        let again = try! SafeSetup(decoding: encoded.span)
        expect(again.encoded().revealBytes() == encoded, "the same setup")
    }

    // MARK: MainKey

    static func propertyList(_ bytes: [UInt8]) throws {
        let list = try PropertyList(reading: SecureBytes(copying: bytes.span))
        walk(list, list.root, depth: 0)
        let again = try! list.rewritten()
        expect(again.kind(of: again.root) == list.kind(of: list.root), "the same kind")
    }

    private static func walk(_ list: borrowing PropertyList, _ object: PropertyList.Object, depth: Int) {
        expect(depth <= PropertyList.maxDepth, "not deeper than allowed")
        switch list.kind(of: object) {
        case .array: for element in list.elements(of: object) { walk(list, element, depth: depth + 1) }
        case .dictionary: for member in list.members(of: object) { walk(list, member.value, depth: depth + 1) }
        default: break
        }
    }

    static func mainKey(_ bytes: [UInt8]) throws {
        let key = try MainKey(Chat.secret(27))
        for item in ProtectionItem.allCases {
            if let content = try? item.content(of: bytes.span) { expect(content.count <= bytes.count, "not longer") }
            var items = ProtectionItems()
            try? items.add(item, file: bytes.span)
        }
        _ = try? LockedValue.openVersion1(bytes.span, key: key)
        _ = LockedValue.version(of: bytes.span)
        let sealed = try LockedValue.seal(bytes.span, name: "name", key: key)
        expect(try LockedValue.open(sealed.span, name: "name", key: key).revealBytes() == bytes, "the same value")
        _ = try LockedValue.open(bytes.span, name: "name", key: key)
        fatalError("a value that nobody sealed opens")
    }
}
