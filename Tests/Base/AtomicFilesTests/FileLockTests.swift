import AtomicFiles
import Foundation
import Testing
import VectorKit

@Suite struct FileLockTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func lock(wait: Duration = .zero) throws -> FileLock {
        try Directory.open(scratch.path, rule: .secret).lock("lock", wait: wait)
    }

    @Test func `the lock file is made, empty and for us alone`() throws {
        let lock = try lock()
        let mode = try scratch.mode(of: "lock")
        let content = try scratch.content("lock")
        #expect(mode == 0o600)
        #expect(content == [])
        _ = consume lock
    }

    @Test func `a second one is refused until the first one ends`() throws {
        let first = try lock()
        #expect(throws: FileError.locked(path: scratch.at("lock"))) { _ = try lock() }
        _ = consume first
        _ = try lock()
    }

    @Test func `it ends for a process that was forked meanwhile, too`() throws {
        let first = try lock()
        let inherited = try OpenFile.copy(of: scratch.at("lock"))
        _ = consume first
        _ = try lock()
        inherited.close()
    }

    @Test func `a second one waits as long as it was told to`() throws {
        let first = try lock()
        let start = ContinuousClock.now
        #expect(throws: FileError.locked(path: scratch.at("lock"))) { _ = try lock(wait: .milliseconds(300)) }
        let waited = ContinuousClock.now - start
        #expect(waited >= .milliseconds(300))
        #expect(waited < .seconds(5))
        _ = consume first
    }

    @Test func `a second one goes on as soon as the first one ends`() throws {
        let first = try lock()
        let hasBegun = Flag()
        let waiter = Thread.answer { [scratch] in
            let start = ContinuousClock.now
            hasBegun.set()
            let isLocked = (try? Directory.open(scratch.path, rule: .secret).lock("lock", wait: .seconds(30))) != nil
            return (isLocked, ContinuousClock.now - start)
        }
        while !hasBegun.isSet { usleep(1000) }
        Thread.sleep(forTimeInterval: 0.3)
        _ = consume first
        let (isLocked, waited) = waiter()
        #expect(isLocked)
        #expect(waited >= .milliseconds(200))
        #expect(waited < .seconds(10))
    }

    @Test func `of many at once, one at a time has it`() throws {
        try scratch.put("counter", Array("0".utf8))
        let failures = concurrently(8) { [scratch] _ in
            (0..<5).filter { _ in
                do {
                    let lock = try Directory.open(scratch.path, rule: .secret).lock("lock", wait: .seconds(60))
                    // Reading and writing with a pause between: without the lock, counts get lost.
                    let count = Int(String(decoding: try scratch.content("counter"), as: UTF8.self))!
                    Thread.sleep(forTimeInterval: 0.001)
                    try scratch.put("counter", Array("\(count + 1)".utf8))
                    _ = consume lock
                    return false
                } catch {
                    return true
                }
            }.count
        }
        #expect(failures.allSatisfy { $0 == 0 })
        let count = try String(decoding: scratch.content("counter"), as: UTF8.self)
        #expect(count == "40")
    }

    @Test func `one for reading makes no file, and excludes one for changing`() throws {
        let directory = try Directory.open(scratch.path, rule: .secret)
        let isMissing = try directory.lockForReading("lock", wait: .zero) == nil
        #expect(isMissing)
        #expect(try !directory.contains("lock"))
        let first = try lock()
        #expect(throws: FileError.locked(path: scratch.at("lock"))) {
            _ = try directory.lockForReading("lock", wait: .zero)
        }
        _ = consume first
        let reading = try directory.lockForReading("lock", wait: .zero)
        #expect(throws: FileError.locked(path: scratch.at("lock"))) { _ = try lock() }
        _ = consume reading
        _ = try lock()
    }

    @Test func `other processes see it`() throws {
        let lock = try lock()
        let whileHeld = try Program.run("/usr/bin/flock", "-n", scratch.at("lock"), "true")
        #expect(whileHeld == 1)
        _ = consume lock
        let afterwards = try Program.run("/usr/bin/flock", "-n", scratch.at("lock"), "true")
        #expect(afterwards == 0)
    }

    @Test func `a killed process leaves no lock behind`() throws {
        let holder = Process()
        holder.executableURL = URL(filePath: "/usr/bin/python3")
        holder.arguments = [
            "-c",
            """
            import fcntl, os, sys, time
            file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX)
            print("held", flush=True)
            time.sleep(60)
            """, scratch.at("lock"),
        ]
        let output = Pipe()
        holder.standardOutput = output
        try holder.run()
        let word = try output.fileHandleForReading.read(upToCount: 4)
        #expect(word == Data("held".utf8))
        #expect(throws: FileError.locked(path: scratch.at("lock"))) { _ = try lock() }
        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
        _ = try lock(wait: .seconds(5))
    }

    @Test func `a lock file that was replaced excludes nobody`() throws {
        let first = try lock()
        try scratch.put("other", [])
        try #require(rename(scratch.at("other"), scratch.at("lock")) == 0)
        // Not the old file, which somebody holds, but the one that stands there now.
        let second = try lock()
        #expect(throws: FileError.locked(path: scratch.at("lock"))) { _ = try lock() }
        _ = consume first
        #expect(throws: FileError.locked(path: scratch.at("lock"))) { _ = try lock() }
        _ = consume second
        _ = try lock()
    }

    /// Between opening and locking the file may be replaced; a process that then answers "locked" has locked a
    /// file that no other process will ever look at. Here the file is replaced all the time.
    @Test func `a lock is got on the file that stands there, or not at all`() throws {
        let (hasBegun, isOver) = (Flag(), Flag())
        let replacer = Thread.answer { [scratch] in
            var count = 0
            while !isOver.isSet {
                try? scratch.put("other", [])
                if rename(scratch.at("other"), scratch.at("lock")) == 0 { count += 1 }
                hasBegun.set()
            }
            return count
        }
        // On a busy machine the locks could be over before the thread runs.
        while !hasBegun.isSet { usleep(1000) }
        let failures = concurrently(4) { [scratch] _ in
            (0..<50).filter { _ in
                (try? Directory.open(scratch.path, rule: .secret).lock("lock", wait: .seconds(30))) == nil
            }.count
        }
        isOver.set()
        #expect(replacer() > 0)
        #expect(failures == [0, 0, 0, 0])
        let last = try lock()
        #expect(throws: FileError.locked(path: scratch.at("lock"))) { _ = try lock() }
        _ = consume last
    }

    @Test func `nothing but a plain file of ours is locked`() throws {
        try scratch.put("target", [])
        try scratch.putLink("link", to: "target")
        try scratch.putDirectory("directory")
        try scratch.putPipe("pipe")
        try scratch.put("twice", [])
        try scratch.putHardLink("again", to: "twice")
        let directory = try Directory.open(scratch.path, rule: .secret)
        for name in ["link", "directory", "pipe", "twice"] {
            #expect(throws: FileError.wrongKind(path: scratch.at(name)), "\(name)") {
                _ = try directory.lock(name, wait: .seconds(30))
            }
        }
        try scratch.put("open", [])
        try scratch.setMode(0o644, of: "open")
        #expect(throws: FileError.exposed(path: scratch.at("open"), mode: 0o644)) {
            _ = try directory.lock("open", wait: .seconds(30))
        }
    }
}
