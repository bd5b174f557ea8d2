import Foundation
import SecureMemory
import Testing

@testable import AtomicFiles

/// Writing and reading a file piece by piece.
@Suite struct PieceTests {
    private struct Stopped: Error {}

    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func open(_ rule: Directory.Rule) throws -> Directory { try Directory.open(scratch.path, rule: rule) }

    @Test(arguments: [false, true])
    func `what was written is read before the file has its name`(_ isNamed: Bool) throws {
        let directory = try open(.shared)
        let check = { (file: OutputFile) in
            let content: [UInt8] = [1, 2, 3, 4, 5]
            try file.write(content.span)
            var read = [UInt8](repeating: 0, count: 3)
            for (offset, expected) in [(0, [1, 2, 3]), (3, [4, 5]), (5, [])] as [(Int, [UInt8])] {
                var bytes = read.mutableSpan
                let count = try file.read(into: &bytes, at: offset)
                #expect(Array(read.prefix(count)) == expected)
            }
            let more: [UInt8] = [6]
            try file.write(more.span)
        }
        if isNamed {
            try directory.writeNamed("file", ".file.new", .refuse, check)
        } else {
            try directory.write("file", existing: .refuse, pieces: check)
        }
        #expect(try scratch.content("file") == [1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: [Directory.Rule.secret, .shared], [Directory.Existing.replace, .refuse])
    func `pieces are one file, which appears at the end`(_ rule: Directory.Rule, _ existing: Directory.Existing) throws
    {
        if existing == .replace { try scratch.put("file", [9]) }
        try open(rule).write("file", existing: existing) { file in
            for piece in 0..<100 {
                let bytes = [UInt8](repeating: UInt8(piece), count: piece * 100)
                try file.write(bytes.span)
                if piece == 50 {
                    let before = try scratch.names().filter { !$0.hasPrefix(".") }
                    #expect(before == (existing == .replace ? ["file"] : []))
                    if existing == .replace { #expect(try scratch.content("file") == [9]) }
                }
            }
        }
        let expected = (0..<100).flatMap { [UInt8](repeating: UInt8($0), count: $0 * 100) }
        let isWhole = try scratch.content("file") == expected
        #expect(isWhole)
        #expect(try scratch.names() == ["file"] && scratch.mode(of: "file") == 0o600)
    }

    @Test(arguments: [Directory.Rule.secret, .shared], [Directory.Existing.replace, .refuse])
    func `nothing remains of a file that was not completed`(
        _ rule: Directory.Rule, _ existing: Directory.Existing
    ) throws {
        if existing == .replace { try scratch.put("file", [9]) }
        #expect(throws: Stopped.self) {
            try open(rule).write("file", existing: existing) { file in
                let bytes = [UInt8](repeating: 1, count: 100_000)
                try file.write(bytes.span)
                throw Stopped()
            }
        }
        #expect(try scratch.names() == (existing == .replace ? ["file"] : []))
        if existing == .replace { #expect(try scratch.content("file") == [9]) }
    }

    /// As on a file system without files that have no name.
    @Test func `with a temporary name it is the same`() throws {
        let directory = try open(.secret)
        for existing in [Directory.Existing.refuse, .replace] {
            try directory.writeNamed("file", ".file.new", existing) { file in
                try file.write([UInt8]([1, 2]).span)
                #expect(try scratch.names().contains(".file.new"))
            }
            #expect(try scratch.content("file") == [1, 2] && scratch.names() == ["file"])
        }
        #expect(throws: Stopped.self) {
            try directory.writeNamed("file", ".file.new", .replace) { file in
                try file.write([UInt8]([3]).span)
                throw Stopped()
            }
        }
        #expect(throws: FileError.exists(path: scratch.at("file"))) {
            try directory.writeNamed("file", ".file.new", .refuse) { try $0.write([UInt8]([3]).span) }
        }
        #expect(try scratch.content("file") == [1, 2] && scratch.names() == ["file"])
    }

    @Test func `an existing file is refused before anything is written, and one that comes meanwhile at the end`()
        throws
    {
        try scratch.put("there", [9])
        let directory = try open(.secret)
        #expect(throws: FileError.exists(path: scratch.at("there"))) {
            try directory.write("there", existing: .refuse) { _ in Issue.record("was called") }
        }
        #expect(throws: FileError.exists(path: scratch.at("file"))) {
            try directory.write("file", existing: .refuse) { file in
                try file.write([UInt8]([1]).span)
                try scratch.put("file", [8])
            }
        }
        #expect(try scratch.content("file") == [8] && scratch.names() == ["file", "there"])
    }

    @Test func `a link is not written through`() throws {
        try scratch.put("target", [9])
        try scratch.putLink("link", to: "target")
        #expect(throws: FileError.wrongKind(path: scratch.at("link"))) {
            try open(.shared).write("link", existing: .replace) { _ in Issue.record("was called") }
        }
        #expect(try scratch.content("target") == [9])
    }

    @Test(arguments: [0, 1, 4096, 300_000]) func `a file is read piece by piece`(_ count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try scratch.put("file", content)
        let file = try open(.secret).inputFile("file")
        #expect(file.count == count && file.path == scratch.at("file"))
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 7000)
        while true {
            var bytes = buffer.mutableSpan
            let count = try file.read(into: &bytes)
            if count == 0 { break }
            read += buffer[..<count]
        }
        let isWhole = read == content
        #expect(isWhole)
    }

    @Test func `a file is read at any offset, and the next piece is that of before`() throws {
        try scratch.put("file", Array(0..<100))
        let file = try open(.secret).inputFile("file")
        var buffer = [UInt8](repeating: 0, count: 40)
        var found: [[UInt8]] = []
        for offset in [30, 0, 80, 100, 1000] {
            var bytes = buffer.mutableSpan
            let count = try file.read(into: &bytes, at: offset)
            found.append(Array(buffer[..<count]))
        }
        #expect(found == [Array(30..<70), Array(0..<40), Array(80..<100), [], []])
        var bytes = buffer.mutableSpan
        let count = try file.read(into: &bytes)
        #expect(Array(buffer[..<count]) == Array(0..<40))
    }

    @Test func `only plain files are read, and secret ones only of this account`() throws {
        try scratch.put("file")
        try scratch.putLink("link", to: "file")
        try scratch.putPipe("pipe")
        try scratch.putDirectory("directory")
        let directory = try open(.secret)
        for name in ["link", "pipe", "directory"] {
            #expect(throws: FileError.wrongKind(path: scratch.at(name))) { _ = try directory.inputFile(name) }
        }
        #expect(throws: FileError.missing(path: scratch.at("none"))) { _ = try directory.inputFile("none") }
        try scratch.setMode(0o644, of: "file")
        #expect(throws: FileError.exposed(path: scratch.at("file"), mode: 0o644)) {
            _ = try directory.inputFile("file")
        }
        #expect(try open(.shared).inputFile("file").count == 3)
    }
}
