import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import ProtonMainKey

/// Keys under a PIN, and the app's items.
@Suite struct PINProtectionTests {
    private static let keyBytes = Array(0..<32 as Range<UInt8>)

    @Test func `each lock has another salt and another initialization vector`() throws {
        let key = try mainKey(Self.keyBytes)
        let pin = secure("123456")
        let (one, other) = (try PINProtection.lock(key, pin: pin), try PINProtection.lock(key, pin: pin))
        #expect(one.version == .version1 && one.salt.count == 8 && one.blob.count == 16 + 172)
        #expect(one.salt != other.salt && one.blob.prefix(16) != other.blob.prefix(16))
        #expect(try one.unlock(pin: pin).bytes.copied == Self.keyBytes)
        #expect(try other.unlock(pin: pin).bytes.copied == Self.keyBytes)
    }

    @Test(arguments: ["", "0", "1234 ", "pin\u{0}", "Grüezi ✉", String(repeating: "x", count: 200)])
    func `a PIN is any text`(_ text: String) throws {
        let key = try mainKey(Self.keyBytes)
        let pin = secure(text)
        let locked = try PINProtection.lock(key, pin: pin)
        #expect(try locked.unlock(pin: pin).bytes.copied == Self.keyBytes)
        #expect(throws: PINProtectionError.wrongPINOrDamaged) {
            _ = try locked.unlock(pin: secure(text + "1")).checkValue
        }
    }

    @Test func `a PIN is not normalized`() throws {
        let locked = try PINProtection.lock(mainKey(Self.keyBytes), pin: secure("\u{e9}"))
        #expect(throws: PINProtectionError.wrongPINOrDamaged) {
            _ = try locked.unlock(pin: secure("e\u{301}")).checkValue
        }
    }

    @Test func `limits`() throws {
        let key = try mainKey(Self.keyBytes)
        let long = secure([UInt8](repeating: 0x31, count: 4097))
        #expect(throws: PINProtectionError.pinTooLong(limit: 4096)) { try PINProtection.lock(key, pin: long) }
        for count in [0, 7, 9, 16] {
            #expect(throws: PINProtectionError.wrongSaltLength(expected: 8, actual: count)) {
                try PINProtection(version: .version1, salt: [UInt8](repeating: 0, count: count), blob: [])
            }
        }
        let salt = [UInt8](repeating: 0, count: 8)
        #expect(throws: PINProtectionError.tooLong(limit: 65_552)) {
            try PINProtection(version: .version1, salt: salt, blob: [UInt8](repeating: 0, count: 65_553))
        }
        #expect(
            try PINProtection(version: .version1, salt: salt, blob: [UInt8](repeating: 0, count: 65_552)).salt == salt)
    }

    @Test(arguments: PINProtection.Version.allCases, [0, 1, 15, 16, 17, 55])
    func `a short ciphertext is damaged`(_ version: PINProtection.Version, _ count: Int) throws {
        let protection = try PINProtection(
            version: version, salt: [0, 1, 2, 3, 4, 5, 6, 7], blob: [UInt8](repeating: 9, count: count))
        #expect(throws: PINProtectionError.wrongPINOrDamaged) {
            _ = try protection.unlock(pin: secure("1234")).checkValue
        }
    }

    /// The app does not write them, but a changed list may have them.
    @Test func `other forms of the list are read`() throws {
        let pin = secure("1234")
        let salt = Array(0..<8 as Range<UInt8>)
        let pinKey = try PINProtection.deriveKey(pin: pin, salt: salt)
        let list = PropertyListTests.list([
            [0xaf, 0x11, 0, 32] + [UInt8](repeating: 1, count: 32), [0x12, 0, 0, 0, 9],
        ])
        let iv = [UInt8](repeating: 255, count: 16)
        let blob = iv + Legacy.AESCTR.encrypt(list.span, key: pinKey, iv: iv.span)
        let key = try PINProtection(version: .version1, salt: salt, blob: blob).unlock(pin: pin).bytes.copied
        #expect(key == [UInt8](repeating: 9, count: 32))
    }

    // MARK: Items

    private func items(_ contents: [(ProtectionItem, [UInt8])]) throws -> ProtectionItems {
        var items = ProtectionItems()
        for (item, content) in contents { try items.add(item, file: content.span) }
        return items
    }

    @Test func `the items of a PIN`() throws {
        let locked = try PINProtection.lock(mainKey(Self.keyBytes), pin: secure("123456"))
        let read = try items(locked.items.map { ($0.item, $0.content) })
        #expect(try read.pinProtection() == locked)
        #expect(read.state == .locked && !read.hasClearCopyBesideProtection && !read.hasUnreadableCopy)
        #expect(try read.randomPINProtection() == nil)
        let isClear = read.clearKey() != nil
        #expect(!isClear)
        let background = try items([
            (.randomPIN, locked.blob), (.randomPINSalt, locked.salt), (.randomPINVersion, [0x31]),
        ])
        #expect(try background.randomPINProtection() == locked)
        #expect(try background.pinProtection() == nil && background.state == .locked)
    }

    @Test(arguments: [nil, "", "0", "2", "11", "v1", "true"])
    func `any other version is legacy`(_ version: String?) throws {
        let blob = [UInt8](repeating: 255, count: 172)
        var contents: [(ProtectionItem, [UInt8])] = [(.pin, blob), (.pinSalt, Array(1...8))]
        if let version { contents.append((.pinVersion, Array(version.utf8))) }
        #expect(try items(contents).pinProtection()?.version == .legacy)
    }

    @Test(arguments: ["1", "1\n", "31", "MQ==\n"]) func `version 1`(_ version: String) throws {
        let contents: [(ProtectionItem, [UInt8])] = [
            (.pin, [UInt8](repeating: 255, count: 188)), (.pinSalt, Array(1...8)), (.pinVersion, Array(version.utf8)),
        ]
        #expect(try items(contents).pinProtection()?.version == .version1)
    }

    @Test func `without a salt nothing opens the key`() throws {
        let blob = [UInt8](repeating: 255, count: 188)
        let damaged = try items([(.pin, blob), (.pinVersion, [0x31]), (.randomPIN, blob)])
        #expect(damaged.state == .locked)
        #expect(throws: ProtectionItemError.missing(.pinSalt)) { try damaged.pinProtection() }
        #expect(throws: ProtectionItemError.missing(.randomPINSalt)) { try damaged.randomPINProtection() }
        // What stays behind when a PIN is removed protects nothing.
        let left = try items([(.pinSalt, Array(1...8)), (.pinVersion, [0x31])])
        #expect(left.state == .absent)
        #expect(try left.pinProtection() == nil)
    }

    @Test func `states and warnings`() throws {
        #expect(ProtectionItems().state == .absent)
        let open = try items([(.none, Self.keyBytes)])
        #expect(open.state == .open && !open.hasClearCopyBesideProtection)
        for real: ProtectionItem in [.pin, .randomPIN, .bio] {
            let both = try items([(.none, Self.keyBytes), (real, [UInt8](repeating: 255, count: 113))])
            #expect(both.state == .locked && both.hasClearCopyBesideProtection)
            #expect(both.hasUnreadableCopy == (real == .bio))
            #expect(copied(both.clearKey()) == Self.keyBytes)
        }
        #expect(throws: ProtectionItemError.duplicate(.none)) {
            _ = try self.items([(.none, Self.keyBytes), (.none, Self.keyBytes)]).state
        }
    }

    @Test func `names`() {
        #expect(
            ProtectionItem.allCases.map(\.rawValue) == [
                "NoneProtection", "PinProtection", "PinProtection.salt", "PinProtection.version", "RandomPinProtection",
                "RandomPinProtection.salt", "RandomPinProtection.version", "BioProtection", "BioProtection.version",
            ])
    }

    @Test func `contents as they are, in hexadecimal and in Base64`() throws {
        let key = [0xfb, 0xff] + Self.keyBytes.dropFirst(2)
        let hexadecimal = key.hex
        let base64 = "+/8CAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
        let forms = [
            key, Array(hexadecimal.utf8), Array(hexadecimal.uppercased().utf8), Array("\(hexadecimal)\n".utf8),
            Array((hexadecimal.prefix(20) + "\r\n" + hexadecimal.dropFirst(20)).utf8), Array(base64.utf8),
            Array((base64.prefix(30) + "\n" + base64.dropFirst(30) + "\n").utf8),
        ]
        for form in forms { #expect(try ProtectionItem.none.content(of: form.span).copied == key) }
        // Eight digits may be a salt.
        let digits = Array("12345678".utf8)
        #expect(try ProtectionItem.pinSalt.content(of: digits.span).copied == digits)
        let salt = Array("0001020304050607".utf8)
        #expect(try ProtectionItem.pinSalt.content(of: salt.span).copied == Array(0..<8))
        let blob = Array(0..<188 as Range<UInt8>)
        for form in [blob, Array(blob.hex.utf8)] {
            #expect(try ProtectionItem.pin.content(of: form.span).copied == blob)
        }
        for wrong in [
            Array(key.dropLast()), Array(hexadecimal.dropLast().utf8), [], Array("\(base64)A".utf8), key + [10],
        ] {
            #expect(throws: ProtectionItemError.notReadable(.none)) {
                _ = try ProtectionItem.none.content(of: wrong.span).count
            }
        }
        let long = [UInt8](repeating: 0x30, count: ProtectionItem.maxFileCount + 1)
        #expect(throws: ProtectionItemError.tooLong(.pin, limit: 262_208)) {
            _ = try ProtectionItem.pin.content(of: long.span).count
        }
        var items = ProtectionItems()
        try items.add(.pinSalt, file: salt.span)
        #expect(throws: ProtectionItemError.tooLong(.pin, limit: 65_552)) {
            let blob = [UInt8](repeating: 255, count: 65_553)
            try items.add(.pin, file: blob.span)
            _ = try items.pinProtection()
        }
    }
}
