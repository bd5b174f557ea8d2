import AtomicFiles
import Foundation
import Testing

/// Files that move to another directory when they are replaced or removed.
@Suite struct MovingTests {
    private let scratch: Scratch
    private let other: Scratch

    init() throws {
        scratch = try Scratch()
        other = try Scratch()
        try scratch.put("file", [1])
    }

    /// Neither a temporary file nor a second name is left.
    private func expect(_ here: [String: [UInt8]], _ there: [String: [UInt8]]) throws {
        for (place, files) in [(scratch, here), (other, there)] {
            #expect(try place.names() == files.keys.sorted())
            for (name, content) in files {
                #expect(try place.content(name) == content)
                let attributes = try FileManager.default.attributesOfItem(atPath: place.at(name))
                #expect(attributes[.referenceCount] as? Int == 1)
            }
        }
    }

    @Test func `a file that is replaced or removed gets its new name`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        let target = try Directory.open(other.path, rule: .shared)
        let identity = try directory.identity(of: "file")
        let isMoved = try directory.replace(
            "file", [2].span, modified: 1_795_262_400_123, movingOldTo: target, as: "old")
        #expect(isMoved)
        try expect(["file": [2]], ["old": [1]])
        #expect(try target.identity(of: "old") == identity)
        #expect(try directory.modificationTime(of: "file") == 1_795_262_400_123)
        #expect(try scratch.mode(of: "file") == 0o600)
        #expect(try directory.move("file", to: target, as: "removed"))
        try expect([:], ["old": [1], "removed": [2]])
    }

    @Test func `nothing is done if the new name exists, or the file does not`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        let target = try Directory.open(other.path, rule: .shared)
        try other.put("old", [3])
        let exists = FileError.exists(path: other.at("old"))
        #expect(throws: exists) {
            _ = try directory.replace("file", [2].span, modified: 0, movingOldTo: target, as: "old")
        }
        #expect(throws: exists) { _ = try directory.move("file", to: target, as: "old") }
        let missing = FileError.missing(path: scratch.at("none"))
        #expect(throws: missing) {
            _ = try directory.replace("none", [2].span, modified: 0, movingOldTo: target, as: "new")
        }
        #expect(throws: missing) { _ = try directory.move("none", to: target, as: "new") }
        try expect(["file": [1]], ["old": [3]])
    }

    @Test(.enabled(if: (try? Directory.open("/dev/shm", rule: .shared)) != nil, "needs a second file system"))
    func `nothing is done across file systems`() throws {
        let directory = try Directory.open(scratch.path, rule: .shared)
        let target = try Directory.open("/dev/shm", rule: .shared)
        let name = UUID().uuidString
        let isMoved = try directory.replace("file", [2].span, modified: 0, movingOldTo: target, as: name)
        #expect(!isMoved)
        #expect(try !directory.move("file", to: target, as: name))
        try expect(["file": [1]], [:])
        #expect(try !target.contains(name))
    }
}
