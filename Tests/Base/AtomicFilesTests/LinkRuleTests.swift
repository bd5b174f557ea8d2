import AtomicFiles
import Glibc
import Testing

/// A secret directory that is reached through a link.
@Suite struct LinkRuleTests {
    private let scratch: Scratch

    /// Makes `place/` for links, and `home/keys`, a directory to lead to.
    init() throws {
        scratch = try Scratch()
        try scratch.putDirectory("place")
        try scratch.putDirectory("home")
        try scratch.putDirectory("home/keys")
        try scratch.put("home/keys/file")
    }

    /// Whether the directory behind the path is opened, and is the one with the file.
    private func opens(_ name: String) throws -> Bool {
        try Directory.open(scratch.at(name), rule: .secret).contains("file")
    }

    private func expectRefusal(_ name: String, because place: String) {
        #expect(throws: FileError.unsafeLink(path: scratch.at(place)), "\(name)") { try opens(name) }
    }

    @Test func `a link that only we can change is followed`() throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.putLink("place/relative", to: "../home/keys")
        try scratch.putLink("place/chain", to: "link")
        for name in ["place/link", "place/link/", "place/relative", "place/chain"] {
            let isOpened = try opens(name)
            #expect(isOpened, "\(name)")
        }
    }

    @Test func `a sticky directory lets nobody redirect a link`() throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.setMode(0o1777, of: "place")
        try scratch.setMode(0o1777, of: "home")
        let isOpened = try opens("place/link")
        #expect(isOpened)
    }

    @Test(arguments: [0o777, 0o770, 0o720, 0o702] as [mode_t]) func `a link that others could replace is refused`(
        _ mode: mode_t
    ) throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.setMode(mode, of: "place")
        expectRefusal("place/link", because: "place")
        expectRefusal("place/link/", because: "place")
    }

    @Test(arguments: [0o777, 0o770, 0o720, 0o702] as [mode_t]) func `a target that others could replace is refused`(
        _ mode: mode_t
    ) throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.setMode(mode, of: "home")
        expectRefusal("place/link", because: "home")
    }

    @Test func `every directory above counts`() throws {
        try scratch.putDirectory("place/inner")
        try scratch.putLink("place/inner/link", to: scratch.at("home/keys"))
        try scratch.setMode(0o777, of: "place")
        expectRefusal("place/inner/link", because: "place")
    }

    @Test func `what the link leads to must be a directory of ours alone`() throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.setMode(0o755, of: "home/keys")
        #expect(throws: FileError.exposed(path: scratch.at("place/link"), mode: 0o755)) { try opens("place/link") }
        try scratch.putLink("place/file", to: scratch.at("home/keys/file"))
        #expect(throws: FileError.wrongKind(path: scratch.at("place/file"))) { try opens("place/file") }
    }

    @Test func `a link to nowhere or to itself is refused`() throws {
        try scratch.putLink("place/dangling", to: "nowhere")
        try scratch.putLink("place/loop", to: "loop")
        expectRefusal("place/dangling", because: "place/dangling")
        expectRefusal("place/loop", because: "place/loop")
    }

    @Test(.enabled(if: isRoot, "only root can give a link away"), arguments: ["place/link", "place", "home"])
    func `neither the link nor a directory on the way belongs to another account`(_ name: String) throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.setOwner(somebodyElse, of: name)
        expectRefusal("place/link", because: name)
    }

    @Test(.enabled(if: isRoot, "only root can give a directory away"))
    func `a target of another account is refused`() throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.setOwner(somebodyElse, of: "home/keys")
        expectRefusal("place/link", because: "home/keys")
    }

    @Test(arguments: ["place/link//", "place/link/.", "place/link/./"])
    func `no spelling of the path goes around the rule`(_ name: String) throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.setMode(0o777, of: "place")
        #expect(throws: FileError.self) { try opens(name) }
    }

    @Test func `a link in between counts as well`() throws {
        try scratch.putLink("place/middle", to: scratch.at("home/keys"))
        try scratch.putDirectory("mine")
        try scratch.putLink("mine/link", to: scratch.at("place/middle"))
        try scratch.setMode(0o777, of: "place")
        #expect(throws: FileError.self) { try opens("mine/link") }
    }

    @Test func `so does a link on the way to a target`() throws {
        try scratch.putLink("place/middle", to: scratch.at("home"))
        try scratch.putDirectory("mine")
        try scratch.putLink("mine/link", to: scratch.at("place/middle/keys"))
        let isOpened = try opens("mine/link")
        #expect(isOpened)
        try scratch.setMode(0o777, of: "place")
        #expect(throws: FileError.self) { try opens("mine/link") }
    }

    /// A slash and a combining mark are one `Character`: looking for the last slash by `Character` misses it.
    @Test func `a name that begins with a combining mark hides no directory`() throws {
        try scratch.putLink("place/\u{301}link", to: scratch.at("home/keys"))
        try scratch.setMode(0o777, of: "place")
        #expect(throws: FileError.self) { try opens("place/\u{301}link") }
    }

    @Test func `a shared directory may be reached through any link`() throws {
        try scratch.putLink("place/link", to: scratch.at("home/keys"))
        try scratch.setMode(0o777, of: "place")
        let isThere = try Directory.open(scratch.at("place/link"), rule: .shared).contains("file")
        #expect(isThere)
    }
}
