import AtomicFiles
import Foundation
import Testing
import VectorKit

/// The lock on a directory itself.
@Suite struct DirectoryLockTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func lock(_ name: String = "", wait: Duration = .zero) throws -> FileLock {
        try Directory.open(scratch.at(name), rule: .shared).lock(wait: wait)
    }

    @Test func `it needs no file`() throws {
        let lock = try lock()
        let names = try scratch.names()
        #expect(names == [])
        _ = consume lock
    }

    @Test func `a second one is refused until the first one ends`() throws {
        let first = try lock()
        #expect(throws: FileError.locked(path: scratch.path)) { _ = try lock() }
        let start = ContinuousClock.now
        #expect(throws: FileError.locked(path: scratch.path)) { _ = try lock(wait: .milliseconds(200)) }
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        _ = consume first
        _ = try lock()
    }

    @Test func `a second one goes on when the first one ends`() throws {
        let first = try lock()
        let waiter = Thread.answer { [scratch] in
            (try? Directory.open(scratch.path, rule: .shared).lock(wait: .seconds(30))) != nil
        }
        Thread.sleep(forTimeInterval: 0.2)
        _ = consume first
        #expect(waiter())
    }

    @Test func `other directories and the files in it are free`() throws {
        try scratch.putDirectory("inner")
        let outer = try lock()
        let inner = try lock("inner")
        try Directory.open(scratch.path, rule: .shared).write("file", [1].span)
        _ = consume outer
        _ = consume inner
    }

    @Test func `other processes see it`() throws {
        let lock = try lock()
        let whileHeld = try Program.run("/usr/bin/flock", "-n", scratch.path, "true")
        #expect(whileHeld == 1)
        _ = consume lock
        let afterwards = try Program.run("/usr/bin/flock", "-n", scratch.path, "true")
        #expect(afterwards == 0)
    }
}
