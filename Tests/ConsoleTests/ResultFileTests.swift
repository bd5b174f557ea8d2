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

    @Test(arguments: ["", ".", "..", "/", "x/", "x/..", "/nonexistent/x"])
    func `what names no file in a directory`(_ path: String) {
        #expect(throws: ResultFileError.self) { try ResultFile(path, mayReplace: true, outside: nil) }
    }
}
