import AtomicFiles
import Testing
import VectorKit

@Suite struct RangeLockTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.put("file", Array("content".utf8))
    }

    private func lock(_ start: Int64, count: Int64 = 1) throws -> RangeLock {
        try Directory.open(scratch.path, rule: .secret).lockBytes(start, count: count, of: "file")
    }

    /// Whether another process can lock bytes with F_SETLK, as SQLite does.
    private func canLock(_ start: Int, count: Int, _ kind: String) throws -> Bool {
        let program = """
            import fcntl, sys
            file = open(sys.argv[1], "r+b")
            try:
                fcntl.lockf(file, getattr(fcntl, sys.argv[4]) | fcntl.LOCK_NB, int(sys.argv[3]), int(sys.argv[2]))
            except BlockingIOError:
                sys.exit(1)
            """
        return try Program.run(
            "/usr/bin/python3", "-c", program, scratch.at("file"), "\(start)", "\(count)", kind) == 0
    }

    @Test(arguments: ["LOCK_EX", "LOCK_SH"]) func `other processes see it, for these bytes`(kind: String) throws {
        let lock = try lock(1 << 30, count: 512)
        #expect(try !canLock(1 << 30, count: 1, kind))
        #expect(try !canLock((1 << 30) + 511, count: 1, kind))
        #expect(try canLock((1 << 30) + 512, count: 1, kind))
        #expect(try canLock(0, count: 7, kind))
        _ = consume lock
        #expect(try canLock(1 << 30, count: 512, kind))
    }

    @Test func `a second one is refused until the first one ends, and the file stays`() throws {
        let first = try lock(5, count: 10)
        #expect(throws: FileError.locked(path: scratch.at("file"))) { _ = try lock(14) }
        _ = try lock(15)
        _ = consume first
        _ = try lock(14)
        #expect(try scratch.content("file") == Array("content".utf8))
    }

    @Test func `it ends for a process that was forked meanwhile, too`() throws {
        let first = try lock(5, count: 10)
        let inherited = try OpenFile.copy(of: scratch.at("file"))
        _ = consume first
        _ = try lock(5, count: 10)
        inherited.close()
    }

    @Test func `it stays if this process closes the file, or is refused another lock`() throws {
        let first = try lock(5, count: 10)
        #expect(try scratch.content("file") == Array("content".utf8))
        #expect(throws: FileError.locked(path: scratch.at("file"))) { _ = try lock(5) }
        _ = try lock(20)
        #expect(try !canLock(5, count: 10, "LOCK_EX"))
        _ = consume first
        #expect(try canLock(5, count: 10, "LOCK_EX"))
    }

    @Test func `a missing file and one that is none are not locked`() throws {
        let directory = try Directory.open(scratch.path, rule: .secret)
        #expect(throws: FileError.missing(path: scratch.at("none"))) {
            _ = try directory.lockBytes(0, count: 1, of: "none")
        }
        try directory.makeDirectory("inner")
        #expect(throws: FileError.wrongKind(path: scratch.at("inner"))) {
            _ = try directory.lockBytes(0, count: 1, of: "inner")
        }
        #expect(try !directory.contains("none"))
    }
}
