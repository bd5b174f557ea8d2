import AtomicFiles
import Glibc
import Keystore
import Testing

/// What a command can do without: only the place may be the reason that it is not written.
@Suite struct AttemptTests {
    private let scratch: Scratch
    private let keystore: OpenKeystore

    init() throws {
        scratch = try Scratch()
        keystore = try OpenKeystore.openOrCreate(at: scratch.path)
    }

    @Test(
        arguments: [
            .locked(path: "a"), .system(.open, path: "a", code: EROFS), .system(.open, path: "a", code: EACCES),
            .system(.open, path: "a", code: ENOSPC), .system(.write, path: "a", code: ENOSPC),
            .system(.write, path: "a", code: EDQUOT), .system(.rename, path: "a", code: EROFS),
        ] as [FileError])
    func `a place that cannot be written is no error`(_ error: FileError) throws {
        #expect(try !keystore.attempt { throw error })
    }

    @Test(
        arguments: [
            .missing(path: "a"), .exposed(path: "a", mode: 0o644), .notOurs(path: "a", owner: 5), .wrongKind(path: "a"),
            .system(.write, path: "a", code: EIO), .system(.open, path: "a", code: EMFILE),
            .system(.read, path: "a", code: EACCES), .system(.sync, path: "a", code: EIO),
        ] as [FileError])
    func `any other failure of a file is`(_ error: FileError) {
        #expect(throws: error) { try keystore.attempt { throw error } }
    }

    @Test func `and so is what is no failure of a file`() throws {
        struct Other: Error {}
        #expect(throws: Other.self) { try keystore.attempt { throw Other() } }
        #expect(throws: KeystoreError.noIdentity("ABCD1234")) {
            try keystore.attempt { throw KeystoreError.noIdentity("ABCD1234") }
        }
        #expect(try keystore.attempt {})
    }
}
