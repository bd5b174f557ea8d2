import AtomicFiles
import Glibc
import Testing

/// Writing a file whole or not at all.
@Suite struct AtomicFileTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func write(
        _ name: String, _ content: [UInt8], existing: Directory.Existing = .replace, _ rule: Directory.Rule = .secret
    ) throws(FileError) {
        try Directory.open(scratch.path, rule: rule).write(name, content.span, existing: existing)
    }

    @Test(arguments: [0, 1, 4096, 3_000_000]) func `what is written stands there, for us alone`(_ count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try write("file", content)
        // Not in the macro: it would look for the difference of two long arrays, which takes forever.
        let isWhole = try scratch.content("file") == content
        #expect(isWhole)
        let mode = try scratch.mode(of: "file")
        #expect(mode == 0o600)
        let names = try scratch.names()
        #expect(names == ["file"])
    }

    @Test func `a file is replaced, not changed in place`() throws {
        try write("file", [1])
        var before = stat()
        try #require(stat(scratch.at("file"), &before) == 0)
        // A reader that has the old file open keeps it whole.
        let reader = open(scratch.at("file"), O_RDONLY)
        defer { close(reader) }
        try write("file", [2, 3])
        var after = stat()
        try #require(stat(scratch.at("file"), &after) == 0)
        #expect(before.st_ino != after.st_ino)
        var byte: UInt8 = 0
        #expect(Glibc.read(reader, &byte, 1) == 1 && byte == 1)
        let content = try scratch.content("file")
        #expect(content == [2, 3])
    }

    @Test func `a name that is taken is refused where that was asked`() throws {
        try write("file", [1], existing: .refuse)
        #expect(throws: FileError.exists(path: scratch.at("file"))) { try write("file", [2], existing: .refuse) }
        try scratch.putLink("dangling", to: "nowhere")
        #expect(throws: FileError.exists(path: scratch.at("dangling"))) {
            try write("dangling", [2], existing: .refuse)
        }
        let content = try scratch.content("file")
        #expect(content == [1])
        let names = try scratch.names()
        #expect(names == ["dangling", "file"])
    }

    @Test(arguments: [Directory.Rule.secret, .shared]) func `nothing but a plain file is replaced`(
        _ rule: Directory.Rule
    ) throws {
        try scratch.put("target", [9])
        try scratch.putLink("link", to: "target")
        try scratch.putDirectory("directory")
        try scratch.putPipe("pipe")
        let before = try scratch.names()
        for name in ["link", "directory", "pipe"] {
            #expect(throws: FileError.wrongKind(path: scratch.at(name)), "\(name)") {
                try write(name, [1], existing: .replace, rule)
            }
        }
        let target = try scratch.content("target")
        #expect(target == [9])
        let names = try scratch.names()
        #expect(names == before)
    }

    @Test func `a secret file that others may touch is not replaced`() throws {
        try scratch.put("file")
        try scratch.setMode(0o640, of: "file")
        #expect(throws: FileError.exposed(path: scratch.at("file"), mode: 0o640)) { try write("file", [4]) }
        try scratch.setMode(0o600, of: "file")
        try scratch.putHardLink("other", to: "file")
        #expect(throws: FileError.wrongKind(path: scratch.at("file"))) { try write("file", [4]) }
        let content = try scratch.content("file")
        #expect(content == [1, 2, 3])
        try write("file", [4], existing: .replace, .shared)
        let both = try (scratch.content("file"), scratch.content("other"))
        #expect(both == ([4], [1, 2, 3]))
    }

    @Test func `the temporary file of a killed writer is swept by the next one`() throws {
        try scratch.put(".file.new", [UInt8](repeating: 0xff, count: 10_000))
        try write("file", [5])
        let content = try scratch.content("file")
        #expect(content == [5])
        let names = try scratch.names()
        #expect(names == ["file"])
    }

    @Test func `a trap under the temporary name is not stepped into`() throws {
        try scratch.put("victim", [9])
        try scratch.putLink(".file.new", to: "victim")
        try write("file", [5])
        try scratch.putPipe(".pipe.new")
        try write("pipe", [6])
        try scratch.putHardLink(".other.new", to: "victim")
        try write("other", [7])
        let victim = try scratch.content("victim")
        #expect(victim == [9])
        let names = try scratch.names()
        #expect(names == ["file", "other", "pipe", "victim"])
        try scratch.putDirectory(".directory.new")
        #expect(throws: FileError.wrongKind(path: scratch.at(".directory.new"))) { try write("directory", [8]) }
    }

    @Test func `a rename refuses or replaces as asked`() throws {
        try scratch.put("a", [1])
        try scratch.put("b", [2])
        let directory = try Directory.open(scratch.path, rule: .secret)
        #expect(throws: FileError.exists(path: scratch.at("b"))) {
            try directory.rename("a", to: "b", existing: .refuse)
        }
        try directory.rename("a", to: "b", existing: .replace)
        try directory.rename("b", to: "c", existing: .refuse)
        let names = try scratch.names()
        let content = try scratch.content("c")
        #expect(names == ["c"])
        #expect(content == [1])
        #expect(throws: FileError.missing(path: scratch.at("d"))) {
            try directory.rename("a", to: "d", existing: .replace)
        }
    }

    @Test func `a directory that has gone takes no file`() throws {
        try scratch.putDirectory("inner")
        let directory = try Directory.open(scratch.at("inner"), rule: .secret)
        try #require(rmdir(scratch.at("inner")) == 0)
        #expect(throws: FileError.missing(path: scratch.at("inner/.file.new"))) {
            try directory.write("file", [1].span)
        }
    }
}
