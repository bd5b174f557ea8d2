import AtomicFiles
import SecureMemory
import Testing
import VectorKit

/// A file that is replaced only when what was written has been proven.
@Suite struct ReplaceTests {
    private struct NotProven: Error {}

    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try directory().write("file", [1, 2, 3].span)
    }

    private func directory() throws -> Directory { try Directory.open(scratch.path, rule: .secret) }

    private func replace(_ content: [UInt8], proof: (consuming SecureBytes) throws -> Void) throws {
        try directory().replace("file", content.span, proof: proof)
    }

    @Test func `the proof sees what was written, while the old file stands`() throws {
        try replace([4, 5]) { written in
            #expect(written.copied == [4, 5])
            let standing = try scratch.content("file")
            #expect(standing == [1, 2, 3])
            let names = try scratch.names()
            #expect(names == [".file.new", "file"])
        }
        #expect(try scratch.content("file") == [4, 5])
        #expect(try scratch.names() == ["file"])
        #expect(try scratch.mode(of: "file") == 0o600)
    }

    @Test func `without a proof nothing has changed`() throws {
        #expect(throws: NotProven.self) { try replace([4, 5]) { _ in throw NotProven() } }
        #expect(try scratch.content("file") == [1, 2, 3])
        #expect(try scratch.names() == ["file"])
    }

    @Test func `what a killed writer left is no obstacle`() throws {
        try directory().write(".file.new", [9].span)
        try replace([4, 5]) { #expect($0.copied == [4, 5]) }
        #expect(try scratch.names() == ["file"])
    }

    @Test func `there has to be a plain file to be replaced`() throws {
        #expect(throws: FileError.missing(path: scratch.at("other"))) {
            try directory().replace("other", [1].span) { _ in }
        }
        try scratch.putLink("link", to: "file")
        #expect(throws: FileError.wrongKind(path: scratch.at("link"))) {
            try directory().replace("link", [1].span) { _ in }
        }
        #expect(try scratch.content("file") == [1, 2, 3])
    }

    @Test func `temporary names are seen, whatever has them`() throws {
        #expect(try directory().hasTemporaryNames() == false)
        try directory().write(".something.new", [9].span)
        #expect(try directory().hasTemporaryNames())
        try directory().sweepFiles()
        #expect(try directory().hasTemporaryNames() == false)
        try directory().makeDirectory(".something.new")
        #expect(try directory().hasTemporaryNames())
    }
}
