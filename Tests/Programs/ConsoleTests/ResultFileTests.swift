import Foundation
import Synchronization
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

    @Test func `what another program has made or changed meanwhile is not replaced`() throws {
        try Self.inDirectory { directory in
            let path = directory + "/result"
            for was in [nil, "old"] {
                try was?.write(toFile: path, atomically: false, encoding: .utf8)
                let file = try ResultFile(path, mayReplace: true, outside: nil)
                try "theirs".write(toFile: path, atomically: false, encoding: .utf8)
                #expect(throws: ResultFileError.self) { try file.write(Array("new".utf8).span) }
                #expect(Self.content(path) == "theirs")
                try FileManager.default.removeItem(atPath: path)
            }
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

    /// Two directories and a link to the first, which `turn` turns to the second. The second holds another's `x`.
    private static func withLink(_ body: (_ first: String, _ second: String, _ turn: () throws -> Void) throws -> Void)
        throws
    {
        try inDirectory { directory in
            let (first, second, link) = (directory + "/first", directory + "/second", directory + "/link")
            let manager = FileManager.default
            for path in [first, second] {
                try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            try manager.createSymbolicLink(atPath: link, withDestinationPath: first)
            try "another's".write(toFile: second + "/x", atomically: false, encoding: .utf8)
            try body(first, second) {
                try manager.removeItem(atPath: link)
                try manager.createSymbolicLink(atPath: link, withDestinationPath: second)
            }
        }
    }

    /// Both ways to write a result, up to its end.
    private enum Way: CaseIterable {
        case whole, pieces

        func write(_ path: String, outside reserved: ReservedDirectory?, finish: () throws -> Void) throws {
            try start(path, outside: reserved)(finish)
        }

        /// - Returns: what writes the result and then does its argument.
        func start(_ path: String, outside reserved: ReservedDirectory?) throws -> (() throws -> Void) throws -> Void {
            let target = try DocumentTarget(path, mayReplace: false, outside: reserved)
            switch self {
            case .whole: return { try target.write([1].span, finish: $0) }
            case .pieces: return { try target.write(pieces: { try $0.write([1].span) }, finish: $0) }
            }
        }
    }

    @Test(arguments: Way.allCases)
    private func `a result that is refused deletes nothing`(_ way: Way) throws {
        try Self.withLink { first, second, turn in
            let link = first.dropLast("first".count) + "link/x"
            let write = try way.start(String(link), outside: ReservedDirectory(second, "the store"))
            try turn()
            #expect {
                try write {}
            } throws: { error in
                if case ResultFileError.reserved = error { true } else { false }
            }
            #expect(Self.content(second + "/x") == "another's")
            let names = try FileManager.default.contentsOfDirectory(atPath: first)
            #expect(names.isEmpty)
        }
    }

    @Test(arguments: Way.allCases)
    private func `a result is not written to another directory than the one that was examined`(_ way: Way) throws {
        try Self.withLink { first, second, turn in
            let link = first.dropLast("first".count) + "link/y"
            let write = try way.start(String(link), outside: nil)
            try turn()
            #expect {
                try write {}
            } throws: { error in
                if case ResultFileError.moved = error { true } else { false }
            }
            let names = try [first, second].map { try FileManager.default.contentsOfDirectory(atPath: $0) }
            #expect(names == [[], ["x"]])
        }
    }

    @Test(arguments: Way.allCases)
    private func `nor to one that was moved into a reserved one`(_ way: Way) throws {
        try Self.withLink { first, second, _ in
            let write = try way.start(first + "/y", outside: ReservedDirectory(second, "the store"))
            try FileManager.default.moveItem(atPath: first, toPath: second + "/first")
            #expect {
                try write {}
            } throws: { error in
                if case ResultFileError.reserved = error { true } else { false }
            }
            let names = try FileManager.default.subpathsOfDirectory(atPath: second).sorted()
            #expect(names == ["first", "x"])
        }
    }

    @Test(arguments: Way.allCases)
    private func `if the end fails, the file that another put in its place stays`(_ way: Way) throws {
        try Self.inDirectory { directory in
            let (path, other) = (directory + "/result", directory + "/other")
            try "another's".write(toFile: other, atomically: false, encoding: .utf8)
            #expect(throws: Interrupted.self) {
                try way.write(path, outside: nil) {
                    #expect(rename(other, path) == 0)
                    throw Interrupted()
                }
            }
            #expect(Self.content(path) == "another's")
        }
    }

    @Test(arguments: Way.allCases)
    private func `if the end fails, the file goes from the directory that it was written to`(_ way: Way) throws {
        try Self.withLink { first, second, turn in
            let link = first.dropLast("first".count) + "link/x"
            #expect(throws: Interrupted.self) {
                try way.write(String(link), outside: nil) {
                    #expect(FileManager.default.fileExists(atPath: first + "/x"))
                    try turn()
                    throw Interrupted()
                }
            }
            #expect(Self.content(second + "/x") == "another's")
            let names = try FileManager.default.contentsOfDirectory(atPath: first)
            #expect(names.isEmpty)
        }
    }

    /// A link that is turned all the time: what was examined is what is written to.
    @Test func `a link that is turned at any moment`() throws {
        try Self.withLink { first, second, _ in
            let directory = String(first.dropLast("/first".count))
            let turning = Turning(directory: directory)
            turning.start()
            defer { turning.stop() }
            let reserved = ReservedDirectory(second, "the store")
            for _ in 0..<2000 {
                let file = try? ResultFile(directory + "/link/x", mayReplace: true, outside: reserved)
                try? file?.write([1].span)
            }
            #expect(Self.content(second + "/x") == "another's")
            let names = try FileManager.default.contentsOfDirectory(atPath: second)
            #expect(names == ["x"])
        }
    }

    @Test(arguments: [".", "..", "/", "x/", "x/..", "/nonexistent/x"])
    func `what names no file in a directory`(_ path: String) {
        #expect(throws: ResultFileError.self) { try ResultFile(path, mayReplace: true, outside: nil) }
    }

    @Test func `an empty name is a wrong option`() {
        #expect(throws: UsageFailure.self) { try ResultFile("", mayReplace: true, outside: nil) }
    }
}

/// A thread that turns `link` from `first` to `second` and back, until it is stopped.
private final class Turning: Sendable {
    private let directory: String
    private let isStopped = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(directory: String) {
        self.directory = directory
    }

    func start() {
        Thread.detachNewThread { [self] in
            var turns = 0
            while !isStopped.load(ordering: .relaxed) {
                turns += 1
                symlink(turns.isMultiple(of: 2) ? "first" : "second", directory + "/turned")
                rename(directory + "/turned", directory + "/link")
            }
            ended.signal()
        }
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        ended.wait()
    }
}
