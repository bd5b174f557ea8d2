import Foundation
import Testing

@testable import AtomicFiles

/// What is cleared up in a directory that others use, too.
@Suite struct LeftoverTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// - Parameter age: that of the files, in seconds.
    private func sweep(age: Int = 0) throws {
        try Directory.open(scratch.path, rule: .shared).sweepLeftovers(at: time(nil) + age) { $0 == "a" }
    }

    /// The number of a process that was there, and is no more.
    private static func deadProcess() throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        return process.processIdentifier
    }

    private func put(_ writer: Writer, random: String = "1x9z") throws -> String {
        let name = ".a.\(writer.text).\(random).new"
        try scratch.put(name)
        return name
    }

    @Test func `a temporary name tells its writer`() throws {
        let name = try Directory.open(scratch.path, rule: .shared).sharedTemporaryName("a.b-c")
        #expect(name.hasPrefix(".a.b-c.") && name.hasSuffix(".new"))
        #expect(Writer(of: name) == .present)
        #expect(!Writer.present.isDead)
    }

    @Test(arguments: [
        ".a.new", ".a.1x9z.new", ".a.b.1x9z.new", ".a.1-.1x9z.new", ".a.1--1.1x9z.new", ".a.1-0.1x9z.new",
    ]) func `other names tell none`(_ name: String) { #expect(Writer(of: name) == nil) }

    @Test func `a dead process's file is swept, a living one's is not`() throws {
        let dead = Writer(run: Writer.present.run, process: try Self.deadProcess())
        _ = try put(dead)
        let living = try [put(.present), put(Writer(run: dead.run, process: 1))]
        try sweep()
        #expect(try scratch.names() == living.sorted())
    }

    @Test func `of another machine or run nobody knows who lives, unless the file is old`() throws {
        let elsewhere = Writer(run: Writer.present.run ^ 1, process: try Self.deadProcess())
        let name = try put(elsewhere)
        try sweep(age: 3500)
        #expect(try scratch.names() == [name])
        try sweep(age: 3700)
        #expect(try scratch.names() == [])
    }

    /// A server dates backups by a clock of its own, which may be behind.
    @Test func `a file that was written just now is not old, however it is dated`() throws {
        let name = try put(.present)
        let date = Date(timeIntervalSinceNow: -7300)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: scratch.at(name))
        try sweep()
        #expect(try scratch.names() == [name])
    }

    /// Under the systemd units, which hide the number of the boot, two machines look the same.
    @Test func `if the boot is unknown, no writer counts as dead`() throws {
        let namespace = Array("pid:[4026531836]".utf8)
        #expect(Writer.number(boot: [], namespace: namespace) == nil)
        #expect(Writer.number(boot: [1], namespace: []) == nil)
        #expect(Writer.number(boot: [1], namespace: namespace) != Writer.number(boot: [2], namespace: namespace))
        let dead = Writer(run: Writer.present.run, process: try Self.deadProcess())
        #expect(dead.isDead(seenFrom: dead.run))
        #expect(!dead.isDead(seenFrom: nil))
    }

    @Test func `other names stay, whatever they are`() throws {
        let dead = Writer(run: Writer.present.run, process: try Self.deadProcess())
        for beginning in [".b", ".ab", "a"] { try scratch.put("\(beginning).\(dead.text).1.new") }
        try scratch.putDirectory(".a.\(dead.text).2.new")
        try scratch.putLink(".a.\(dead.text).3.new", to: "a")
        let names = try scratch.names()
        try sweep()
        #expect(try scratch.names() == names)
    }

    @Test func `beside a result, other hidden files stay, however old`() throws {
        let old = try put(Writer(run: Writer.present.run ^ 1, process: 1))
        for name in [".a.new", ".a.local.new", old] { try scratch.put(name) }
        try Directory.open(scratch.path, rule: .shared).sweepLeftovers(of: "a", at: time(nil) + 7300)
        #expect(try scratch.names() == [".a.local.new", ".a.new"])
    }

    @Test(.enabled(if: isRoot, "only root can give a file away"))
    func `another account's stays`() throws {
        let name = try put(Writer(run: Writer.present.run, process: try Self.deadProcess()))
        try scratch.setOwner(somebodyElse, of: name)
        try sweep()
        #expect(try scratch.names() == [name])
    }
}
