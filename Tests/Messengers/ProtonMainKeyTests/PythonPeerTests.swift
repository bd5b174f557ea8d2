import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import ProtonMainKey

/// What this room locks and unlocks, and what Python's hashlib and OpenSSL do.
@Suite struct PythonPeerTests {
    private static let pins = ["1234", "000000", "", "Grüezi ✉", String(repeating: "long ", count: 30)]

    @Test func `what is locked here under a PIN, Python unlocks`() throws {
        let keys = Self.pins.map { _ in Random.bytes(32) }
        let answers = try PythonPeer.carryOut(
            zip(Self.pins, keys).map { pin, bytes in
                let locked = try PINProtection.lock(mainKey(bytes), pin: secure(pin))
                return ("unlock", ["pin": Array(pin.utf8), "salt": locked.salt, "blob": locked.blob])
            })
        #expect(answers == keys.map { ["key": $0] })
    }

    @Test(arguments: PINProtection.Version.allCases)
    func `what Python locks under a PIN is unlocked here`(_ version: PINProtection.Version) throws {
        let keys = Self.pins.map { _ in Random.bytes(32) }
        let answers = try PythonPeer.carryOut(
            zip(Self.pins, keys).map { pin, key in
                ("lock", ["key": key, "pin": Array(pin.utf8), "legacy": [version == .legacy ? 1 : 0]])
            })
        #expect(answers.count == Self.pins.count)
        for ((pin, key), answer) in zip(zip(Self.pins, keys), answers) {
            let (salt, blob) = (try #require(answer["salt"]), try #require(answer["blob"]))
            let protection = try PINProtection(version: version, salt: salt, blob: blob)
            #expect(try protection.unlock(pin: secure(pin)).bytes.copied == key)
        }
    }

    @Test func `locked values in both directions`() throws {
        let random = SeededRandom(seed: 3)
        let key = HeldKey(MainKey.random())
        let lists = try PythonPeer.carryOut((0..<100).map { ("nested", ["seed": [3, UInt8($0)]]) }).compactMap {
            $0["own"]
        }
        var samples: [(kind: LockedValue.Kind, bytes: [UInt8])] = []
        for number in 0..<100 {
            samples.append((.data, random.bytes(number * 7)))
            samples.append((.string, Array(String(repeating: "gr\u{fc}ezi \u{2709}\u{1f600}", count: number).utf8)))
            samples.append((.string, random.bytes(number).map { $0 & 0x7f }))
        }
        // A list with one text or data is the same as that text or data.
        for list in lists where try kind(of: list) == .list { samples.append((.list, list)) }
        #expect(samples.count > 350)
        let keyBytes = key.key.bytes.copied
        let locked = try PythonPeer.carryOut(
            samples.map { ("lock_value", ["key": keyBytes, "kind": Array($0.kind.rawValue.utf8), "value": $0.bytes]) })
        var opened: [[UInt8]] = []
        for (sample, answer) in zip(samples, locked) {
            let blob = try #require(answer["blob"])
            let content = try LockedValue.openVersion1(blob.span, key: key.key)
            let (kind, bytes) = (content.kind, content.bytes.copied)
            #expect(kind == sample.kind && bytes == sample.bytes)
            opened.append(try LockedValue.sealVersion1(content, key: key.key))
        }
        // The same content has the same list.
        let again = try PythonPeer.carryOut(opened.map { ("unlock_value", ["key": keyBytes, "blob": $0]) })
        let lists1 = try PythonPeer.carryOut(
            locked.map { ("unlock_value", ["key": keyBytes, "blob": try #require($0["blob"])]) })
        #expect(again == lists1 && again.count == samples.count)
    }

    /// How a list is read after it was locked.
    private func kind(of list: [UInt8]) throws -> LockedValue.Kind {
        let key = MainKey.random()
        let value = try LockedValue.sealVersion1(LockedValue.Content(.list, secure(list)), key: key)
        return try LockedValue.openVersion1(value.span, key: key).kind
    }
}
