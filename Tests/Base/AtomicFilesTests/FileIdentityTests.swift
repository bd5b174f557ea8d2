import Foundation
import Testing

@testable import AtomicFiles

@Suite struct FileIdentityTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.put("file")
    }

    @Test func `a file keeps its identity while it is written to and renamed`() throws {
        let directory = try Directory.open(scratch.path, rule: .secret)
        let identity = try directory.identity(of: "file")
        let handle = try FileHandle(forWritingTo: URL(filePath: scratch.at("file")))
        try handle.write(contentsOf: [9])
        try handle.close()
        try FileManager.default.moveItem(atPath: scratch.at("file"), toPath: scratch.at("renamed"))
        #expect(try directory.identity(of: "renamed") == identity)
        #expect(FileIdentity(inode: identity.inode, birth: identity.birth) == identity)
    }

    @Test func `a copy and a file that was made again have other identities`() throws {
        let directory = try Directory.open(scratch.path, rule: .secret)
        let identity = try directory.identity(of: "file")
        try FileManager.default.copyItem(atPath: scratch.at("file"), toPath: scratch.at("copy"))
        #expect(try directory.identity(of: "copy") != identity)
        // The inode's number may be given again at once.
        for _ in 0..<20 {
            try directory.remove("file")
            try scratch.put("file")
            #expect(try directory.identity(of: "file") != identity)
        }
    }

    @Test func `a link, a directory and nothing have no identity`() throws {
        let directory = try Directory.open(scratch.path, rule: .secret)
        try FileManager.default.createSymbolicLink(atPath: scratch.at("link"), withDestinationPath: "file")
        try scratch.putDirectory("directory")
        for name in ["link", "directory"] {
            #expect(throws: FileError.wrongKind(path: scratch.at(name))) { try directory.identity(of: name) }
        }
        #expect(throws: FileError.missing(path: scratch.at("none"))) { try directory.identity(of: "none") }
    }

    @Test(arguments: [Directory.Existing.replace, .refuse], [false, true])
    func `a file that is being written has the identity that it will have`(
        _ existing: Directory.Existing, _ isNamed: Bool
    ) throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        var written: FileIdentity?
        if isNamed {
            try directory.writeNamed("new", ".new.new", existing) { written = try $0.identity() }
        } else {
            try directory.write("new", existing: existing) { written = try $0.identity() }
        }
        #expect(try directory.identity(of: "new") == written)
    }

    @Test func `a file is removed by its identity, and no other of its name`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        let identity = try directory.identity(of: "file")
        try scratch.put("other")
        try FileManager.default.moveItem(atPath: scratch.at("file"), toPath: scratch.at("renamed"))
        try FileManager.default.moveItem(atPath: scratch.at("other"), toPath: scratch.at("file"))
        try directory.remove("file", if: identity)
        #expect(try scratch.names() == ["file", "renamed"])
        try directory.remove("renamed", if: identity)
        #expect(try scratch.names() == ["file"])
        try scratch.putLink("link", to: "file")
        let target = try directory.identity(of: "file")
        #expect(throws: FileError.wrongKind(path: scratch.at("link"))) { try directory.remove("link", if: target) }
        #expect(throws: FileError.missing(path: scratch.at("none"))) { try directory.remove("none", if: target) }
        #expect(try scratch.names() == ["file", "link"])
    }

    @Test(arguments: [(.owner, 0o600), (.everybody, 0o644)] as [(Directory.Readers, mode_t)])
    func `who may read a file of pieces`(_ readers: Directory.Readers, _ mode: mode_t) throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        try directory.write("new", existing: .replace, readers: readers) { try $0.write([UInt8]([1]).span) }
        try directory.writeNamed("named", ".named.new", .replace, readers: readers) { try $0.write([UInt8]([1]).span) }
        #expect(try scratch.mode(of: "new") == mode && scratch.mode(of: "named") == mode)
    }

    @Test func `the path of a directory follows it`() throws {
        try scratch.putDirectory("a")
        let directory = try Directory.open(scratch.at("a"), rule: .secret)
        #expect(try directory.currentPath() == scratch.at("a"))
        try FileManager.default.moveItem(atPath: scratch.at("a"), toPath: scratch.at("b"))
        #expect(try directory.currentPath() == scratch.at("b"))
        try scratch.put("b/file")
        #expect(try directory.holds("file", at: scratch.at("b/file")))
        #expect(try !directory.holds("file", at: scratch.at("file")))
        #expect(try !directory.holds("file", at: scratch.at("a/file")))
        #expect(try !directory.holds("none", at: scratch.at("none")))
    }
}
