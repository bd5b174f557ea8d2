import AtomicFiles
import Keystore
import Testing
import VectorKit

/// What is sealed for an identity before it has an ID is not lost, and is no identity.
@Suite struct PendingTests {
    private struct Refused: Error {}

    private let scratch: Scratch
    private let keystore: OpenKeystore
    private let name: Owner = "0123456789abcdef"
    private let file = "identities/threema/.pending-0123456789abcdef"

    init() throws {
        scratch = try Scratch()
        keystore = try OpenKeystore.openOrCreate(at: scratch.path)
    }

    private func add() throws { _ = try keystore.addPending(name, [1, 2, 3].span) }

    private func held() throws -> LockedPending { try keystore.lockedPending(name, wait: .seconds(2)) }

    @Test func `one is listed and opened, and is no identity`() throws {
        #expect(try keystore.pendings(of: "threema") == [])
        try add()
        #expect(try keystore.pendings(of: "threema") == [name])
        #expect(try keystore.pendings(of: "other") == [])
        let content = try keystore.pending(name)
        #expect(content.copied == [1, 2, 3])
        #expect(try keystore.identities() == [])
        #expect(try LockedKeystore.owners(at: scratch.path) == [])
        #expect(try scratch.mode(of: file) == 0o600)
    }

    @Test func `it is sealed for its name`() throws {
        try add()
        let sealed = try scratch.content(file)
        #expect(!sealed.contains([1, 2, 3]))
        let other: Owner = "fedcba9876543210"
        try scratch.put("identities/threema/.pending-fedcba9876543210", sealed)
        #expect(throws: KeystoreError.damaged(record: "pending", owner: other)) { _ = try keystore.pending(other) }
        try scratch.put(file, sealed.dropLast() + [sealed.last! ^ 1])
        #expect(throws: KeystoreError.damaged(record: "pending", owner: name)) { _ = try keystore.pending(name) }
    }

    @Test func `one that is there is not replaced`() throws {
        try add()
        let before = try scratch.content(file)
        #expect(throws: KeystoreError.exists(name)) { _ = try keystore.addPending(name, [4].span) }
        #expect(try scratch.content(file) == before)
    }

    @Test func `the identity takes its place`() throws {
        let pending = try keystore.addPending(name, [1, 2, 3].span)
        try keystore.complete(pending, as: "ABCD1234") { try $0.put("identity", [9]) }
        #expect(try keystore.identities() == ["ABCD1234"])
        #expect(try keystore.pendings(of: "threema") == [])
        #expect(throws: KeystoreError.noIdentity(name)) {
            try keystore.complete(pending, as: "ABCD9999") { try $0.put("identity", [9]) }
        }
        #expect(try keystore.identities() == ["ABCD1234"])
    }

    @Test func `it stays if the identity cannot be added`() throws {
        try add()
        #expect(throws: Refused.self) { try keystore.complete(held(), as: "ABCD1234") { _ in throw Refused() } }
        try keystore.add("ABCD1234") { try $0.put("identity", [9]) }
        #expect(throws: KeystoreError.exists("ABCD1234")) {
            try keystore.complete(held(), as: "ABCD1234") { try $0.put("identity", [8]) }
        }
        let content = try keystore.pending(name)
        #expect(content.copied == [1, 2, 3])
    }

    @Test func `it is removed once`() throws {
        try add()
        let pending = try held()
        try keystore.removePending(pending)
        #expect(throws: KeystoreError.noIdentity(name)) { try keystore.removePending(pending) }
        #expect(throws: KeystoreError.noIdentity(name)) { _ = try held() }
        #expect(throws: KeystoreError.noIdentity(name)) { _ = try keystore.pending(name) }
    }

    @Test func `one holder at a time`() throws {
        let pending = try keystore.addPending(name, [1, 2, 3].span)
        #expect(throws: FileError.locked(path: scratch.at(file))) {
            _ = try keystore.lockedPending(name, wait: .milliseconds(100))
        }
        _ = consume pending
        _ = try held()
    }

    @Test func `who waits for a record that is removed learns that it is gone`() async throws {
        let pending = try keystore.addPending(name, [1, 2, 3].span)
        let (keystore, name) = (keystore, name)
        let waiting = Task.detached {
            do {
                _ = try keystore.lockedPending(name, wait: .seconds(30))
                return false
            } catch {
                return error as? KeystoreError == .noIdentity(name)
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        try keystore.removePending(pending)
        _ = consume pending
        #expect(await waiting.value)
    }

    @Test func `a keystore that holds one is not empty`() throws {
        try add()
        #expect(throws: KeystoreError.notEmpty(path: scratch.path)) {
            try OpenKeystore.adopt(.random(), at: scratch.path)
        }
        try scratch.remove("master.key")
        #expect(throws: KeystoreError.masterKeyMissing(path: scratch.path)) { _ = try LockedKeystore(at: scratch.path) }
    }

    @Test func `what a killed writer left is swept when the keystore is opened`() throws {
        try add()
        try scratch.put("identities/threema/..pending-0123456789abcdef.new", [9])
        // A program that another test has just started holds a copy of the lock for a moment, and nothing is swept then.
        for _ in 0..<100 where try scratch.files().contains(where: { $0.hasSuffix(".new") }) {
            _ = try LockedKeystore(at: scratch.path)
        }
        #expect(try scratch.files().filter { $0.hasPrefix("identities") } == [file])
    }

    @Test func `its permissions are looked at`() throws {
        try add()
        let locked = try LockedKeystore(at: scratch.path)
        #expect(try locked.permissionProblems() == [])
        try scratch.setMode(0o644, of: file)
        #expect(try locked.permissionProblems() == [.exposed(path: scratch.at(file), mode: 0o644)])
    }
}
