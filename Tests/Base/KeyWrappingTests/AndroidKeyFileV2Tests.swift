import KeyWrapping
import SecureMemory
import Testing
import VectorKit

@Suite struct AndroidKeyFileV2Tests {
    /// The app's own example of an unprotected file, and the key in it.
    private static let published = [UInt8](
        hex: "00000a2800000a2400000a20494be0be35af77bb1287941d70328110af2ed0ae5d19865b537225e91783690a")!
    private static let publishedKey = [UInt8](
        hex: "494be0be35af77bb1287941d70328110af2ed0ae5d19865b537225e91783690a")!

    private func open(_ file: [UInt8]) throws(KeyFileError) -> [UInt8] {
        try KeyFile.open(file, nil)
    }

    @Test func `the published file holds the published key`() throws {
        let key = try open(Self.published)
        #expect(key == Self.publishedKey)
    }

    @Test func `what is written is exactly the published file`() throws {
        let wrapped = try WrappedKey.unprotected(MasterKey(SecureBytes(copying: Self.publishedKey.span)))
        #expect(wrapped.file.copied == Self.published)
        #expect(wrapped.file.count == 44)
        #expect(wrapped.file.count <= KeyFileFormat.maxCount)
        #expect(wrapped.protection == .none)
    }

    @Test func `random keys come back, and are not all equal`() throws {
        var keys: Set<[UInt8]> = []
        for _ in 0..<50 {
            let key = MasterKey.random()
            keys.insert(key.bytes.copied)
            let read = try open(WrappedKey.unprotected(key).file.copied)
            #expect(read == key.bytes.copied)
        }
        #expect(keys.count == 50)
    }

    @Test(arguments: [
        ("mk-v2-remote-secret-structure", KeyFileError.remoteSecret), ("mk-v2-gen-test", .protected),
        ("mk-v2-gen-neg-wrong", .protected),
        // The app reads this number big endian and would say 256.
        ("mk-v2-gen-neg-version", .unknownVersion(1)),
    ]) func `what takes more than the file is named`(_ name: String, _ error: KeyFileError) throws {
        let file = try Vector.named(name, in: .masterKeyV2).inputs.bytes("file_hex")
        #expect(throws: error) { try open(file) }
    }

    @Test(arguments: [(0, 1), (1, 256), (4, 1), (5, 256), (8, 1), (9, 256)])
    func `each of the three versions counts`(_ offset: Int, _ version: UInt64) {
        var file = Self.published
        file[offset] = 1
        #expect(throws: KeyFileError.unknownVersion(version)) { try open(file) }
    }

    @Test func `every truncation and every byte more is refused`() {
        for count in Self.published.indices {
            #expect(throws: KeyFileError.malformed, "\(count) bytes") { try open(Array(Self.published[..<count])) }
        }
        for byte: UInt8 in [0, 0x0a, 0x12, 0xff] {
            #expect(throws: KeyFileError.malformed) { try open(Self.published + [byte]) }
        }
    }

    @Test func `every flipped bit is refused or gives another key`() throws {
        for bit in 0..<Self.published.count * 8 {
            var file = Self.published
            file[bit / 8] ^= 1 << (bit % 8)
            guard bit / 8 < 12 else {
                // The format has no check: that is what the keystore's own record is for.
                let key = try open(file)
                #expect(key != Self.publishedKey)
                continue
            }
            #expect(throws: KeyFileError.self, "bit \(bit)") { try open(file) }
        }
    }

    @Test func `every other value of a structural byte is refused`() {
        for offset in 0..<12 {
            for byte in UInt8.min...UInt8.max where byte != Self.published[offset] {
                var file = Self.published
                file[offset] = byte
                #expect(throws: KeyFileError.self, "\(byte) at \(offset)") { try open(file) }
            }
        }
    }

    @Test(arguments: [
        // A key of 31 and of 33 bytes, with all lengths right.
        "00000a2700000a2300000a1f" + String(repeating: "11", count: 31),
        "00000a2900000a2500000a21" + String(repeating: "11", count: 33),
        // No key, an empty file, and lengths past the end or past 64 bits.
        "00000a0800000a0400000a00", "0000", "", "00000affffffffff0f", "00000affffffffffffffffff01",
        "00000affffffffffffffffff7f", "00000a80808080808080808080808001",
        // A varint and a group where the field belongs; field 3; a second field behind the first.
        "00000828", "00000b28", "00001a0200", "00000a280000",
        "00000a2a00000a2600000a20" + String(repeating: "11", count: 32) + "1000",
    ]) func `other structures are refused`(_ hex: String) throws {
        let file = try #require([UInt8](hex: hex))
        #expect(throws: KeyFileError.malformed) { try open(file) }
    }

    @Test func `no random file does more than be refused`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let count = Int.random(in: 0...80, using: &generator)
            var file = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Half of them get past the first version.
            if Bool.random(using: &generator), count > 3 { file.replaceSubrange(0..<3, with: [0, 0, 0x0a]) }
            #expect(throws: KeyFileError.self) { try open(file) }
        }
    }
}
