import Foundation
import Keystore
import SecureMemory
import Synchronization
import Tar
import Testing

@testable import MessengerKeeping

private let first = Owner(messenger: "carrier", id: "ONE")!
private let second = Owner(messenger: "carrier", id: "TWO")!
private let safe: RecordName = "safe"

@Suite struct ArchiveLayoutTests {
    private func refusal(_ files: [(String, [UInt8])]) -> ArchiveError? {
        let bytes = Written.tar(files)
        do throws(ArchiveError) {
            _ = try Archive(bytes.span)
            return nil
        } catch {
            return error
        }
    }

    private let version = ("keytool-archive", Array("1\n".utf8))

    @Test func `the files of an export, in their order`() throws {
        let scratch = try Scratch()
        try scratch.add(second, ["key": [1, 2, 3], safe.at(.main): [4]])
        try scratch.add(first, ["key": [5, 6, 7], "session": [9]])
        try scratch.keystore.lockedIdentity(first, wait: .zero).writeState([8], of: .main)
        let bytes = try scratch.archive()
        let files = try TarArchive(bytes.span, maxEntries: 10).files
        #expect(
            files.map(\.name.text) == [
                "README.txt", "keytool-archive", "carrier/ONE/key", "carrier/TWO/key", "carrier/TWO/places/main/safe",
            ])
        let contents = files.map { Array(bytes[$0.content]) }
        #expect(contents == [Array("Read me.\n".utf8), [0x31, 10], [5, 6, 7], [1, 2, 3], [4]])
        #expect(files.allSatisfy { $0.seconds == 1_900_000_000 })
        let archive = try Archive(bytes.span)
        #expect(archive.identities.map(\.owner) == [first, second])
        #expect(archive.time.milliseconds == 1_900_000_000_000)
        #expect(archive.identities[1].read(safe.at(.main))?.copied == [4])
    }

    @Test func `a Threema profile is a JSON file, and nothing else is`() throws {
        let scratch = try Scratch()
        let threema = Owner(messenger: "threema", id: "ABCD1234")!
        try scratch.add(threema, ["profile": [0x7b, 0x7d]])
        try scratch.add(first, ["key": [1, 2, 3], "profile": [0x7b, 0x7d]])
        let bytes = try scratch.archive()
        #expect(
            try TarArchive(bytes.span, maxEntries: 10).files.map(\.name.text).suffix(3) == [
                "carrier/ONE/key", "carrier/ONE/profile", "threema/ABCD1234/profile.json",
            ])
        let archive = try Archive(bytes.span)
        #expect(archive.identities[1].names == ["profile"])
    }

    @Test func `another version, or none`() {
        #expect(refusal([]) == .notArchive)
        #expect(refusal([("README.txt", [1]), ("carrier/ONE/key", [1])]) == .notArchive)
        for text in ["2\n", "1", "", "1\n\n", "11\n", "\u{1b}[2J\n", String(repeating: "9", count: 600)] {
            let shown = String(text.prefix(16).prefix { $0 != "\n" })
            #expect(refusal([("keytool-archive", Array(text.utf8))]) == .version(shown))
        }
    }

    @Test(arguments: [
        "notes.txt", "carrier", "carrier/ONE", "carrier/ONE/Key", "carrier/ONE/key.json", "carrier/ONE/state.json",
        "carrier/ONE/places/main/state.json", "carrier/ONE/places/Main/safe", "carrier/ONE/places/main",
        "carrier/ONE/other/main/safe", "carrier/ONE/lock", "carrier/ONE/commit", "carrier/ONE/history",
        "carrier/ONE/places", "carrier/ONE/places/main/success", "carrier/ONE/places/main/history/x",
        "carrier/ONE/sessions.db", "Carrier/ONE/key", "carrier/O.E/key", "carrier/.ONE.new/key",
        "carrier/.pending-x/pending", "threema/ABCD1234/profile", "threema/ABCD1234/identity.json",
        "carrier/ONE/abcdefghijklmnopq", "master.key", "keystore",
    ])
    func `a file that no record has`(_ name: String) {
        #expect(refusal([version, (name, [1])]) == .unknownFile(name))
    }

    @Test func `no tar archive, and a damaged one`() throws {
        let noise = [UInt8](repeating: 0x41, count: 2048)
        #expect(throws: ArchiveError.tar(.notTar)) { _ = try Archive(noise.span) }
        let cut = Array(Written.tar([version]).dropLast(1024))
        #expect(throws: ArchiveError.tar(.noEnd)) { _ = try Archive(cut.span) }
    }

    @Test func `lengths are checked before anything is copied`() {
        let long = [UInt8](repeating: 0, count: RecordName.maxContentBytes + 1)
        #expect(
            refusal([version, ("carrier/ONE/key", long)])
                == .recordTooLarge("carrier/ONE/key", limit: RecordName.maxContentBytes))
        #expect(refusal([version, ("carrier/ONE/key", Array(long.dropLast()))]) == nil)
    }
}

