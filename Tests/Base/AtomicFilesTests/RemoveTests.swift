import AtomicFiles
import Glibc
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

    /// Creates a file or directory whose name is `\u{ff}`, a byte that no text has.
    private func putUnnamable(in name: String, isDirectory: Bool = false) throws {
        let path = Array((scratch.at(name) + "/").utf8CString.dropLast()) + [CChar(bitPattern: 0xff), 0]
        guard isDirectory else {
            let file = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
            try #require(file >= 0 && close(file) == 0)
            return
        }
        try #require(unsafe mkdir(path, 0o700) == 0)
    }

    @Test func `a file whose name is not UTF-8 goes with its directory`() throws {
        try scratch.putDirectory("directory")
        try scratch.putDirectory("directory/inner")
        try putUnnamable(in: "directory")
        try putUnnamable(in: "directory/inner")
        let directory = try Directory.open(scratch.path, rule: .secret)
        try directory.requireRemovable("directory", depth: 2)
        try directory.removeDirectory("directory", depth: 2)
        let names = try scratch.names()
        #expect(names == [])
    }

    @Test func `what cannot be removed to its end is told before`() throws {
        for name in ["deep", "deep/inner", "unnamable", "good", "good/inner"] { try scratch.putDirectory(name) }
        try putUnnamable(in: "unnamable", isDirectory: true)
        let directory = try Directory.open(scratch.path, rule: .secret)
        #expect(throws: FileError.wrongKind(path: scratch.at("deep/inner"))) {
            try directory.requireRemovable("deep", depth: 1)
        }
        #expect(throws: FileError.wrongKind(path: scratch.at("unnamable/?"))) {
            try directory.requireRemovable("unnamable", depth: 9)
        }
        try directory.requireRemovable("good", depth: 2)
        let names = try scratch.names()
        #expect(names == ["deep", "good", "unnamable"])
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
