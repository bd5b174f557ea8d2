import AtomicFiles
import Testing

@Suite struct RemoveTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test func `a file is removed, and one that is not there is fine`() throws {
        try scratch.put("file")
        let directory = try Directory.open(scratch.path, rule: .secret)
        try directory.remove("file")
        try directory.remove("file")
        let names = try scratch.names()
        #expect(names == [])
    }

    @Test func `a link is removed itself`() throws {
        try scratch.put("target")
        try scratch.putLink("link", to: "target")
        let directory = try Directory.open(scratch.path, rule: .secret)
        try directory.remove("link")
        let names = try scratch.names()
        #expect(names == ["target"])
    }

    @Test func `a directory is no file to remove`() throws {
        try scratch.putDirectory("directory")
        let directory = try Directory.open(scratch.path, rule: .secret)
        #expect(throws: FileError.wrongKind(path: scratch.at("directory"))) { try directory.remove("directory") }
    }

    @Test func `a directory goes with its files, the hidden ones too`() throws {
        try scratch.put("outside", [9])
        try scratch.putDirectory("directory")
        for name in ["directory/a", "directory/.b.new", "directory/lock"] { try scratch.put(name) }
        try scratch.putLink("directory/link", to: "../outside")
        let directory = try Directory.open(scratch.path, rule: .secret)
        try directory.removeDirectory("directory")
        try directory.removeDirectory("directory")
        let names = try scratch.names()
        #expect(names == ["outside"])
        let outside = try scratch.content("outside")
        #expect(outside == [9])
    }

    @Test func `a directory behind a link is not emptied`() throws {
        try scratch.putDirectory("target")
        try scratch.put("target/file")
        try scratch.putLink("link", to: "target")
        let directory = try Directory.open(scratch.path, rule: .secret)
        #expect(throws: FileError.wrongKind(path: scratch.at("link"))) { try directory.removeDirectory("link") }
        let names = try scratch.names(in: "target")
        #expect(names == ["file"])
    }

    @Test func `what killed writers left of files is swept, and nothing else`() throws {
        for name in [".a.new", ".a.1x9z.new", ".b.new"] { try scratch.put(name) }
        let kept = [".a", ".new.a", "a", "a.new", ".a.newer"]
        for name in kept { try scratch.put(name) }
        let directory = try Directory.open(scratch.path, rule: .shared)
        try directory.sweepFiles()
        let names = try scratch.names()
        #expect(names == kept.sorted())
    }

    @Test func `half-made directories are swept, whole ones are not`() throws {
        for name in [".A.new", ".B.new", "A", ".C"] {
            try scratch.putDirectory(name)
            try scratch.put(name + "/file")
        }
        let directory = try Directory.open(scratch.path, rule: .secret)
        try directory.sweepDirectories()
        let names = try scratch.names()
        #expect(names == [".C", "A"])
    }

    @Test func `a directory with deeper directories in it than were named is left`() throws {
        try scratch.putDirectory("directory")
        try scratch.putDirectory("directory/inner")
        try scratch.putDirectory("directory/inner/innermost")
        try scratch.put("directory/inner/innermost/file")
        try scratch.put("directory/inner/file")
        try scratch.put("directory/file")
        let directory = try Directory.open(scratch.path, rule: .secret)
        #expect(throws: FileError.wrongKind(path: scratch.at("directory/inner"))) {
            try directory.removeDirectory("directory")
        }
        #expect(throws: FileError.wrongKind(path: scratch.at("directory/inner"))) {
            try directory.removeDirectory("directory", depth: 1)
        }
        #expect(throws: FileError.wrongKind(path: scratch.at("directory/inner/innermost"))) {
            try directory.removeDirectory("directory", depth: 2)
        }
        try directory.removeDirectory("directory", depth: 3)
        let names = try scratch.names()
        #expect(names == [])
    }
}
