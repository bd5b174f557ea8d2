import Foundation
import Testing

@testable import Console

/// A result is there as a whole, or what stood there before still is.
@Suite struct ResultFileTests {
    private struct Interrupted: Error {}

    private static func inDirectory(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "results-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private static func content(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test func `a new file is ours alone`() throws {
        try Self.inDirectory { directory in
            let path = directory + "/result"
            try ResultFile(path, mayReplace: false, outside: nil).write(Array("new".utf8).span)
            #expect(Self.content(path) == "new")
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `what stands there is replaced only if that is allowed`() throws {
        try Self.inDirectory { directory in
            let path = directory + "/result"
            try "old".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(throws: ResultFileError.self) { try ResultFile(path, mayReplace: false, outside: nil) }
            #expect(Self.content(path) == "old")
            try ResultFile(path, mayReplace: true, outside: nil).write(Array("new".utf8).span)
            #expect(Self.content(path) == "new")
        }
    }

    @Test func `if the end fails, no file is left that was not there`() throws {
        try Self.inDirectory { directory in
            let files = try ["one", "two"].map { try ResultFile(directory + "/" + $0, mayReplace: false, outside: nil) }
            #expect(throws: Interrupted.self) {
                try ResultFile.write(files.map { ($0, Array("x".utf8)) }) { throw Interrupted() }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test func `two results are two files`() throws {
        try Self.inDirectory { directory in
            let one = try ResultFile(directory + "/one", mayReplace: true, outside: nil)
            let same = try ResultFile(directory + "/./one", mayReplace: true, outside: nil)
            let other = try ResultFile(directory + "/two", mayReplace: true, outside: nil)
            try ResultFile.requireDistinct([one, other])
            #expect(throws: UsageFailure.self) { try ResultFile.requireDistinct([one, same]) }
        }
    }

    @Test func `a reserved directory holds no result, however it is named`() throws {
        try Self.inDirectory { directory in
            let (own, link) = (directory + "/own", directory + "/link")
            try FileManager.default.createDirectory(atPath: own + "/deep", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: own + "/deep")
            let reserved = ReservedDirectory(own, "the store")
            for path in ["/own/x", "/own/deep/x", "/link/x", "/own/deep/../x", "/link/../x"] {
                #expect(throws: ResultFileError.self) {
                    try ResultFile(directory + path, mayReplace: true, outside: reserved)
                }
            }
            try ResultFile(directory + "/own2", mayReplace: false, outside: reserved).write([1].span)
            #expect(reserved.holds(own) && reserved.holds(own + "/absent/x") && reserved.holds(link + "/absent"))
            #expect(!reserved.holds(directory) && !reserved.holds(own + "2") && !reserved.holds("/absent"))
        }
    }

    @Test func `a link that is turned into it before the end`() throws {
        try Self.inDirectory { directory in
            let (own, other, link) = (directory + "/own", directory + "/other", directory + "/link")
            let manager = FileManager.default
            for path in [own, other] { try manager.createDirectory(atPath: path, withIntermediateDirectories: false) }
            try manager.createSymbolicLink(atPath: link, withDestinationPath: other)
            let file = try ResultFile(link + "/x", mayReplace: true, outside: ReservedDirectory(own, "the store"))
            try manager.removeItem(atPath: link)
            try manager.createSymbolicLink(atPath: link, withDestinationPath: own)
            #expect(throws: ResultFileError.self) { try file.write([1].span) }
            #expect(try manager.contentsOfDirectory(atPath: own).isEmpty)
        }
    }

    @Test(arguments: ["", ".", "..", "/", "x/", "x/..", "/nonexistent/x"])
    func `what names no file in a directory`(_ path: String) {
        #expect(throws: ResultFileError.self) { try ResultFile(path, mayReplace: true, outside: nil) }
    }
}
