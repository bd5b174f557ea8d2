import Foundation
import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import ProtonMainKey

/// 10,000 changed inputs of each format: each is refused by name, or is what it was.
@Suite struct MutationTests {
    private static let count = 10_000

    private func noted(_ results: inout Set<String>, _ work: () throws -> Void) {
        do {
            try work()
        } catch {
            results.insert("\(error)".prefix { $0 != "(" }.description)
        }
    }

    @Test func `property lists of a MainKey`() throws {
        let random = SeededRandom(seed: 4)
        let keyBytes = Random.bytes(32)
        let list = MainKeyList.write(try mainKey(keyBytes)).copied
        var (opened, refused) = (0, 0)
        for _ in 0..<Self.count {
            // Some changes hit a byte of the key: nothing shows them.
            if readMainKey(random.changed(list)) == nil { refused += 1 } else { opened += 1 }
        }
        #expect(opened > 0 && refused > Self.count / 2)
    }

    /// The key of the PIN is derived once: what changes is what is decrypted with it.
    @Test func `ciphertexts under a PIN`() throws {
        let random = SeededRandom(seed: 5)
        let pinKey = Random.secret(32)
        let list = MainKeyList.write(MainKey.random())
        let iv = random.bytes(16)
        let blob = iv + list.withBytes { Legacy.AESCTR.encrypt($0, key: pinKey, iv: iv.span) }
        var refused = 0
        for _ in 0..<Self.count {
            let changed = random.changed(blob)
            for version in PINProtection.Version.allCases {
                let protection = try PINProtection(version: version, salt: Array(0..<8), blob: changed)
                do throws(PINProtectionError) {
                    let key = try protection.unlock(pinKey: pinKey)
                    #expect(key.bytes.count == 32 && version == .version1)
                } catch {
                    #expect(error == .wrongPINOrDamaged)
                    refused += 1
                }
            }
        }
        #expect(refused > Self.count * 3 / 2)
    }

    @Test func `items as files`() throws {
        let random = SeededRandom(seed: 6)
        let locked = try PINProtection.lock(MainKey.random(), pin: secure("123456"))
        var results: Set<String> = []
        var contents = locked.items
        contents.append((.none, random.bytes(32)))
        for number in 0..<Self.count {
            let (item, content) = contents[number % contents.count]
            let base64 = Array(Data(content).base64EncodedString().utf8)
            let form = [content, Array(content.hex.utf8), base64][number / contents.count % 3]
            let changed = random.changed(form)
            noted(&results) {
                var items = ProtectionItems()
                for (other, right) in contents {
                    let file = other == item ? changed : right
                    try items.add(other, file: file.span)
                }
                let protection = try items.pinProtection()
                #expect(protection?.salt.count == 8 && items.state == .locked)
                #expect(copied(items.clearKey())?.count == 32)
            }
        }
        #expect(results == ["notReadable"])
    }

    @Test func `locked values of version 1`() throws {
        let random = SeededRandom(seed: 7)
        let key = MainKey.random()
        let list = PropertyListTests.list([
            [0xd1, 1, 2], [0x51, 0x61], [0xa2, 3, 3], [0x63, 0, 0x61, 0, 0x62, 0, 0x63],
        ])
        let values = try [
            LockedValue.sealVersion1(LockedValue.Content(.string, secure("user@example")), key: key),
            LockedValue.sealVersion1(LockedValue.Content(.data, secure(Random.bytes(100))), key: key),
            LockedValue.sealVersion1(LockedValue.Content(.list, secure(list)), key: key),
        ]
        var results: Set<String> = []
        var opened = 0
        for number in 0..<Self.count {
            let changed = random.changed(values[number % 3])
            noted(&results) {
                _ = try LockedValue.openVersion1(changed.span, key: key).kind
                opened += 1
            }
        }
        #expect(results == ["wrongKeyOrDamaged", "tooShort"])
        // This is why there is a version 2.
        #expect(opened > 100)
    }

    @Test func `locked values of version 2`() throws {
        let random = SeededRandom(seed: 8)
        let key = MainKey.random()
        let content = Array("secret".utf8)
        let value = try LockedValue.seal(content.span, name: "token", key: key)
        var results: Set<String> = []
        for _ in 0..<Self.count {
            let changed = random.changed(value)
            noted(&results) {
                _ = try LockedValue.open(changed.span, name: "token", key: key).count
                Issue.record("a changed value was opened")
            }
        }
        #expect(results == ["otherVersion", "tooShort", "notAuthentic"])
    }
}
