import Testing

@testable import ThreemaDataBackup

/// End record, directory and local headers: what is accepted, and the layer that refuses.
@Suite struct ArchiveTests {
    typealias Change = @Sendable (inout SampleArchive) -> Void

    /// A change of a good file, and the error that it has to cause.
    struct Refusal: Sendable {
        let error: DataBackupError
        let change: Change

        init(_ error: DataBackupError, _ change: @escaping Change) { (self.error, self.change) = (error, change) }
    }

    @Test(arguments: [false, true]) func `an entry is found`(isZip64: Bool) throws {
        let sample = SampleArchive().with { $0.isZip64 = isZip64 }
        let entry = try sample.entry()
        #expect(entry.name == "settings")
        #expect(Array(sample.bytes[entry.data]) == sample.data)
        #expect((entry.version, entry.method, entry.contentCount) == (2, 8, 15))
    }

    @Test func `a comment may have any length`() throws {
        for count in [1, 22, 65_535] {
            let sample = SampleArchive().with { $0.comment = [UInt8](repeating: 0x50, count: count) }
            #expect(try sample.entry().name == "settings")
        }
    }

    @Test func `other extra fields and unread entries do not matter`() throws {
        let sample = SampleArchive().with { $0.extra = [9, 9, 2, 0, 1, 2] + $0.extra + [8, 8, 0, 0] }
        #expect(try sample.entry().name == "settings")
    }

    private static let structure: [Refusal] = [
        Refusal(.truncated) { $0.tail = [0] },
        Refusal(.truncated) { $0.commentCount = 1 },
        Refusal(.damaged(.directory)) { $0.entries = 2 },
        Refusal(.damaged(.directory)) { $0.entries = 0 },
        Refusal(.damaged(.endRecord)) { $0.directoryCount = 1 },
        Refusal(.damaged(.endRecord)) { $0.directoryOffset = 1 },
        Refusal(.damaged(.endRecord)) { $0.directoryOffset = 1 << 30 },
        Refusal(.damaged(.endRecord)) { $0.gap = [0] },
        Refusal(.damaged(.endRecord)) { ($0.isZip64, $0.directoryOffset) = (true, 0) },
        Refusal(.damaged(.endRecord)) { ($0.isZip64, $0.directoryOffset) = (true, 1 << 62) },
        Refusal(.damaged(.endRecord)) { ($0.isZip64, $0.directoryCount) = (true, 1) },
        Refusal(.damaged(.directory)) { $0.disk = 1 },
        Refusal(.damaged(.directory)) { $0.extra.removeLast() },
        Refusal(.damaged(.directory)) { $0.extra += $0.extra },
        Refusal(.damaged(.directory)) { $0.extra[2] = 200 },
    ]

    @Test(arguments: structure)
    func `end record and directory have to agree`(refusal: Refusal) {
        #expect(throws: refusal.error) { try SampleArchive().with(refusal.change).entry() }
    }

    private static let encryption: [Refusal] = [
        Refusal(.notEncrypted(entry: "settings")) { $0.flags = 0x0808 },
        Refusal(.otherMethod(entry: "settings")) { $0.method = 8 },
        Refusal(.otherMethod(entry: "settings")) { $0.flags = 0x0849 },
        Refusal(.otherMethod(entry: "settings")) { $0.extra = [] },
        Refusal(.otherMethod(entry: "settings")) { $0.extra[8] = 1 },
        Refusal(.otherMethod(entry: "settings")) { $0.extra[9] = 9 },
        Refusal(.otherMethod(entry: "settings")) { $0.extra[4] = 3 },
        Refusal(.otherMethod(entry: "settings")) { $0.extra[6] = 0x42 },
        Refusal(.entryTooLong(entry: "settings", limit: 1024)) { $0.contentCount = 1025 },
        Refusal(.entryTooLong(entry: "settings", limit: 1024)) { $0.dataCount = 4000 },
        Refusal(.damagedEntry("settings")) { $0.data = [UInt8](repeating: 0, count: 27) },
        Refusal(.damagedEntry("settings")) { $0.extra[9] = 0 },
        Refusal(.damaged(.header(entry: "settings"))) { $0.localName = "setting5" },
        Refusal(.damaged(.header(entry: "settings"))) { $0.localName = "longer name" },
        Refusal(.damaged(.header(entry: "settings"))) { $0.localFlags = 0 },
        Refusal(.damaged(.header(entry: "settings"))) { $0.localExtra = [] },
        Refusal(.damaged(.header(entry: "settings"))) { $0.localExtra = [1, 0x99, 7, 0, 2, 0, 0x41, 0x45, 3, 0, 0] },
        Refusal(.damaged(.header(entry: "settings"))) { $0.offset = 1 },
        Refusal(.damaged(.header(entry: "settings"))) { $0.offset = 1 << 31 },
        Refusal(.damaged(.header(entry: "settings"))) { $0.dataCount = 61 },
    ]

    @Test(arguments: encryption)
    func `what is read has to be encrypted as the app does it`(refusal: Refusal) {
        #expect(throws: refusal.error) { try SampleArchive().with(refusal.change).entry() }
    }

    @Test func `every shorter file is cut off`() {
        let bytes = SampleArchive().bytes
        for count in 0..<bytes.count {
            #expect(throws: DataBackupError.truncated) { try EndRecord(of: ArchiveSource(Array(bytes[..<count]))) }
        }
    }

    @Test func `limits of the directory`() {
        func sample(_ change: Change) -> ArchiveSource { ArchiveSource(SampleArchive().with(change).bytes) }
        #expect(throws: DataBackupError.tooManyEntries(limit: 1_000_000)) {
            try EndRecord(
                of: sample {
                    ($0.isZip64, $0.entries) = (true, 1_000_001)
                }.patchedEntries)
        }
        #expect(throws: DataBackupError.directoryTooLong(limit: 268_435_456)) {
            try EndRecord(of: sample { $0.directoryCount = 268_435_457 })
        }
    }

    @Test func `a file without settings and identity is something else`() {
        func error(_ name: String) -> DataBackupError? {
            do { _ = try DataBackup(ArchiveSource(SampleArchive().with { $0.name = name }.bytes)) } catch {
                return error
            }
            return nil
        }
        #expect(error("messages.txt") == .chatExport)
        #expect(error("photo.jpg") == .otherArchive)
        #expect(error("settings") == .missing(entry: "identity"))
        #expect(error("identity") == .missing(entry: "settings"))
    }
}

extension ArchiveSource {
    /// With 0xffff as the number of entries in the end record, which is too small for the real one.
    fileprivate var patchedEntries: ArchiveSource {
        get throws {
            var bytes = try read(0, count)
            for index in bytes.count - 14..<bytes.count - 10 { bytes[index] = 0xff }
            return ArchiveSource(bytes)
        }
    }
}
