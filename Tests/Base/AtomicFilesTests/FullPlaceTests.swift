import AtomicFiles
import Foundation
import Testing
import VectorKit

/// A file system of 64 KiB in a directory of its own, gone with the value.
private final class TinyFileSystem: Sendable {
    /// Where it is mounted; the directory under it is nobody else's.
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        let status = try Program.run(
            "/bin/mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=8,mode=0700", "tmpfs", scratch.path)
        guard status == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit {
        _ = try? Program.run("/bin/umount", scratch.path)
    }

    func makeReadOnly() throws {
        let status = try Program.run("/bin/mount", "-o", "remount,ro", scratch.path)
        try #require(status == 0)
    }

    static let isPossible = isRoot && (try? TinyFileSystem()) != nil
}

@Suite(.enabled(if: TinyFileSystem.isPossible, "needs root and the right to mount a tmpfs"))
struct FullPlaceTests {
    private let place: TinyFileSystem
    private let old = [UInt8](repeating: 1, count: 20_000)

    init() throws {
        place = try TinyFileSystem()
        try Directory.open(place.scratch.path, rule: .secret).write("file", old.span)
    }

    /// Expects that the write fails with that errno, and that nothing has changed.
    private func expectRefusal(_ content: [UInt8], as name: String, _ code: Int32) throws {
        let before = try place.scratch.names()
        let error = #expect(throws: FileError.self) {
            try Directory.open(place.scratch.path, rule: .secret).write(name, content.span)
        }
        guard case .system(_, _, code)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let names = try place.scratch.names()
        #expect(names == before)
        let isOld = try place.scratch.content("file") == old
        #expect(isOld)
    }

    @Test func `a directory without room for a file, and one on a read-only medium, are refused`() throws {
        let directory = try Directory.open(place.scratch.path, rule: .secret)
        let before = try place.scratch.names()
        try directory.requireWritable()
        let after = try place.scratch.names()
        #expect(after == before)
        for name in 0..<5 { try directory.write("name-\(name)", [UInt8]().span) }
        while (try? directory.write("more-\(UInt32.random(in: 0...UInt32.max))", [UInt8]().span)) != nil {}
        #expect(throws: FileError.system(.open, path: place.scratch.path, code: ENOSPC)) {
            try directory.requireWritable()
        }
        try place.makeReadOnly()
        #expect(throws: FileError.system(.open, path: place.scratch.path, code: EROFS)) {
            try directory.requireWritable()
        }
    }

    @Test func `where the place is full, the old file stands whole`() throws {
        try expectRefusal([UInt8](repeating: 2, count: 60_000), as: "file", ENOSPC)
        try expectRefusal([UInt8](repeating: 2, count: 60_000), as: "other", ENOSPC)
        // What fits beside the old one still replaces it.
        let small = [UInt8](repeating: 2, count: 40_000)
        try Directory.open(place.scratch.path, rule: .secret).write("file", small.span)
        let isNew = try place.scratch.content("file") == small
        #expect(isNew)
    }

    @Test func `where no name is left, nothing is written`() throws {
        var number = 0
        while (try? place.scratch.put("filler\(number)", [])) != nil { number += 1 }
        try expectRefusal([2], as: "file", ENOSPC)
        try expectRefusal([2], as: "other", ENOSPC)
    }

    @Test func `where nothing may be written, nothing is`() throws {
        try place.makeReadOnly()
        try expectRefusal([2], as: "file", EROFS)
        try expectRefusal([2], as: "other", EROFS)
        let directory = try Directory.open(place.scratch.path, rule: .secret)
        #expect(throws: FileError.self) { try directory.remove("file") }
        #expect(throws: FileError.self) { _ = try directory.lock("lock", wait: .zero) }
        #expect(throws: FileError.self) { try directory.makeDirectory("directory") }
        let names = try place.scratch.names()
        #expect(names == ["file"])
    }
}

@Suite(.disabled(if: isRoot, "root may write anywhere")) struct ClosedDirectoryTests {
    @Test func `a directory without write permission takes nothing and keeps what it has`() throws {
        let scratch = try Scratch()
        try scratch.put("file", [1])
        try scratch.setMode(0o500, of: "")
        defer { try? scratch.setMode(0o700, of: "") }
        let directory = try Directory.open(scratch.path, rule: .secret)
        for name in ["file", "other"] {
            let error = #expect(throws: FileError.self) { try directory.write(name, [2].span) }
            guard case .system(_, _, EACCES)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        let names = try scratch.names()
        let content = try scratch.content("file")
        #expect(names == ["file"])
        #expect(content == [1])
    }
}
