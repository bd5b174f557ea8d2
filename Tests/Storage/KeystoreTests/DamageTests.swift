import KeyWrapping
import Keystore
import Testing
import VectorKit

/// Every cut and every flipped bit of every sealed file ends in a typed error, and changes nothing.
@Suite struct DamageTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try OpenKeystore.openOrCreate(at: scratch.path).add("ABCD1234") { new in
            try new.put("identity", [UInt8](repeating: 0x5a, count: 40))
            try new.put("profile", Array(#"{"info":{"version":1}}"#.utf8))
            try new.put("safe", [])
        }
    }

    /// Every truncation of the file, one byte more, and every flipped bit.
    private static func damaged(_ file: [UInt8]) -> [[UInt8]] {
        file.indices.map { Array(file[..<$0]) } + [file + [0]]
            + (0..<file.count * 8).map { bit in
                var flipped = file
                flipped[bit / 8] ^= 1 << (bit % 8)
                return flipped
            }
    }

    @Test func `of the master key`() throws {
        let file = try scratch.content("master.key")
        #expect(file.count == 44)
        for content in Self.damaged(file) {
            try scratch.put("master.key", content)
            for isMaking in [false, true] {
                do {
                    _ =
                        isMaking
                        ? try OpenKeystore.openOrCreate(at: scratch.path)
                        : try LockedKeystore(at: scratch.path).unlock()
                    Issue.record("opened: \(content.hex)")
                } catch let error as KeystoreError {
                    #expect(error == .damaged(record: "keystore", owner: nil))
                    // The structure is whole, so it is the key that is another.
                    #expect(content.count == 44 && content[..<12] == file[..<12])
                } catch is KeyFileError {
                    #expect(content.count != 44 || content[..<12] != file[..<12])
                }
            }
            let standing = try scratch.content("master.key")
            #expect(standing == content)
        }
        try scratch.put("master.key", file)
        _ = try LockedKeystore(at: scratch.path).unlock()
    }

    @Test func `of the keystore's own record`() throws {
        let file = try scratch.content("keystore")
        #expect(file.count == 4 + 24 + 17 + 16)
        for content in Self.damaged(file) {
            try scratch.put("keystore", content)
            // A digit that became a later one is that of a later version.
            let version = content.count > 3 && content[3] > UInt8(ascii: "2") && content[3] <= UInt8(ascii: "9")
            let expected =
                version
                ? KeystoreError.unknownVersion(content[3] - UInt8(ascii: "0"))
                : .damaged(record: "keystore", owner: nil)
            #expect(throws: expected, "\(content.hex)") {
                try LockedKeystore(at: scratch.path).unlock()
            }
        }
        try scratch.put("keystore", file)
        _ = try LockedKeystore(at: scratch.path).unlock()
    }

    @Test(arguments: [("identity", 40), ("profile", 22), ("safe", 0)]) func `of a record`(
        _ name: String, _ count: Int
    ) throws {
        let keystore = try LockedKeystore(at: scratch.path).unlock()
        let path = "identities/threema/ABCD1234/" + name
        let file = try scratch.content(path)
        #expect(file.count == 4 + 24 + count + 16)
        let record: RecordName = name == "identity" ? "identity" : name == "profile" ? "profile" : "safe"
        for content in Self.damaged(file) {
            try scratch.put(path, content)
            #expect(throws: KeystoreError.damaged(record: name, owner: "ABCD1234"), "\(content.hex)") {
                _ = try keystore.identity("ABCD1234").read(record)
            }
        }
        try scratch.put(path, file)
        let content = try keystore.identity("ABCD1234").read(record)?.copied
        #expect(content?.count == count)
    }
}
