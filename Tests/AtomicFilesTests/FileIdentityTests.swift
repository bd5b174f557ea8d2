import AtomicFiles
import Foundation
import Testing

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
