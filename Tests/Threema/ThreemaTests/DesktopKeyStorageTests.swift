import Foundation
import KeyWrapping
import SecureMemory
import Testing
import Threema
import VectorKit

/// The Desktop app's key storage: whole files come from a Python implementation of the format's description.
@Suite struct DesktopKeyStorageTests {
    /// Argon2id by libargon2, the box by PyNaCl, the message by hand.
    private static let source = """
        import sys
        from argon2.low_level import hash_secret_raw, Type
        from nacl import bindings, utils

        def varint(value):
            return bytes([value]) if value < 0x80 else bytes([value & 0x7f | 0x80]) + varint(value >> 7)

        def field(number, value):
            if isinstance(value, int):
                return varint(number << 3) + varint(value)
            return varint(number << 3 | 2) + varint(len(value)) + value

        def fields(text):
            parts = [part.split("=") for part in text.split() if part]
            return b"".join(
                field(int(n), int(v[1:]) if v[0] == "#" else bytes.fromhex(v) if v[0] != "'" else v[1:].encode())
                for n, v in parts)

        password, memory, passes, schema, identity, content = sys.argv[1:]
        salt, nonce = utils.random(16), utils.random(24)
        key = hash_secret_raw(password.encode(), salt, int(passes), int(memory) // 1024, 1, 32, Type.ID)
        content = (field(1, fields(identity)) if identity else b"") + fields(content)
        box = bindings.crypto_secretbox(content, nonce, key)
        argon = field(1, 0) + field(2, salt) + field(3, int(memory)) + field(4, int(passes)) + field(5, 1)
        print((field(1, nonce + box) + field(2, argon) + fields(schema)).hex())
        """

    private static let key = String(repeating: "5a", count: 32)
    private static let identity = "1='ABCD1234 2=\(key) 4='0a"
    private static let rest = "2=\(String(repeating: "01", count: 32)) 3=\(String(repeating: "02", count: 32)) "

    private func file(
        memory: Int = 1 << 20, passes: Int = 3, schema: String = "3=#1", identity: String = identity,
        content: String = rest + "5=#2"
    ) throws -> [UInt8] {
        let text = try Program.output(
            of: "/usr/bin/python3",
            ["-c", Self.source, "supersafe", "\(memory)", "\(passes)", schema, identity, content])
        return try #require([UInt8](hex: String(decoding: text, as: UTF8.self)))
    }

    private func open(_ file: [UInt8], _ password: String = "supersafe") throws(KeyFileError) -> DesktopKeyStorage {
        let password = Array(password.utf8)
        return try DesktopKeyStorage(opening: file.span, password: SecureBytes(copying: password.span))
    }

    @Test func `a file as the app writes it`() throws {
        let file = try file(content: Self.rest + "4=0801 5=#2 6=0a00 7=0a00 8=00112233445566778899aabbccddeeff")
        #expect(KeyFileFormat(of: file.span) == .desktop)
        let storage = try open(file)
        #expect(storage.id == "ABCD1234")
        #expect(storage.clientKey.copied.hex == Self.key)
        #expect(storage.serverGroup == "0a")
        let cost = try DesktopKeyStorage.cost(of: file.span)
        #expect(cost.memoryKiB == 1024 && cost.iterations == 3)
    }

    @Test(arguments: ["", "3=#0", "3=#1"]) func `the outer schema 0 is the present one`(_ schema: String) throws {
        let storage = try open(file(schema: schema))
        #expect(storage.id == "ABCD1234")
    }

    @Test(arguments: [("", 9, "09"), ("5=#0", 0, "00"), ("5=#1", 255, "ff")])
    func `before schema 2 the server group was a number`(_ schema: String, _ group: Int, _ text: String) throws {
        let storage = try open(
            file(identity: "1='ABCD1234 2=\(Self.key) 3=#\(group)", content: Self.rest + schema))
        #expect(storage.serverGroup == text)
    }

    @Test func `newer schemas are named`() throws {
        let outer = try file(schema: "3=#2")
        #expect(throws: KeyFileError.unknownVersion(2)) { _ = try open(outer) }
        let inner = try file(content: Self.rest + "5=#3")
        #expect(throws: KeyFileError.unknownVersion(3)) { _ = try open(inner) }
    }

    private static let whole = "\(rest)5=#2"
    private static let incomplete: [(identity: String, content: String)] = [
        ("", whole),
        ("2=\(key) 4='0a", whole),
        ("1='ABCD1234 4='0a", whole),
        ("1='ABCD1234 2=5a5a 4='0a", whole),
        ("1='ABCD1234 2=\(key)", whole),
        ("1='ABCD1234 2=\(key) 4='xy", whole),
        ("1='ABCD1234 2=\(key) 4='0a0", whole),
        ("1='ABCD1234 2=\(key) 3=#256", "\(rest)5=#1"),
        (identity, "5=#2"),
        (identity, "2=\(key) 5=#2"),
    ]

    @Test(arguments: incomplete) func `a content without its members is malformed`(
        _ identity: String, _ content: String
    ) throws {
        let file = try file(identity: identity, content: content)
        #expect(throws: KeyFileError.malformed) { _ = try open(file) }
    }

    @Test func `a wrong password, and every cut`() throws {
        let file = try file(memory: 8192, passes: 1)
        #expect(throws: KeyFileError.notOpened) { _ = try open(file, "supersafe ") }
        for count in 0..<file.count {
            // What is missing at the end is the schema version, of which 0 is not written.
            guard let storage = try? open(Array(file.prefix(count))) else { continue }
            #expect(count == file.count - 2)
            #expect(storage.id == "ABCD1234")
        }
    }

    private static let refused: [(UInt64, UInt64, KeyFileError)] = [
        (8191, 1, .cost(.memory, 7)), (1_073_742_848, 1, .cost(.memory, 1_048_577)),
        (8192, 65, .cost(.iterations, 65)),
    ]

    @Test(arguments: refused) func `the memory is counted in bytes, with the same bounds`(
        _ memory: UInt64, _ passes: UInt64, _ error: KeyFileError
    ) {
        // Only the numbers of a sound file are changed: 3 and 4 of the message in field 2.
        func varint(_ value: UInt64) -> [UInt8] {
            value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
        }
        var argon: [UInt8] = [0x12, 16] + [UInt8](repeating: 1, count: 16)
        argon += [0x18] + varint(memory) + [0x20] + varint(passes) + [0x28, 1]
        var file: [UInt8] = [0x0a, 0x40] + [UInt8](repeating: 0, count: 64)
        file += [0x12] + varint(UInt64(argon.count)) + argon
        #expect(throws: error) { try DesktopKeyStorage.cost(of: file.span) }
    }

    @Test func `nothing is no key storage`() throws {
        let file = try Vector.named("dk-neg-empty", in: .desktopKeyStorage).inputs.bytes("file_hex")
        #expect(throws: KeyFileError.malformed) { try DesktopKeyStorage.cost(of: file.span) }
    }
}