@Suite struct ArchiveDecisionTests {
    private let archived = RecordSet(of: first, ["key": [1, 2, 3], "name": [1], safe.at(.main): [4]])

    @Test func `comparisons`() throws {
        #expect(ArchiveComparison(archived, with: nil) == .missing)
        let same = RecordSet(of: first, [safe.at(.main): [4], "name": [1], "key": [1, 2, 3]])
        #expect(ArchiveComparison(archived, with: same) == .same)
        let other = RecordSet(of: first, ["key": [1, 2, 4], safe.at(PlaceName("b")!): [4], safe.at(.main): [4]])
        #expect(
            ArchiveComparison(archived, with: other)
                == .differs([
                    .init("key", .different), .init("name", .onlyInArchive),
                    .init(safe.at(PlaceName("b")!), .onlyInKeystore),
                ]))
        #expect(
            ArchiveComparison(archived, with: RecordSet(of: first, ["key": [1, 2], "name": [], safe.at(.main): [4]]))
                == .differs([.init("key", .different), .init("name", .different)]))
    }

    @Test func `what a messenger changes by itself`() {
        let held = RecordSet(of: first, ["key": [1, 2, 3], "extra": [1], safe.at(.main): [4]])
        let isSame: ArchivedMessenger.IsSame = { name, archived, held in
            name == "name" || name == "extra" || archived.isEqual(name, in: held)
        }
        #expect(ArchiveComparison(archived, with: held, isSame) == .same)
        let other = RecordSet(of: first, ["key": [1, 2, 4], safe.at(.main): [4]])
        #expect(ArchiveComparison(archived, with: other, isSame) == .differs([.init("key", .different)]))
    }

    @Test func `nothing is replaced without being told`() {
        let differences = [RecordDifference("key", .different)]
        for mayReplace in [false, true] {
            #expect(ImportDecision(.missing, mayReplace: mayReplace) == .add)
            #expect(ImportDecision(.same, mayReplace: mayReplace) == .nothing)
        }
        #expect(ImportDecision(.differs(differences), mayReplace: false) == .refuse(differences))
        #expect(ImportDecision(.differs(differences), mayReplace: true) == .replace(differences))
    }
}

@Suite struct ArchiveKeeperTests {
    private let scratch: Scratch
    private let other: Scratch

    init() throws {
        scratch = try Scratch()
        other = try Scratch()
        try scratch.add(first, ["key": [1, 2, 3], "name": [7], safe.at(.main): [4]])
        try scratch.add(second, ["key": [5, 6, 7]])
    }

    private func archived(_ owner: Owner) throws -> RecordSet {
        let bytes = try scratch.archive()
        return try #require(try Archive(bytes.span).identities.first { $0.owner == owner })
    }

    @Test func `what is missing is added with all of its records`() throws {
        for owner in [first, second] {
            #expect(try other.keeper.store(try archived(owner), mayReplace: false) == .add)
            #expect(try other.content(owner) == scratch.content(owner))
            #expect(try other.keeper.store(try archived(owner), mayReplace: true) == .nothing)
        }
    }

