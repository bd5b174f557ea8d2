import AtomicFiles
import Foundation
import SafeStore
import Testing

/// The entity tags of contents that were hashed before.
@Suite final class TagCacheTests {
    private let path = NSTemporaryDirectory() + "tag-cache-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The state of a file, a minute after it was written.
    private func state(of name: String) throws -> FileState {
        try Data([1]).write(to: URL(filePath: path + "/" + name))
        let now = Int(Date().timeIntervalSince1970) + 60
        return try #require(try Directory.open(path, rule: .shared).readPublic(name, limit: 1, at: now).state)
    }

    @Test func `a content has its tag, with and without a state`() throws {
        let cache = TagCache()
        let state = try state(of: "one")
        #expect(cache.tag(of: [1], in: state) == EntityTag.of([1]))
        #expect(cache.tag(of: [1], in: state) == EntityTag.of([1]))
        #expect(cache.tag(of: [2], in: nil) == EntityTag.of([2]))
        #expect(cache.tag(of: [3], in: nil) == EntityTag.of([3]))
    }

    @Test func `what is found in one state of a file is hashed once`() throws {
        let cache = TagCache()
        let state = try state(of: "one")
        let tag = cache.tag(of: [1], in: state)
        // A lie, which only shows that nothing is hashed.
        #expect(cache.tag(of: [2], in: state) == tag)
    }

    @Test func `a state before a thousand others is forgotten`() throws {
        let cache = TagCache()
        let first = try state(of: "0")
        _ = cache.tag(of: [1], in: first)
        for number in 1...1024 { _ = try cache.tag(of: [1], in: state(of: "\(number)")) }
        // The same lie.
        #expect(cache.tag(of: [2], in: first) == EntityTag.of([2]))
    }

    @Test func `files have tags of their own`() throws {
        let cache = TagCache()
        let one = try state(of: "one")
        let two = try state(of: "two")
        #expect(cache.tag(of: [1], in: one) == EntityTag.of([1]))
        #expect(cache.tag(of: [2], in: two) == EntityTag.of([2]))
    }
}
