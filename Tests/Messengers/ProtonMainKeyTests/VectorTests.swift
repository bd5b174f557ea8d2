import Primitives
import SecureMemory
import Testing
import VectorKit

@testable import ProtonMainKey

/// The vectors of the app's formats, one test for each operation.
@Suite struct VectorTests {
    @Test(arguments: try Vector.all(in: .protonMainKey, op: "pin-derive"))
    func `the key of a PIN`(_ vector: Vector) throws {
        let key = try PINProtection.deriveKey(
            pin: secure(try vector.inputs.string("pin")), salt: try vector.inputs.bytes("salt"))
        #expect(key.copied == (try vector.expected.bytes("key")))
    }

    @Test(arguments: try Vector.all(in: .protonMainKey, op: "ctr-encrypt"))
    func `AES-256-CTR`(_ vector: Vector) throws {
        let key = secure(try vector.inputs.bytes("key"))
        let iv = try vector.inputs.bytes("iv")
        let plaintext = try vector.inputs.bytes("plaintext")
        let ciphertext = Legacy.AESCTR.encrypt(plaintext.span, key: key, iv: iv.span)
        #expect(ciphertext == (try vector.expected.bytes("ciphertext")))
        #expect(Legacy.AESCTR.decrypt(ciphertext.span, key: key, iv: iv.span).copied == plaintext)
    }

    @Test(arguments: try Vector.all(in: .protonMainKey, op: "pin-protection-lock"))
    func `a key is locked under a PIN`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let key = try mainKey(inputs.bytes("main_key"))
        let pin = secure(try inputs.string("pin"))
        let salt = try inputs.bytes("salt")
        #expect(try PINProtection.deriveKey(pin: pin, salt: salt).copied == expected.bytes("pin_key"))
        #expect(MainKeyList.write(key).copied == (try expected.bytes("plist")))
        let locked = try PINProtection.lock(key, pin: pin, salt: salt, iv: try inputs.bytes("iv"))
        let items = locked.items
        #expect(items.map(\.item) == [.pin, .pinSalt, .pinVersion])
        #expect(items[0].content == (try expected.bytes("keychain_PinProtection")))
        #expect(items[1].content == (try expected.bytes("keychain_PinProtection_salt")))
        #expect(items[2].content == (try expected.utf8("keychain_PinProtection_version")))
        #expect(try locked.unlock(pin: pin).bytes.copied == inputs.bytes("main_key"))
        #expect(throws: PINProtectionError.wrongPINOrDamaged) { _ = try locked.unlock(pin: secure("4321")).checkValue }
    }

    @Test(arguments: try Vector.all(in: .protonMainKey, op: "pin-protection-legacy-unlock"))
    func `a legacy key is unlocked`(_ vector: Vector) throws {
        let inputs = vector.inputs
        let (salt, blob) = (try inputs.bytes("salt"), try inputs.bytes("keychain_PinProtection"))
        let pin = secure(try inputs.string("pin"))
        let legacy = try PINProtection(version: .legacy, salt: salt, blob: blob)
        #expect(try legacy.unlock(pin: pin).bytes.copied == vector.expected.bytes("main_key"))
        #expect(legacy.items.isEmpty)
        let other = try PINProtection(version: .version1, salt: salt, blob: blob)
        #expect(throws: PINProtectionError.wrongPINOrDamaged) { _ = try other.unlock(pin: pin).checkValue }
    }

    @Test(arguments: try Vector.all(in: .protonMainKey, op: "none-protection"))
    func `a key without protection`(_ vector: Vector) throws {
        var items = ProtectionItems()
        let content = try vector.expected.bytes("keychain_NoneProtection")
        try items.add(.none, file: content.span)
        #expect(copied(items.clearKey()) == (try vector.inputs.bytes("main_key")))
    }

    @Test(arguments: try Vector.all(in: .protonMainKey, op: "locked-value"))
    func `a locked value`(_ vector: Vector) throws {
        let (inputs, expected) = (vector.inputs, vector.expected)
        let key = try mainKey(inputs.bytes("main_key"))
        let kind: LockedValue.Kind
        var bytes: [UInt8]
        switch try inputs.string("type") {
        case "string": (kind, bytes) = (.string, try inputs.utf8("value"))
        case "data": (kind, bytes) = (.data, try inputs.bytes("value"))
        default:
            var writer = PropertyListWriter()
            var texts: [PropertyListWriter.Value] = []
            for text in try inputs.string("value").split(separator: ",") {
                let utf8 = Array(text.utf8)
                texts.append(try writer.string(utf8.span))
            }
            (kind, bytes) = (.list, try writer.finish(try writer.array(texts)).bytes.copied)
        }
        let content = LockedValue.Content(kind, secure(bytes))
        #expect(try LockedValue.propertyList(content).bytes.copied == expected.bytes("plist"))
        let locked = try LockedValue.sealVersion1(content, key: key, iv: try inputs.bytes("iv"))
        #expect(locked == (try expected.bytes("locked")))
        let opened = try LockedValue.openVersion1(locked.span, key: key)
        let (openedKind, openedBytes) = (opened.kind, opened.bytes.copied)
        #expect(openedKind == kind && openedBytes == bytes)
    }

    @Test(arguments: try Vector.all(in: .protonMainKey, op: "locked-value-malleability"))
    func `a changed value opens to another one`(_ vector: Vector) throws {
        let locked = try vector.inputs.bytes("locked")
        let opened = try LockedValue.openVersion1(locked.span, key: mainKey(vector.inputs.bytes("main_key")))
        let (kind, text) = (opened.kind, opened.bytes.copied)
        #expect(kind == .string && text == Array("\u{10}\u{10}user@example".utf8))
        // Python's notation of the list.
        #expect(try vector.expected.string("value") == "['\\x10\\x10user@example']")
    }

    @Test(arguments: try Vector.all(in: .protonMainKey, op: "autolock"))
    func autolock(_ vector: Vector) throws {
        let elapsed = AutolockRule.Elapsed(
            wall: .seconds(try vector.inputs.integer("elapsed_wall_s")),
            uptime: .seconds(try vector.inputs.integer("elapsed_monotonic_s")))
        let rule = AutolockRule(minutes: try vector.inputs.integer("timeout_minutes"))
        #expect(rule.decision(elapsed).rawValue == (try vector.expected.string("decision")))
    }

    @Test func `each operation of the file has a test`() throws {
        let operations = Set(try Vector.all(in: .protonMainKey).compactMap(\.op))
        #expect(
            operations == [
                "pin-derive", "ctr-encrypt", "pin-protection-lock", "pin-protection-legacy-unlock", "none-protection",
                "locked-value", "locked-value-malleability", "autolock",
            ])
    }
}
