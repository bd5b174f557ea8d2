import SecureMemory
import Testing
import VectorKit

@testable import ProtonMainKey

/// Values under a MainKey.
@Suite struct LockedValueTests {
    private let secret = Array("secret".utf8)
    private let key: HeldKey

    init() throws { key = HeldKey(try mainKey(Array(0..<32))) }

    private func openError(_ value: [UInt8], name: String = "token") -> LockedValueError? {
        do throws(LockedValueError) {
            _ = try LockedValue.open(value.span, name: name, key: key.key)
            return nil
        } catch { return error }
    }

    private func openError1(_ value: [UInt8]) -> LockedValueError? {
        do throws(LockedValueError) {
            _ = try LockedValue.openVersion1(value.span, key: key.key)
            return nil
        } catch { return error }
    }

    /// Computed with Python's hmac and libsodium (PyNaCl).
    @Test func `version 2`() throws {
        let value = try LockedValue.seal(secret.span, name: "token", key: key.key, nonce: Array(0..<24))
        #expect(
            value.hex == "4b544c32000102030405060708090a0b0c0d0e0f1011121314151617"
                + "9e5b89cc26ec340cd0416be636a7c14fcf795ac215cc")
        #expect(LockedValue.version(of: value.span) == .version2)
        #expect(try LockedValue.open(value.span, name: "token", key: key.key).copied == secret)
    }

    @Test func `version 2 shows every change`() throws {
        let value = try LockedValue.seal(secret.span, name: "token", key: key.key)
        for index in value.indices {
            var changed = value
            changed[index] ^= 1
            #expect(openError(changed) == (index < 4 ? .otherVersion : .notAuthentic))
        }
        for count in 0..<value.count {
            #expect(
                openError(Array(value.prefix(count)))
                    == (count < 4 ? .otherVersion : count < 44 ? .tooShort : .notAuthentic))
        }
        #expect(openError(value + [0]) == .notAuthentic)
        #expect(openError(value, name: "Token") == .notAuthentic)
        let other = MainKey.random()
        #expect(throws: LockedValueError.notAuthentic) {
            _ = try LockedValue.open(value.span, name: "token", key: other).count
        }
        #expect(try LockedValue.seal(secret.span, name: "token", key: key.key) != value)
    }

    @Test func `limits of version 2`() throws {
        for count in [0, 1, 65_536] {
            let content = [UInt8](repeating: 7, count: count)
            let value = try LockedValue.seal(content.span, name: "n", key: key.key)
            #expect(value.count == count + 44)
            #expect(try LockedValue.open(value.span, name: "n", key: key.key).copied == content)
            if count == 65_536 { #expect(openError(value + [0]) == .tooLong(limit: 65_580)) }
        }
        let long = [UInt8](repeating: 7, count: 65_537)
        #expect(throws: LockedValueError.tooLong(limit: 65_536)) {
            try LockedValue.seal(long.span, name: "n", key: key.key)
        }
        for name in ["", String(repeating: "n", count: 256), String(repeating: "é", count: 128)] {
            #expect(throws: LockedValueError.wrongName(limit: 255)) {
                try LockedValue.seal(secret.span, name: name, key: key.key)
            }
        }
        let longName = String(repeating: "n", count: 255)
        let value = try LockedValue.seal(secret.span, name: longName, key: key.key)
        #expect(openError(value, name: longName) == nil && openError(value, name: "") == .wrongName(limit: 255))
    }

    @Test func `version 1 refuses what is no list`() throws {
        #expect(openError1([UInt8](repeating: 0, count: 16)) == .tooShort)
        #expect(openError1([]) == .tooShort)
        #expect(openError1([UInt8](repeating: 0, count: 65_553)) == .tooLong(limit: 65_552))
        #expect(openError1([UInt8](repeating: 0, count: 100)) == .wrongKeyOrDamaged(.notBinary))
        let value = try LockedValue.sealVersion1(LockedValue.Content(.data, secure(secret)), key: key.key)
        #expect(LockedValue.version(of: value.span) == .version1)
        let other = MainKey.random()
        #expect(throws: LockedValueError.wrongKeyOrDamaged(.notBinary)) {
            _ = try LockedValue.openVersion1(value.span, key: other).kind
        }
        #expect(throws: LockedValueError.malformedContent(.invalidText)) {
            try LockedValue.sealVersion1(LockedValue.Content(.string, secure([0xff])), key: key.key)
        }
        #expect(throws: LockedValueError.malformedContent(.notBinary)) {
            try LockedValue.sealVersion1(LockedValue.Content(.list, secure("<plist/>")), key: key.key)
        }
        #expect(throws: LockedValueError.malformedContent(.tooLong(limit: 65_536))) {
            try LockedValue.sealVersion1(
                LockedValue.Content(.data, secure([UInt8](repeating: 1, count: 65_536))), key: key.key)
        }
    }

    @Test func `a value changes its version`() throws {
        let texts = LockedValue.Content(
            .list, secure(PropertyListTests.list([[0xa2, 1, 2], [0x51, 0x61], [0x51, 0x62]])))
        let list = try LockedValue.propertyList(texts).bytes.copied
        for (kind, bytes) in [(.string, Array("Grüezi".utf8)), (.data, secret), (.list, list)]
            as [(LockedValue.Kind, [UInt8])]
        {
            let value = try LockedValue.sealVersion1(LockedValue.Content(kind, secure(bytes)), key: key.key)
            let sealed = try LockedValue.rewrap(version1: value.span, name: "n", key: key.key)
            #expect(try LockedValue.open(sealed.span, name: "n", key: key.key).copied == bytes)
            let again = try LockedValue.rewrap(version2: sealed.span, name: "n", as: kind, key: key.key)
            #expect(again.count == value.count && again != value)
            let opened = try LockedValue.openVersion1(again.span, key: key.key)
            let (openedKind, openedBytes) = (opened.kind, opened.bytes.copied)
            #expect(openedKind == kind && openedBytes == bytes)
        }
        let value = try LockedValue.seal(secret.span, name: "n", key: key.key)
        #expect(throws: LockedValueError.otherVersion) {
            let first = try LockedValue.sealVersion1(LockedValue.Content(.data, secure(secret)), key: key.key)
            return try LockedValue.rewrap(version2: first.span, name: "n", as: .data, key: key.key)
        }
        #expect(throws: LockedValueError.self) { try LockedValue.rewrap(version1: value.span, name: "n", key: key.key) }
        #expect(throws: LockedValueError.notAuthentic) {
            try LockedValue.rewrap(version2: value.span, name: "m", as: .data, key: key.key)
        }
    }
}
