import Encodings
import Primitives
import ProtonMainKey
import SecureMemory

/// Operations of Proton's MainKey. What draws its randomness is computed with the primitives, and then read.
enum MainKeys {
    private static let ivCount = Legacy.AESCTR.ivCount

    static func autolock(_ check: inout Check) throws {
        let inputs = check.inputs
        let rule = AutolockRule(minutes: Int(try inputs.integer("timeout_minutes", in: Int64.min...Int64.max)))
        var elapsed: AutolockRule.Elapsed?
        if inputs.has("elapsed_wall_s") || inputs.has("elapsed_monotonic_s") {
            elapsed = AutolockRule.Elapsed(
                wall: try Fraction(inputs, "elapsed_wall_s").duration,
                uptime: try Fraction(inputs, "elapsed_monotonic_s").duration)
        }
        check.compare("decision", rule.decision(elapsed).rawValue)
    }

    static func encryptCTR(_ check: inout Check) throws {
        let inputs = check.inputs
        let iv = try inputs.bytes("iv", count: ivCount)
        let plaintext = try inputs.bytes("plaintext")
        let key = try inputs.secret("key", count: nil)
        guard [16, 24, 32].contains(key.count) else {
            throw CheckError.malformed("input key", "16, 24 or 32 bytes")
        }
        try check.compare("ciphertext", Legacy.AESCTR.encrypt(plaintext.span, key: key, iv: iv.span))
    }

    static func derivePIN(_ check: inout Check) throws { try check.compare("key", try pinKey(check.inputs)) }

    static func none(_ check: inout Check) throws {
        let key = try key(check.inputs)
        try check.compare("keychain_NoneProtection", key.bytes)
        var items = ProtectionItems()
        try key.bytes.withBytes { try items.add(.none, file: $0) }
        guard let read = items.clearKey() else { return check.require("read", false) }
        check.require("read", read.equals(key))
    }

    static func lock(_ check: inout Check) throws {
        let inputs = check.inputs
        let iv = try inputs.bytes("iv", count: ivCount)
        let pinKey = try pinKey(inputs)
        try check.compare("pin_key", pinKey)
        let key = try key(inputs)
        let list = try list(of: key)
        try check.compare("plist", list.bytes)
        let blob = iv + list.bytes.withBytes { Legacy.AESCTR.encrypt($0, key: pinKey, iv: iv.span) }
        let salt = try salt(inputs)
        let protection = try PINProtection(version: .version1, salt: salt, blob: blob)
        let opened = try protection.unlock(pin: try pin(inputs))
        check.require("opened", opened.equals(key))
        for (item, content) in protection.items {
            switch item {
            case .pin: try check.compare("keychain_PinProtection", content)
            case .pinSalt: try check.compare("keychain_PinProtection_salt", content)
            default: check.compare("keychain_PinProtection_version", String(decoding: content, as: UTF8.self))
            }
        }
    }

    static func unlockLegacy(_ check: inout Check) throws {
        let inputs = check.inputs
        guard try inputs.text("version") != "1" else {
            throw CheckError.malformed("input version", "another version than 1")
        }
        let protection = try PINProtection(
            version: .legacy, salt: try salt(inputs), blob: try inputs.bytes("keychain_PinProtection"))
        do {
            let key = try protection.unlock(pin: try pin(inputs))
            try check.compare("main_key", key.bytes)
        } catch PINProtectionError.wrongPINOrDamaged {
            check.note("main_key", false)
        }
    }

    static func unlockWrongPIN(_ check: inout Check) throws {
        let inputs = check.inputs
        let blob = try inputs.bytes("blob")
        let protection = try PINProtection(version: .version1, salt: try salt(inputs), blob: blob)
        let isOpened: Bool
        do {
            let key = try protection.unlock(pin: try pin(inputs))
            isOpened = key.bytes.count == MainKey.count
        } catch PINProtectionError.wrongPINOrDamaged {
            isOpened = false
        }
        if check.isExpected("garbage_prefix") {
            guard blob.count >= ivCount else { throw CheckError.malformed("input blob", "at least 16 bytes") }
            let wanted = try check.expected.bytes("garbage_prefix")
            let plain = Legacy.AESCTR.decrypt(
                blob.span.extracting(ivCount..<blob.count), key: try pinKey(inputs),
                iv: blob.span.extracting(first: ivCount))
            let isSame = plain.withBytes { plain in
                wanted.count <= plain.count
                    && ConstantTime.areEqual(plain.extracting(first: wanted.count), wanted.span)
            }
            check.note("garbage_prefix", isSame)
        }
        // The words of a refusal differ.
        guard check.isExpected("result") else { return }
        check.note("result", ["accept", "unlocked"].contains(try check.expected.text("result")) == isOpened)
    }

