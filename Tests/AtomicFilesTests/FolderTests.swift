import AtomicFiles
import Glibc
import Testing

/// Which folders are opened, made and listed.
@Suite struct FolderTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test(arguments: [0o700, 0o500, 0o4700] as [mode_t]) func `a secret folder is ours alone`(_ mode: mode_t) throws {
        try scratch.setMode(mode, of: "")
        let folder = try Folder.open(scratch.path, rule: .secret)
        #expect(folder.path == scratch.path)
    }

    @Test(arguments: [0o701, 0o710, 0o720, 0o740, 0o750, 0o755, 0o770, 0o777, 0o1777, 0o2750] as [mode_t])
    func `a secret folder that others may touch is refused, with its mode`(_ mode: mode_t) throws {
        try scratch.setMode(mode, of: "")
        #expect(throws: FileError.exposed(path: scratch.path, mode: mode)) {
            _ = try Folder.open(scratch.path, rule: .secret)
        }
        let shared = try Folder.open(scratch.path, rule: .shared)
        #expect(shared.path == scratch.path)
    }

    @Test(.enabled(if: isRoot, "only root can give a folder away"))
    func `a secret folder of another account is refused, with its owner`() throws {
        try scratch.setOwner(somebodyElse, of: "")
        #expect(throws: FileError.notOurs(path: scratch.path, owner: somebodyElse)) {
            _ = try Folder.open(scratch.path, rule: .secret)
        }
        _ = try Folder.open(scratch.path, rule: .shared)
    }

    @Test(arguments: [Folder.Rule.secret, .shared]) func `what is no folder is refused`(_ rule: Folder.Rule) throws {
        try scratch.put("file")
        try scratch.putPipe("pipe")
        for name in ["file", "pipe", "file/below"] {
            #expect(throws: FileError.wrongKind(path: scratch.at(name)), "\(name)") {
                _ = try Folder.open(scratch.at(name), rule: rule)
            }
        }
        #expect(throws: FileError.missing(path: scratch.at("nothing"))) {
            _ = try Folder.open(scratch.at("nothing"), rule: rule)
        }
        #expect(throws: FileError.missing(path: "")) { _ = try Folder.open("", rule: rule) }
    }

    @Test func `a folder inside is opened without following a link`() throws {
        try scratch.putFolder("inner")
        try scratch.putLink("link", to: "inner")
        try scratch.put("file")
        for rule in [Folder.Rule.secret, .shared] {
            let folder = try Folder.open(scratch.path, rule: rule)
            let inner = try folder.folder("inner")
            #expect(inner.path == scratch.at("inner"))
            for name in ["link", "file"] {
                #expect(throws: FileError.wrongKind(path: scratch.at(name))) { _ = try folder.folder(name) }
            }
            #expect(throws: FileError.missing(path: scratch.at("nothing"))) { _ = try folder.folder("nothing") }
        }
    }

    @Test func `a folder inside keeps the rule`() throws {
        try scratch.putFolder("inner")
        try scratch.setMode(0o750, of: "inner")
        let secret = try Folder.open(scratch.path, rule: .secret)
        #expect(throws: FileError.exposed(path: scratch.at("inner"), mode: 0o750)) { _ = try secret.folder("inner") }
        let shared = try Folder.open(scratch.path, rule: .shared)
        _ = try shared.folder("inner")
    }

    @Test func `folders are made for us alone, with those above them`() throws {
        try Folder.make(scratch.at("a/b/c"))
        for name in ["a", "a/b", "a/b/c"] {
            let mode = try scratch.mode(of: name)
            #expect(mode == 0o700, "\(name)")
        }
        // Making it again, and with a slash too many, changes nothing.
        try scratch.setMode(0o755, of: "a/b/c")
        try Folder.make(scratch.at("a//b/c/"))
        let mode = try scratch.mode(of: "a/b/c")
        #expect(mode == 0o755)
        let folder = try Folder.open(scratch.path, rule: .secret)
        try folder.makeFolder("d")
        try folder.makeFolder("d")
        let inner = try scratch.mode(of: "d")
        #expect(inner == 0o700)
    }

    @Test func `a folder below a file cannot be made`() throws {
        try scratch.put("file")
        #expect(throws: FileError.wrongKind(path: scratch.at("file/below"))) {
            try Folder.make(scratch.at("file/below"))
        }
        let names = try scratch.names()
        #expect(names == ["file"])
    }

    @Test func `a folder that cannot be made says why`() {
        // Nobody may make anything in /proc, root included.
        #expect(throws: FileError.missing(path: "/proc/keytool")) { try Folder.make("/proc/keytool") }
        // That of the folder that fails, not of the one below it, which has nowhere to be.
        #expect(throws: FileError.missing(path: "/proc/keytool")) { try Folder.make("/proc/keytool/below") }
    }

    @Test func `names come in byte order, without those with a dot`() throws {
        for name in ["b", "a", "Z", "é", "10", "9", ".hidden", "a.b"] { try scratch.put(name) }
        try scratch.putFolder("folder")
        let folder = try Folder.open(scratch.path, rule: .secret)
        let names = try folder.names()
        #expect(names == ["10", "9", "Z", "a", "a.b", "b", "folder", "é"])
        // The descriptor has no position of its own: a second look finds the same.
        let again = try folder.names()
        #expect(again == names)
    }

    @Test func `whatever stands there is contained`() throws {
        try scratch.put("file")
        try scratch.putFolder("folder")
        try scratch.putPipe("pipe")
        try scratch.putLink("dangling", to: "nowhere")
        let folder = try Folder.open(scratch.path, rule: .secret)
        for name in ["file", "folder", "pipe", "dangling"] {
            let isThere = try folder.contains(name)
            #expect(isThere, "\(name)")
        }
        let isThere = try folder.contains("nothing")
        #expect(!isThere)
    }
}
