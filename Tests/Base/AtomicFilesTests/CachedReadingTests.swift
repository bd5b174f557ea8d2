import AtomicFiles
import Foundation
import Testing

/// The type of the file system that has the directory for temporary files.
private let fileSystem: String = {
    let path = URL(filePath: NSTemporaryDirectory()).resolvingSymlinksInPath().path()
    let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
    let lines = mounts.split(separator: "\n").map { $0.split(separator: " ") }
    let ours = lines.filter { $0[1] == "/" || path.hasPrefix($0[1] + "/") }
    return ours.max { $0[1].utf8.count < $1[1].utf8.count }.map { String($0[2]) } ?? ""
}()

private let hasDisk = ["ext4", "xfs", "btrfs"].contains(fileSystem)

/// Where the kernel may be asked.
@Suite struct MayAnswerAtOnceTests {
    private func mayAnswer(_ path: String) throws -> Bool { try Directory.open(path, rule: .shared).mayAnswerAtOnce }

    @Test func `a directory on a disk, and no other one`() throws {
        let here = try Scratch()
        #expect(try mayAnswer(here.path) == hasDisk)
        #expect(try !mayAnswer("/proc/self"))
        if FileManager.default.fileExists(atPath: "/dev/shm") { #expect(try !mayAnswer("/dev/shm")) }
    }
}

/// What the kernel answers from memory.
@Suite(.enabled(if: hasDisk, "no file system of a disk"))
struct CachedReadingTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func cached(_ path: String, limit: Int = 100_000) throws -> [UInt8]? {
        try Directory.open(scratch.path, rule: .shared).readPublicAtOnce(path, limit: limit, at: time(nil))?.content
    }

    @Test(arguments: [1, 4096, 51_200, 100_000]) func `a file that was just written is read at once`(
        _ count: Int
    ) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try scratch.putDirectory("inner")
        try scratch.put("inner/file", content)
        let isWhole = try cached("inner/file") == content
        #expect(isWhole)
    }

    @Test func `what is missing, empty, too long or no plain file is left to others`() throws {
        try scratch.put("file", [1, 2, 3])
        try scratch.put("empty", [])
        try scratch.putLink("link", to: "file")
        try scratch.putDirectory("inner")
        try scratch.putLink("linked", to: "inner")
        try scratch.put("inner/file")
        try scratch.putPipe("pipe")
        for name in ["missing", "empty", "link", "inner", "linked/file", "pipe", "missing/file"] {
            #expect(try cached(name) == nil, "\(name)")
        }
        #expect(try cached("file", limit: 2) == nil)
        #expect(try cached("file", limit: 3) == [1, 2, 3])
    }

    @Test func `a file that is not in memory is left to others`() throws {
        try scratch.put("file", [UInt8](repeating: 7, count: 51_200))
        let file = open(scratch.at("file"), O_RDONLY)
        try #require(file >= 0)
        defer { close(file) }
        // The advice is none while the file system's journal still holds a page: it is given until it is taken.
        var isInMemory = true
        for _ in 0..<6000 where isInMemory {
            try #require(fsync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0)
            isInMemory = try cached("file") != nil
            if isInMemory { usleep(10_000) }
        }
        #expect(!isInMemory)
        // Reading it brings it back.
        _ = try scratch.content("file")
        #expect(try cached("file") != nil)
    }

    @Test func `a name that was looked for in vain is known to be missing`() throws {
        func isMissing(_ name: String) throws -> Bool {
            let directory = try Directory.open(scratch.path, rule: .shared)
            // The look that the kernel remembers.
            _ = try directory.contains(name)
            return directory.isMissingAtOnce(name)
        }
        #expect(try isMissing("name"))
        try scratch.put("name")
        try scratch.putDirectory("inner")
        try scratch.putLink("dangling", to: "nowhere")
        #expect(try !isMissing("name"))
        #expect(try !isMissing("inner"))
        #expect(try !isMissing("dangling"))
    }
}
