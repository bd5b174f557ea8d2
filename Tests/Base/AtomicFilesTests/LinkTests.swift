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

    @Test func `a file is kept under the next number that is free`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        #expect(throws: FileError.missing(path: scratch.at("file"))) { _ = try directory.keep("file") }
        for number in 1...3 {
            try directory.write("file", [UInt8(number)].span)
            #expect(try directory.keep("file") == "file.\(number)")
        }
        try directory.write("file", [4].span)
        #expect(try directory.names() == ["file", "file.1", "file.2", "file.3"])
        #expect(try (1...3).map { try scratch.content("file.\($0)") } == [[1], [2], [3]])
    }

    @Test func `a kept file is taken back unless it was replaced`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        try directory.write("file", [1].span)
        try directory.takeBack(try directory.keep("file"), of: "file")
        #expect(try directory.names() == ["file"])
        // As on a file system without second names.
        try directory.rename("file", to: "file.1", existing: .refuse)
        try directory.takeBack("file.1", of: "file")
        #expect(try directory.names() == ["file"])
        #expect(try directory.keep("file") == "file.1")
        try directory.write("file", [2].span)
        try directory.takeBack("file.1", of: "file")
        #expect(try directory.names() == ["file", "file.1"])
        #expect(try scratch.content("file.1") == [1])
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
