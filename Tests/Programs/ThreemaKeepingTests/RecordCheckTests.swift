import Keystore
import SafeKeepingKit
import SecureMemory
import Testing
import Threema
import ThreemaSafe
import VectorKit

@testable import SafeKeeping
@testable import ThreemaKeeping
@testable import ThreemaRecords

/// Records that another keystore may have made.
@Suite struct RecordCheckTests {
    private static let owner = Owner(messenger: "threema", id: "ABCD1234")!
    private static let key = [UInt8](repeating: 0xcc, count: 32)
    private let setup: [UInt8]
    private let sound: [RecordName: [UInt8]]

    init() throws {
        setup = SafeSetup(Household.target(try Household().server)).encoded().copied
        sound = [
            "identity": Array("ABCD1234".utf8) + Self.key, "profile": SafeDocument.empty.encoded,
            "devicegroupkey": [UInt8](repeating: 1, count: 32),
            "directory": Array(#"{"url":"https://directory.example/"}"#.utf8),
            ("safe" as RecordName).at(.main): setup, ("safe" as RecordName).at(PlaceName("b")!): setup,
        ]
    }

    private func problem(_ records: [RecordName: [UInt8]], of owner: Owner = Self.owner) -> RecordProblem? {
        var bytes: [UInt8] = []
        var places: [RecordName: Range<Int>] = [:]
        for (name, content) in records {
            places[name] = bytes.count..<bytes.count + content.count
            bytes += content
        }
        do throws(RecordProblem) {
            let key = try IdentityKeeper.check(RecordSet(of: owner, places, in: bytes.span))
            #expect(key == Household.identity().clientKey.publicKey)
            return nil
        } catch {
            return error
        }
    }

    private func changed(_ name: RecordName, _ content: [UInt8]?) -> [RecordName: [UInt8]] {
        var records = sound
        records[name] = content
        return records
    }

    @Test func `what keytool writes is accepted`() {
        #expect(problem(sound) == nil)
        #expect(problem(["identity": sound["identity"]!, "profile": sound["profile"]!]) == nil)
    }

    @Test(arguments: [
        ("threema", "abcd1234"), ("threema", "ABCD123"), ("threema", "ABCD-234"), ("telegram", "ABCD1234"),
    ])
    func `an owner that is no Threema ID`(_ messenger: String, _ id: String) {
        #expect(problem(sound, of: Owner(messenger: messenger, id: id)!) == .owner)
    }

    @Test(arguments: ["identity", "profile"] as [RecordName])
    func `a record without which there is no identity`(_ name: RecordName) {
        #expect(problem(changed(name, nil)) == .missing(name))
    }

    @Test func `records that no Threema identity has`() {
        let main = PlaceName.main
        let names: [RecordName] = [
            "linking", "matchtoken", "contactstates", "safe", "other", ("identity" as RecordName).at(main),
        ]
        for name in names {
            #expect(problem(changed(name, [1])) == .unknown(name))
        }
    }

    @Test func `an identity of another ID, and of another length`() {
        let wrong: [[UInt8]] = [
            Array("WXYZ9876".utf8) + Self.key, Array("ABCD1234".utf8) + Self.key + [0], [], Self.key,
        ]
        for bytes in wrong {
            #expect(problem(changed("identity", bytes)) == .malformed("identity"))
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"info":{"version":2},"user":{}}"#,
        #"{"info":{"version":1},"user":{"privatekey":"zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMw="}}"#,
        #"{"info":{"version":1},"user":{"privatekey":7}}"#,
        #"{"info":{"version":1},"user":{},"keytool":{"generation":1}}"#,
    ])
    func `a profile that is no document, or has what a push adds`(_ text: String) {
        #expect(problem(changed("profile", Array(text.utf8))) == .malformed("profile"))
    }

    @Test func `a profile that is longer than a document`() {
        let blanks = [UInt8](repeating: 0x20, count: SafeBackup.maxDocumentBytes)
        #expect(problem(changed("profile", SafeDocument.empty.encoded + blanks)) == .malformed("profile"))
    }

    @Test func `a profile that another program has formatted`() {
        let text = "{\n  \"user\": {},\n  \"info\": {\"version\": 1}\n}\n"
        #expect(problem(changed("profile", Array(text.utf8))) == nil)
    }

    @Test func `other keys, directories and setups`() {
        #expect(problem(changed("devicegroupkey", [1])) == .malformed("devicegroupkey"))
        #expect(problem(changed("shares", [1])) == .malformed("shares"))
        #expect(problem(changed("kit", [1])) == .malformed("kit"))
        #expect(problem(changed("kit", [1] + Array(repeating: 7, count: 88))) == nil)
        #expect(problem(changed("kit", [2] + Array(repeating: 7, count: 88))) == .malformed("kit"))
        for url in ["http://directory.example/", "https://u@directory.example/", "https://directory.example/../"] {
            #expect(problem(changed("directory", Array("{\"url\":\"\(url)\"}".utf8))) == .malformed("directory"))
        }
        let main = ("safe" as RecordName).at(.main)
        let wrong: [[UInt8]] = [[], [1], setup + [0], [2] + setup.dropFirst(), Array(setup.dropLast())]
        for bytes in wrong {
            #expect(problem(changed(main, bytes)) == .malformed(main))
        }
    }

    @Test func `a setup that would not fit when it is written again, or with a login that no header has`() {
        func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
            var length = content.count
            var varint: [UInt8] = []
            while length > 127 {
                varint.append(UInt8(length & 127 | 128))
                length >>= 7
            }
            return [number << 3 | 2] + varint + [UInt8(length)] + content
        }
        let start = field(1, [UInt8](repeating: 7, count: 64)) + field(2, Array("file:///memory".utf8))
        func login(_ user: String, _ password: Int) -> [UInt8] {
            field(3, Array(user.utf8)) + field(4, [UInt8](repeating: 0x61, count: password))
        }
        let main = ("safe" as RecordName).at(.main)
        #expect(problem(changed(main, [1] + field(1, start + login("alice", 9)))) == nil)
        for rest in [
            field(5, [UInt8](repeating: 1, count: 48 * 1024 + 1)), field(6, [UInt8](repeating: 1, count: 17 * 32)),
            login("al:ice", 9), login("alice\r\nX: y", 9), login("", 9), login("alice", 4097),
            login(String(repeating: "a", count: 257), 9),
        ] {
            #expect(problem(changed(main, [1] + field(1, start + rest))) == .malformed(main))
        }
    }

    @Test func `more places than an identity has`() {
        var records = sound
        for number in 0..<SafeKeeper.maxPlaces - 2 {
            records[("safe" as RecordName).at(PlaceName("p\(number)")!)] = setup
        }
        #expect(problem(records) == nil)
        records[("safe" as RecordName).at(PlaceName("another")!)] = setup
        #expect(problem(records) == .tooManyPlaces(limit: SafeKeeper.maxPlaces))
    }
}
