import Keystore
import Testing
import VectorKit

/// The files are what their description says, read and written by another implementation.
@Suite struct FormatTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test func `another implementation reads what keytool writes`() throws {
        let keystore = try OpenKeystore.openOrCreate(at: scratch.path)
        let large = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
        try keystore.add("ABCD1234") { new in
            try new.put("identity", [1, 2, 3])
            try new.put("abcdefghijklmnop", large)
            try new.put(.safe, [4])
        }
        try keystore.add("*GATEWAY") { try $0.put("a", []) }
        let lines = try OtherImplementation.run("read", scratch.path)
        #expect(
            lines == [
                "*GATEWAY a ", "ABCD1234 abcdefghijklmnop \(large.hex)", "ABCD1234 identity 010203",
                "ABCD1234 main/safe 04",
            ])
    }

    @Test(arguments: ["", "nas-2"]) func `keytool reads what another implementation writes`(_ place: String) throws {
        let lines = try OtherImplementation.run("write", scratch.path, "WXYZ9876", place, "profile", "00ff10")
        let keystore = try LockedKeystore(at: scratch.path).unlock()
        let ids = try keystore.identities()
        #expect(ids == ["WXYZ9876"])
        let record = try keystore.identity("WXYZ9876").read(("profile" as RecordName).at(PlaceName(place)))
        #expect(record?.copied == [0x00, 0xff, 0x10])
        #expect(lines == [keystore.digestKey("state").copied.hex])
        // It is a keystore like any other.
        try keystore.add("ABCD1234") { try $0.put("identity", [1]) }
        let all = try OtherImplementation.run("read", scratch.path)
        #expect(all == ["ABCD1234 identity 01", "WXYZ9876 \(place.isEmpty ? "" : place + "/")profile 00ff10"])
    }
}
