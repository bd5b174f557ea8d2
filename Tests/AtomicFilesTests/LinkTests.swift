import AtomicFiles
import Testing

/// Second names, given times, and locks that are shared.
@Suite struct LinkTests {
    private let scratch: Scratch
    private let other: Scratch

    init() throws {
        scratch = try Scratch()
        other = try Scratch()
    }

    @Test func `a second name survives the replacement of the first, and replaces nothing`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        let target = try Directory.open(other.path, rule: .shared)
        try directory.write("file", [1].span)
        #expect(try directory.link("file", into: target, as: "old"))
        try directory.write("file", [2].span)
        #expect(throws: FileError.exists(path: other.at("old"))) {
            _ = try directory.link("file", into: target, as: "old")
        }
        #expect(throws: FileError.missing(path: scratch.at("none"))) {
            _ = try directory.link("none", into: target, as: "new")
        }
        #expect(try other.content("old") == [1])
        #expect(try scratch.content("file") == [2])
        #expect(try other.names() == ["old"])
    }

    @Test(arguments: [true, false])
    func `an old file stays under the name that is given, and replaces nothing`(isInPieces: Bool) throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        func write(_ byte: UInt8, keepingOldAs old: String) throws {
            let existing = Directory.Existing.keep(as: old)
            guard isInPieces else { return try directory.write("file", [byte].span, existing: existing) }
            try directory.write("file", existing: existing) { try $0.write([byte].span) }
        }
        // Nothing is there to be kept.
        #expect(throws: FileError.missing(path: scratch.at("file"))) { try write(1, keepingOldAs: "file.1") }
        try directory.write("file", [1].span)
        #expect(try directory.freeNumber(after: "file") == 1)
        try write(2, keepingOldAs: "file.1")
        #expect(throws: FileError.exists(path: scratch.at("file.1"))) { try write(3, keepingOldAs: "file.1") }
        #expect(try scratch.content("file") == [2])
        #expect(try scratch.content("file.1") == [1])
        #expect(try directory.freeNumber(after: "file") == 2)
        #expect(try scratch.names() == ["file", "file.1"])
    }

    @Test func `a write sets the given time`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        for existing in [Directory.Existing.replace, .refuse] {
            let name = "\(existing)"
            try directory.write(name, [1].span, existing: existing, modified: 1_795_262_400_123)
            #expect(try directory.modificationTime(of: name) == 1_795_262_400_123)
        }
    }

    @Test func `a shared lock excludes the exclusive one only`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        let first = try directory.lock(wait: .zero, isShared: true)
        let second = try directory.lock(wait: .zero, isShared: true)
        #expect(throws: FileError.locked(path: scratch.path)) { _ = try directory.lock(wait: .zero) }
        _ = consume first
        _ = consume second
        let alone = try directory.lock(wait: .zero)
        #expect(throws: FileError.locked(path: scratch.path)) {
            _ = try directory.lock(wait: .zero, isShared: true)
        }
        _ = consume alone
    }
}