    @Test func `several imports of the same at once`() throws {
        let (records, keeper) = (try archived(first), other.keeper)
        let results = Mutex<[ImportDecision?]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let result = try? keeper.store(records, mayReplace: false)
            results.withLock { $0.append(result) }
        }
        let all = results.withLock { $0 }
        #expect(all.count { $0 == .add } == 1 && all.count { $0 == .nothing } == 7)
    }

    @Test func `what is held is not changed`() throws {
        try other.add(first, ["key": [1, 2, 3]])
        let before = try other.content(first)
        let records = try archived(first)
        #expect(
            throws: ArchiveRefusal.held(
                first, [.init("name", .onlyInArchive), .init(safe.at(.main), .onlyInArchive)])
        ) { _ = try other.keeper.store(records, mayReplace: false) }
        #expect(try other.content(first) == before)
    }

    @Test func `a replacement takes all records and states of exactly this one`() throws {
        let b = PlaceName("b")!
        try other.add(first, ["key": [9, 9, 9], "session": [1], "extra": [2], safe.at(b): [3]])
        try other.add(second, ["key": [8, 8, 8]])
        let held = try other.keystore.lockedIdentity(first, wait: .zero)
        for place in [PlaceName.main, b] { try held.writeState([1, 2], of: place) }
        try held.keepHistory(
            HistoryBackup([1], digest: [UInt8](repeating: 5, count: 32), secret: SecureBytes(count: 64) { _ in }),
            origin: .replaced, of: b, at: 1_900_000_000_000)
        _ = consume held
        let decision = try other.keeper.store(try archived(first), mayReplace: true)
        #expect(
            decision
                == .replace([
                    .init("extra", .onlyInKeystore), .init("key", .different), .init("name", .onlyInArchive),
                    .init(safe.at(b), .onlyInKeystore), .init(safe.at(.main), .onlyInArchive),
                ]))
        #expect(try other.content(first) == scratch.content(first))
        #expect(try other.content(second) == ["key": [8, 8, 8]])
        #expect(try other.keystore.identity(first).history(of: b).count == 1)
    }

    @Test func `a damaged record is named, and can be replaced`() throws {
        try other.add(first, ["key": [9, 9, 9], "name": [7], safe.at(.main): [4]])
        try [1, 2, 3].write(to: other.path + "/keys/identities/carrier/ONE/key")
        let records = try archived(first)
        #expect(throws: ArchiveRefusal.held(first, [.init("key", .damagedInKeystore)])) {
            _ = try other.keeper.store(records, mayReplace: false)
        }
        let survey = try other.keeper.survey()
        #expect(survey.identities.isEmpty)
        #expect(survey.failures.map { $0.error as? ArchiveRefusal } == [.damaged(first, "key")])
        _ = try other.keeper.store(records, mayReplace: true)
        #expect(try other.content(first) == scratch.content(first))
    }

    @Test func `what its messenger refuses is not stored, whatever was asked for`() throws {
        try other.add(first, ["key": [9, 9, 9]])
        let unknown = Owner(messenger: "pigeon", id: "ONE")!
        let cases: [(RecordSet, ArchiveRefusal)] = [
            (RecordSet(of: first, ["name": [1]]), .malformed(first, .missing("key"))),
            (RecordSet(of: first, ["key": [1]]), .malformed(first, .malformed("key"))),
            (RecordSet(of: first, ["key": [1, 2, 3], "session": [1]]), .malformed(first, .unknown("session"))),
            (RecordSet(of: unknown, ["key": [1, 2, 3]]), .unknownMessenger(unknown)),
        ]
        for (records, refusal) in cases {
            #expect(throws: refusal) { _ = try other.keeper.store(records, mayReplace: true) }
        }
        #expect(try other.keystore.identities() == [first])
        #expect(try other.content(first) == ["key": [9, 9, 9]])
    }

    @Test func `more records than change at once`() throws {
        var records: [RecordName: [UInt8]] = ["key": [1, 2, 3]]
        for number in 0..<RecordChanges.limit { records[safe.at(PlaceName("p\(number)")!)] = [1] }
        let many = RecordSet(of: first, records)
        #expect(try other.keeper.store(many, mayReplace: false) == .add)
        let fewer = RecordSet(of: first, ["key": [1, 2, 3]])
        #expect(throws: ArchiveRefusal.tooManyRecords(first, limit: RecordChanges.limit)) {
            _ = try other.keeper.store(fewer, mayReplace: true)
        }
        #expect(try other.content(first).count == RecordChanges.limit + 1)
    }

    @Test func `an unknown messenger is exported`() throws {
        let unknown = Owner(messenger: "pigeon", id: "ONE")!
        try scratch.add(unknown, ["nest": [1]])
        let survey = try scratch.keeper.survey()
        #expect(survey.identities.map(\.isKnown) == [true, true, false])
        #expect(survey.identities.map(\.publicKey) == ["1", "5", nil])
        let bytes = try scratch.archive()
        #expect(try Archive(bytes.span).identities.map(\.owner) == [first, second, unknown])
    }

    @Test func `identities that the archive does not contain`() throws {
        let bytes = try scratch.archive()
        let archive = try Archive(bytes.span)
        try scratch.add(Owner(messenger: "carrier", id: "THREE")!, ["key": [1, 2, 3]])
        #expect(try scratch.keeper.owners(notIn: archive).map(\.id) == ["THREE"])
    }

    /// Each mutation of an archive is refused with a name, or its identities are bounded and checked.
    @Test func `ten thousand mutations`() throws {
        let original = try scratch.archive()
        var state: UInt64 = 0x2545f4914f6cdd1d
        func next(below bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state >> 11) % bound
        }
        var refused = 0
        for _ in 0..<10_000 {
            var bytes = original
            for _ in 0...next(below: 3) {
                switch next(below: 4) {
                case 0: bytes[next(below: bytes.count)] = UInt8(next(below: 256))
                case 1: bytes.removeSubrange(next(below: bytes.count)...)
                case 2: bytes.insert(UInt8(next(below: 256)), at: next(below: bytes.count))
                default: bytes[512 * next(below: bytes.count / 512 + 1) % bytes.count] = UInt8(next(below: 256))
                }
                if bytes.isEmpty { bytes = [0] }
            }
            do throws(ArchiveError) {
                for records in try Archive(bytes.span).identities {
                    #expect(records.count <= original.count)
                    _ = try? Scratch.messengers.check(records)
                }
            } catch {
                refused += 1
            }
        }
        #expect(refused > 5_000)
    }
}

extension [UInt8] {
    fileprivate func write(to path: String) throws { try Data(self).write(to: URL(filePath: path)) }
}
