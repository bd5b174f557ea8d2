import AtomicFiles
import Glibc
import Testing

/// What tells that a file has changed since it was read.
@Suite struct FileStateTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// The state as it is seen some time after the last change.
    private func state(after seconds: Int = 60) throws -> FileState? {
        try Directory.open(scratch.path, rule: .shared).readPublic("file", limit: 100, at: time(nil) + seconds).state
    }

    /// Longer than a tick of the kernel's clock.
    private func pause() { usleep(20_000) }

    @Test func `a file that was not changed has the same state`() throws {
        try scratch.put("file")
        let first = try #require(try state())
        pause()
        let second = try state()
        #expect(second == first)
    }

    @Test func `a file that is overwritten with as many bytes has another state, also with its old time`() throws {
        try scratch.put("file", [1, 2, 3])
        var status = stat()
        try #require(stat(scratch.at("file"), &status) == 0)
        let first = try #require(try state())
        pause()
        let file = open(scratch.at("file"), O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        try #require(write(file, [4, 5, 6], 3) == 3)
        try #require(futimens(file, [status.st_atim, status.st_mtim]) == 0)
        let second = try state()
        #expect(second != nil)
        #expect(second != first)
    }

    @Test func `a file that is replaced has another state`() throws {
        try scratch.put("file", [1, 2, 3])
        let first = try #require(try state())
        pause()
        try scratch.put("other", [4, 5, 6])
        try #require(rename(scratch.at("other"), scratch.at("file")) == 0)
        let second = try state()
        #expect(second != nil)
        #expect(second != first)
    }

    @Test(arguments: [-60, 0, 1]) func `a file that has changed just now, or in the future, has no state`(
        _ seconds: Int
    ) throws {
        try scratch.put("file")
        let state = try state(after: seconds)
        #expect(state == nil)
    }
}
