import Encodings
import SecureMemory
import Testing
import VectorKit

@Suite struct GzipStoreTests {
    static let sizes = [0, 1, 65_535, 65_536, 131_070, 131_071, 200_000]

    /// Bytes that repeat only after 251 × 256.
    static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251 ^ $0 >> 8) }
    }

    @Test func `nothing becomes one empty block`() {
        #expect(store([]).hex == "1f8b0800000000000000" + "010000ffff" + "00000000" + "00000000")
    }

    @Test func `one byte becomes one block`() {
        // CRC-32 of "a", as in the tests of zlib and of many others: e8b7be43.
        #expect(store([0x61]).hex == "1f8b0800000000000000" + "010100feff61" + "43beb7e8" + "01000000")
    }

    @Test(arguments: sizes) func `stored blocks hold up to 65,535 bytes each`(_ count: Int) {
        let content = Self.content(count)
        let member = store(content)
        let blocks = max(1, (count + 65_534) / 65_535)
        #expect(member.count == 18 + count + 5 * blocks)
        var read: [UInt8] = []
        for block in 0..<blocks {
            let header = member.dropFirst(10 + block * 65_540).prefix(5).map(Int.init)
            let length = header[1] | header[2] << 8
            #expect(header[0] == (block == blocks - 1 ? 1 : 0))
            #expect(length ^ (header[3] | header[4] << 8) == 0xffff)
            read += member.dropFirst(15 + block * 65_540).prefix(length)
        }
        #expect(read == content)
    }

    @Test(arguments: sizes) func `gzip reads what is stored`(_ count: Int) throws {
        let content = Self.content(count)
        #expect(try GzipProgram.decompress(store(content)) == content)
    }

    @Test(arguments: sizes) func `what is stored opens`(_ count: Int) throws {
        let content = Self.content(count)
        let opened = try Gzip.open(store(content).span, limit: count).copied
        #expect(opened == content)
    }

    @Test(arguments: ["safe-enc-gen-ios-style", "safe-enc-gen-zero-nonce-zero-key"])
    func `a Safe document is stored as the apps do`(_ id: String) throws {
        let vector = try Vector.named(id, in: .safeEncrypt)
        let member = store(try vector.inputs.bytes("json_utf8_hex"))
        #expect(member.hex == (try vector.inputs.string("gzip_hex")))
    }

    @Test func `a compressed Safe document opens`() throws {
        let vector = try Vector.named("safe-enc-gen-gzip9", in: .safeEncrypt)
        let member = try vector.inputs.bytes("gzip_hex")
        let document = try vector.inputs.bytes("json_utf8_hex")
        let opened = try Gzip.open(member.span, limit: document.count).copied
        #expect(opened == document)
    }

    private func store(_ content: [UInt8]) -> [UInt8] { Gzip.store(content.span).copied }
}
