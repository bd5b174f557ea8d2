import AtomicFiles
import Testing

@Suite struct RemoveTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test func `a file is removed, and one that is not there is fine`() throws {
        try scratch.put("file")
        let folder = try Folder.open(scratch.path, rule: .secret)
        try folder.remove("file")
        try folder.remove("file")
        let names = try scratch.names()
        #expect(names == [])
    }

    @Test func `a link is removed itself`() throws {
        try scratch.put("target")
        try scratch.putLink("link", to: "target")
        let folder = try Folder.open(scratch.path, rule: .secret)
        try folder.remove("link")
        let names = try scratch.names()
        #expect(names == ["target"])
    }

    @Test func `a folder is no file to remove`() throws {
        try scratch.putFolder("folder")
        let folder = try Folder.open(scratch.path, rule: .secret)
        #expect(throws: FileError.wrongKind(path: scratch.at("folder"))) { try folder.remove("folder") }
    }

    @Test func `a folder goes with its files, the hidden ones too`() throws {
        try scratch.put("outside", [9])
        try scratch.putFolder("folder")
        for name in ["folder/a", "folder/.b.new", "folder/lock"] { try scratch.put(name) }
        try scratch.putLink("folder/link", to: "../outside")
        let folder = try Folder.open(scratch.path, rule: .secret)
        try folder.removeFolder("folder")
        try folder.removeFolder("folder")
        let names = try scratch.names()
        #expect(names == ["outside"])
        let outside = try scratch.content("outside")
        #expect(outside == [9])
    }

    @Test func `a folder behind a link is not emptied`() throws {
        try scratch.putFolder("target")
        try scratch.put("target/file")
        try scratch.putLink("link", to: "target")
        let folder = try Folder.open(scratch.path, rule: .secret)
        #expect(throws: FileError.wrongKind(path: scratch.at("link"))) { try folder.removeFolder("link") }
        let names = try scratch.names(in: "target")
        #expect(names == ["file"])
    }

    @Test func `what killed writers left of files is swept, and nothing else`() throws {
        for name in [".a.new", ".a.1x9z.new", ".b.new"] { try scratch.put(name) }
        let kept = [".a", ".new.a", "a", "a.new", ".a.newer"]
        for name in kept { try scratch.put(name) }
        let folder = try Folder.open(scratch.path, rule: .shared)
        try folder.sweepFiles()
        let names = try scratch.names()
        #expect(names == kept.sorted())
    }

    @Test func `half-made folders are swept, whole ones are not`() throws {
        for name in [".A.new", ".B.new", "A", ".C"] {
            try scratch.putFolder(name)
            try scratch.put(name + "/file")
        }
        let folder = try Folder.open(scratch.path, rule: .secret)
        try folder.sweepFolders()
        let names = try scratch.names()
        #expect(names == [".C", "A"])
    }

    @Test func `a folder with deeper folders in it than were named is left`() throws {
        try scratch.putFolder("folder")
        try scratch.putFolder("folder/inner")
        try scratch.putFolder("folder/inner/innermost")
        try scratch.put("folder/inner/innermost/file")
        try scratch.put("folder/inner/file")
        try scratch.put("folder/file")
        let folder = try Folder.open(scratch.path, rule: .secret)
        #expect(throws: FileError.wrongKind(path: scratch.at("folder/inner"))) { try folder.removeFolder("folder") }
        #expect(throws: FileError.wrongKind(path: scratch.at("folder/inner"))) {
            try folder.removeFolder("folder", depth: 1)
        }
        #expect(throws: FileError.wrongKind(path: scratch.at("folder/inner/innermost"))) {
            try folder.removeFolder("folder", depth: 2)
        }
        try folder.removeFolder("folder", depth: 3)
        let names = try scratch.names()
        #expect(names == [])
    }
}
