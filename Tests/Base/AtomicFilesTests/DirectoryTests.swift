import AtomicFiles
import Glibc
import Testing

/// Which directories are opened, made and listed.
@Suite struct DirectoryTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    @Test(arguments: [0o700, 0o500, 0o4700] as [mode_t]) func `a secret directory is ours alone`(_ mode: mode_t) throws
    {
        try scratch.setMode(mode, of: "")
        let directory = try Directory.open(scratch.path, rule: .secret)
        #expect(directory.path == scratch.path)
    }

    @Test(arguments: [0o701, 0o710, 0o720, 0o740, 0o750, 0o755, 0o770, 0o777, 0o1777, 0o2750] as [mode_t])
    func `a secret directory that others may touch is refused, with its mode`(_ mode: mode_t) throws {
        try scratch.setMode(mode, of: "")
        #expect(throws: FileError.exposed(path: scratch.path, mode: mode)) {
            _ = try Directory.open(scratch.path, rule: .secret)
        }
        let shared = try Directory.open(scratch.path, rule: .shared)
        #expect(shared.path == scratch.path)
    }

    @Test(.enabled(if: isRoot, "only root can give a directory away"))
    func `a secret directory of another account is refused, with its owner`() throws {
        try scratch.setOwner(somebodyElse, of: "")
        #expect(throws: FileError.notOurs(path: scratch.path, owner: somebodyElse)) {
            _ = try Directory.open(scratch.path, rule: .secret)
        }
        _ = try Directory.open(scratch.path, rule: .shared)
    }

    @Test(arguments: [Directory.Rule.secret, .shared]) func `what is no directory is refused`(_ rule: Directory.Rule)
        throws
    {
        try scratch.put("file")
        try scratch.putPipe("pipe")
        for name in ["file", "pipe", "file/below"] {
            #expect(throws: FileError.wrongKind(path: scratch.at(name)), "\(name)") {
                _ = try Directory.open(scratch.at(name), rule: rule)
            }
        }
        #expect(throws: FileError.missing(path: scratch.at("nothing"))) {
            _ = try Directory.open(scratch.at("nothing"), rule: rule)
        }
        #expect(throws: FileError.missing(path: "")) { _ = try Directory.open("", rule: rule) }
    }

    @Test func `a directory inside is opened without following a link`() throws {
        try scratch.putDirectory("inner")
        try scratch.putLink("link", to: "inner")
        try scratch.put("file")
        for rule in [Directory.Rule.secret, .shared] {
            let directory = try Directory.open(scratch.path, rule: rule)
            let inner = try directory.directory("inner")
            #expect(inner.path == scratch.at("inner"))
            for name in ["link", "file"] {
                #expect(throws: FileError.wrongKind(path: scratch.at(name))) { _ = try directory.directory(name) }
            }
            #expect(throws: FileError.missing(path: scratch.at("nothing"))) { _ = try directory.directory("nothing") }
        }
    }

    @Test func `a directory inside keeps the rule`() throws {
        try scratch.putDirectory("inner")
        try scratch.setMode(0o750, of: "inner")
        let secret = try Directory.open(scratch.path, rule: .secret)
        #expect(throws: FileError.exposed(path: scratch.at("inner"), mode: 0o750)) { _ = try secret.directory("inner") }
        let shared = try Directory.open(scratch.path, rule: .shared)
        _ = try shared.directory("inner")
    }

    @Test func `directories are made for us alone, with those above them`() throws {
        try Directory.make(scratch.at("a/b/c"))
        for name in ["a", "a/b", "a/b/c"] {
            let mode = try scratch.mode(of: name)
            #expect(mode == 0o700, "\(name)")
        }
        // Making it again, and with a slash too many, changes nothing.
        try scratch.setMode(0o755, of: "a/b/c")
        try Directory.make(scratch.at("a//b/c/"))
        let mode = try scratch.mode(of: "a/b/c")
        #expect(mode == 0o755)
        let directory = try Directory.open(scratch.path, rule: .secret)
        try directory.makeDirectory("d")
        try directory.makeDirectory("d")
        let inner = try scratch.mode(of: "d")
        #expect(inner == 0o700)
    }

    @Test func `a directory below a file cannot be made`() throws {
        try scratch.put("file")
        #expect(throws: FileError.wrongKind(path: scratch.at("file/below"))) {
            try Directory.make(scratch.at("file/below"))
        }
        let names = try scratch.names()
        #expect(names == ["file"])
    }

    @Test func `a directory that cannot be made says why`() {
        // Nobody may make anything in /proc, root included.
        #expect(throws: FileError.missing(path: "/proc/keytool")) { try Directory.make("/proc/keytool") }
        // That of the directory that fails, not of the one below it, which has nowhere to be.
        #expect(throws: FileError.missing(path: "/proc/keytool")) { try Directory.make("/proc/keytool/below") }
    }

    @Test func `names come in byte order, without those with a dot`() throws {
        for name in ["b", "a", "Z", "é", "10", "9", ".hidden", "a.b"] { try scratch.put(name) }
        try scratch.putDirectory("directory")
        let directory = try Directory.open(scratch.path, rule: .secret)
        let names = try directory.names()
        #expect(names == ["10", "9", "Z", "a", "a.b", "b", "directory", "é"])
        // The descriptor has no position of its own: a second look finds the same.
        let again = try directory.names()
        #expect(again == names)
    }

    @Test func `whatever stands there is contained`() throws {
        try scratch.put("file")
        try scratch.putDirectory("directory")
        try scratch.putPipe("pipe")
        try scratch.putLink("dangling", to: "nowhere")
        let directory = try Directory.open(scratch.path, rule: .secret)
        for name in ["file", "directory", "pipe", "dangling"] {
            let isThere = try directory.contains(name)
            #expect(isThere, "\(name)")
        }
        let isThere = try directory.contains("nothing")
        #expect(!isThere)
    }
}