    static func lockedValue(_ check: inout Check) throws {
        let inputs = check.inputs
        let iv = try inputs.bytes("iv", count: ivCount)
        let key = try key(inputs)
        var writer = PropertyListWriter()
        var elements: [PropertyListWriter.Value] = []
        let kind = try inputs.text("type")
        switch kind {
        case "string": elements = [try text(try inputs.text("value"), &writer)]
        case "data":
            let data = try inputs.bytes("value")
            elements = [try writer.data(data.span)]
        case "strings":
            let texts =
                inputs["value"]?.array == nil
                ? try inputs.text("value").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                : try inputs.texts("value")
            for each in texts { elements.append(try text(each, &writer)) }
        default: throw CheckError.malformed("input type", "string, data or strings")
        }
        let root = try writer.array(elements)
        let list = try writer.finish(root)
        try check.compare("plist", list.bytes)
        let locked = iv + list.bytes.withBytes { Legacy.AESCTR.encrypt($0, key: key.bytes, iv: iv.span) }
        try check.compare("locked", locked)
        let opened = try LockedValue.openVersion1(locked.span, key: key)
        switch opened.kind {
        case .list: check.require("opened", opened.bytes.equals(try bytes(of: list)))
        case .string, .data:
            check.require("opened", opened.bytes.equals(list.content(of: list.elements(of: list.root)[0])))
        }
    }

    static func malleability(_ check: inout Check) throws {
        let locked = try check.inputs.bytes("locked")
        do {
            let content = try LockedValue.openVersion1(locked.span, key: try key(check.inputs))
            guard content.kind == .string else { throw CheckError.notInAPI("a value that is not text") }
            check.compare("value", pythonList(content.bytes.withBytes { characters($0) }))
        } catch LockedValueError.wrongKeyOrDamaged {
            check.compare("value", "parse error")
        }
    }

    /// Python's notation of a list with one text.
    private static func pythonList(_ text: String) -> String {
        let quote: Unicode.Scalar = text.contains("'") && !text.contains("\"") ? "\"" : "'"
        var written = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\", quote: written += "\\\(character)"
            case "\n": written += "\\n"
            case "\r": written += "\\r"
            case "\t": written += "\\t"
            case "\0"..<" ", "\u{7f}":
                written += "\\x" + (character.value < 16 ? "0" : "") + String(character.value, radix: 16)
            default: written.unicodeScalars.append(character)
            }
        }
        return "[\(quote)\(written)\(quote)]"
    }

    private static func characters(_ utf8: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in utf8.indices { bytes.append(utf8[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func bytes(of list: borrowing PropertyList) throws -> SecureBytes {
        list.bytes.withBytes { SecureBytes(copying: $0) }
    }

    private static func text(_ text: String, _ writer: inout PropertyListWriter) throws -> PropertyListWriter.Value {
        let utf8 = Array(text.utf8)
        return try writer.string(utf8.span)
    }

    /// An array of the key's bytes.
    private static func list(of key: borrowing MainKey) throws -> PropertyList {
        var writer = PropertyListWriter()
        var numbers: [PropertyListWriter.Value] = []
        for index in 0..<MainKey.count {
            numbers.append(try writer.integer(key.bytes.withBytes { Int128($0[index]) }))
        }
        let root = try writer.array(numbers)
        return try writer.finish(root)
    }

    private static func key(_ inputs: Fields) throws -> MainKey {
        try MainKey(try inputs.secret("main_key", count: MainKey.count))
    }

    private static func pin(_ inputs: Fields) throws -> SecureBytes {
        let text = Array(try inputs.text("pin").utf8)
        return SecureBytes(copying: text.span)
    }

    private static func salt(_ inputs: Fields) throws -> [UInt8] {
        try inputs.bytes("salt", count: PINProtection.saltCount)
    }

    private static func pinKey(_ inputs: Fields) throws -> SecureBytes {
        try PINProtection.deriveKey(pin: try pin(inputs), salt: try salt(inputs))
    }
}
