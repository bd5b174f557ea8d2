import AtomicFiles
import Glibc
import Testing
import VectorKit

/// Which files are read, and how much of them.
@Suite struct ReadTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func read(_ name: String, limit: Int = 100, _ rule: Directory.Rule = .secret) throws -> [UInt8] {
        let directory = try Directory.open(scratch.path, rule: rule)
        let content = Result { () throws(FileError) in try directory.readPublic(name, limit: limit) }
        do throws(FileError) {
            let secret = try directory.read(name, limit: limit).copied
            #expect(content == .success(secret))
            return secret
        } catch {
            #expect(content == .failure(error))
            throw error
        }
    }

    @Test(arguments: [0, 1, 99, 100]) func `a file up to the limit is read whole`(_ count: Int) throws {
        let content = (0..<count).map { UInt8($0) }
        try scratch.put("file", content)
        let read = try read("file")
        #expect(read == content)
    }

    @Test func `one byte over the limit is refused`() throws {
        try scratch.put("file", [UInt8](repeating: 7, count: 101))
        #expect(throws: FileError.tooLarge(path: scratch.at("file"), limit: 100)) { try read("file") }
        try scratch.put("small", [1])
        #expect(throws: FileError.tooLarge(path: scratch.at("small"), limit: 0)) { try read("small", limit: 0) }
    }

    @Test func `a file of a terabyte is refused before memory is taken`() throws {
        try scratch.put("file", [])
        try #require(truncate(scratch.at("file"), 1 << 40) == 0)
        #expect(throws: FileError.tooLarge(path: scratch.at("file"), limit: 1 << 20)) {
            try read("file", limit: 1 << 20)
        }
    }

    @Test func `what is not there is missing`() {
        #expect(throws: FileError.missing(path: scratch.at("file"))) { try read("file") }
    }

    @Test(arguments: [Directory.Rule.secret, .shared]) func `what is no plain file is refused, at once`(
        _ rule: Directory.Rule
    ) throws {
        try scratch.put("file")
        try scratch.putLink("link", to: "file")
        try scratch.putLink("dangling", to: "nowhere")
        try scratch.putDirectory("directory")
        // Opening this one would wait for a writer.
        try scratch.putPipe("pipe")
        for name in ["link", "dangling", "directory", "pipe"] {
            #expect(throws: FileError.wrongKind(path: scratch.at(name)), "\(name)") { try read(name, rule) }
        }
    }

    @Test func `a device is no plain file`() throws {
        let devices = try Directory.open("/dev", rule: .shared)
        for name in ["zero", "full", "null"] {
            #expect(throws: FileError.wrongKind(path: "/dev/" + name)) { _ = try devices.read(name, limit: 100) }
        }
    }

    @Test(arguments: [0o601, 0o604, 0o620, 0o640, 0o644, 0o660, 0o666, 0o777] as [mode_t])
    func `a secret file that others may touch is refused`(_ mode: mode_t) throws {
        try scratch.put("file")
        try scratch.setMode(mode, of: "file")
        #expect(throws: FileError.exposed(path: scratch.at("file"), mode: mode)) { try read("file") }
        let shared = try read("file", .shared)
        #expect(shared == [1, 2, 3])
    }

    @Test func `a secret file with a second name is refused`() throws {
        try scratch.put("file")
        try scratch.putHardLink("other", to: "file")
        #expect(throws: FileError.wrongKind(path: scratch.at("file"))) { try read("file") }
        let shared = try read("file", .shared)
        #expect(shared == [1, 2, 3])
    }

    @Test(.enabled(if: isRoot, "only root can give a file away"))
    func `a secret file of another account is refused`() throws {
        try scratch.put("file")
        try scratch.setOwner(somebodyElse, of: "file")
        #expect(throws: FileError.notOurs(path: scratch.at("file"), owner: somebodyElse)) { try read("file") }
        let shared = try read("file", .shared)
        #expect(shared == [1, 2, 3])
    }

    private func read(_ name: String, _ rule: Directory.Rule) throws -> [UInt8] { try read(name, limit: 100, rule) }
}
