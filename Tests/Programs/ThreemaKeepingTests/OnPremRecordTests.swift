import Encodings
import Foundation
import Keystore
import Primitives
import SecureMemory
import Testing
import ThreemaDirectory
import ThreemaRecords
import VectorKit

@testable import ThreemaKeeping

/// The records of a provisioning file, and those that another keystore may have made.
@Suite struct OnPremRecordTests {
    private static let seed = [UInt8](0..<32)
    private static let key = Ed25519.publicKey(of: seed.span)

    private static func file(_ safe: String = "https://safe.example.org/") -> [UInt8] {
        let text = """
            {"version":"1.0","signatureKey":"\(Data(key).base64EncodedString())","refresh":86400,\
            "license":{"id":"TEST-1","expires":"2099-12-31","count":1},"chat":{"hostname":"chat.example.org",\
            "ports":[5222],"publicKey":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},\
            "directory":{"url":"https://d.example.org/"},"blob":{"uploadUrl":"https://b.example.org/",\
            "downloadUrl":"https://b.example.org/{blobId}","doneUrl":"https://b.example.org/{blobId}/done"},\
            "safe":{"url":"\(safe)"}}
            """
        let signature = Data(Ed25519.sign(Array(text.utf8).span, seed: seed.span)).base64EncodedString()
        return Array("\(text)\n\(signature)".utf8)
    }

    private static var sound: [RecordName: [UInt8]] {
        [
            "file": file(), "trust": [1] + key + [UInt8](repeating: 7, count: 64),
            "source": Array(#"{"url":"https://o.example/prov/config.oppf","user":"alice"}"#.utf8),
            "password": Array("secret".utf8),
        ]
    }

    private func problem(
        _ records: [RecordName: [UInt8]], of owner: Owner = Owner(messenger: "onprem", id: "d_example_org")!
    ) -> RecordProblem? {
        var bytes: [UInt8] = []
        var places: [RecordName: Range<Int>] = [:]
        for (name, content) in records {
            places[name] = bytes.count..<bytes.count + content.count
            bytes += content
        }
        do throws(RecordProblem) {
            try OnPremKeeper.check(RecordSet(of: owner, places, in: bytes.span))
            return nil
        } catch {
            return error
        }
    }

    private func changed(_ name: RecordName, _ content: [UInt8]?) -> [RecordName: [UInt8]] {
        var records = Self.sound
        records[name] = content
        return records
    }

    @Test func `what keytool writes is accepted`() {
        #expect(problem(Self.sound) == nil)
        #expect(problem(["file": Self.file(), "trust": [1] + Self.key]) == nil)
    }

    @Test func `what it does not write is not`() {
        #expect(problem(Self.sound, of: Owner(messenger: "onprem", id: "D_example")!) == .owner)
        #expect(problem(Self.sound, of: Owner(messenger: "threema", id: "ABCD1234")!) == .owner)
        #expect(problem(changed("file", nil)) == .missing(.file) && problem(changed("trust", nil)) == .missing(.trust))
        #expect(problem(changed("fetched", [1])) == .unknown("fetched"))
        #expect(problem(changed("password", nil)) == .malformed("password"))
        #expect(problem(changed("source", nil)) == .malformed("password"))
        #expect(problem(changed("password", [UInt8](repeating: 1, count: 4097))) == .malformed("password"))
        // Signed with the other key, for servers that cannot be used, or changed.
        #expect(problem(changed("trust", [1] + Self.seed)) == .malformed("file"))
        #expect(problem(changed("file", Self.file("https://safe.example.org/a/../b/"))) == .malformed("file"))
        #expect(problem(changed("file", Array(Self.file().dropFirst()))) == .malformed("file"))
        let long = [UInt8](repeating: 7, count: 32 * 17)
        for trust in [[], [1], [2] + Self.key, [1] + Self.key + [0], [1] + Self.key + long] {
            #expect(problem(changed("trust", trust)) == .malformed("trust"))
        }
        for source in [
            "", "[]", #"{"url":7}"#, #"{"url":"http://o.example/x.oppf"}"#, #"{"user":"a:b"}"#,
            #"{"url":"https://u@o.example/x.oppf"}"#, #"{"url":"https://o.example/x"}"#,
        ] {
            #expect(problem(changed("source", Array(source.utf8))) == .malformed("source"))
        }
    }

    @Test func `names and owners`() throws {
        let name = try #require(OnPremName("d.example-1.org"))
        #expect(Owner.onPrem(name).id == "d_example-1_org" && Owner.onPrem(name).onPrem == name)
        for text in ["", ".a", "-a", "A", "a_b", "a/b", String(repeating: "a", count: 65), "ä"] {
            #expect(OnPremName(text) == nil)
        }
        #expect(Owner(messenger: "onprem", id: "a*b")?.onPrem == nil)
    }

    @Test(arguments: [
        ("https://o.example", "https://o.example/prov/config.oppf"),
        ("https://o.example:8443/", "https://o.example:8443/prov/config.oppf"),
        ("https://o.example/x/y.oppf", "https://o.example/x/y.oppf"),
    ])
    func `where a file is fetched`(_ typed: String, _ url: String) { #expect(OnPremSource(typed: typed)?.url == url) }

    @Test(arguments: ["http://o.example", "https://u:p@o.example", "https://o.example/?x", "https://", "https://o/#a"])
    func `no address of a file`(_ typed: String) { #expect(OnPremSource(typed: typed) == nil) }
}
