import KeyWrapping
import SecureMemory
import Testing
import VectorKit

@testable import Keystore

/// A passphrase on the master key: the one file changes, the records never do.
@Suite struct PassphraseTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try OpenKeystore.openOrCreate(at: scratch.path).add("ABCD1234") {
            try $0.put("identity", [1, 2, 3])
        }
    }

    private func secret(_ text: String) -> SecureBytes {
        let bytes = Array(text.utf8)
        return SecureBytes(copying: bytes.span)
    }

    private func unlock(_ passphrase: String) throws -> OpenKeystore {
        try LockedKeystore(at: scratch.path).unlock(passphrase: secret(passphrase))
    }

    private func record(_ keystore: OpenKeystore) throws -> [UInt8]? {
        try keystore.identity("ABCD1234").read("identity")?.copied
    }

    private func protect(_ passphrase: String, _ scheme: WrappedKey.Scheme = .scrypt) throws {
        try LockedKeystore(at: scratch.path).unlock().protect(by: secret(passphrase), scheme)
    }

    /// Everything but master.key.
    private func others() throws -> [String: [UInt8]] {
        let names = ["keystore", "identities/threema/ABCD1234/identity"]
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try scratch.content($0)) })
    }

    /// Somebody else has just made it; what is sealed there is not under the passphrase that was given.
    @Test func `given for a keystore that has none`() throws {
        #expect(throws: KeystoreError.unprotected(path: scratch.path)) {
            try OpenKeystore.openOrCreate(at: scratch.path, passphrase: secret("correct horse"))
        }
        _ = try OpenKeystore.openOrCreate(at: scratch.path)
    }

    @Test(arguments: WrappedKey.Scheme.allCases) func `on, changed and off again`(_ scheme: WrappedKey.Scheme) throws {
        let before = try others()
        try protect("correct horse", scheme)
        #expect(throws: KeyFileError.protected) { try LockedKeystore(at: scratch.path).unlock() }
        #expect(throws: KeyFileError.notOpened) { try unlock("correct horsf") }
        let isProtected = try unlock("correct horse").isProtected
        #expect(isProtected)

        try unlock("correct horse").protect(by: secret("battery staple"), scheme)
        #expect(throws: KeyFileError.notOpened) { try unlock("correct horse") }
        let opened = try record(unlock("battery staple"))
        #expect(opened == [1, 2, 3])

        try unlock("battery staple").unprotect()
        let bare = try record(LockedKeystore(at: scratch.path).unlock())
        #expect(bare == [1, 2, 3])
        #expect(try others() == before)
        #expect(try scratch.mode(of: "master.key") == 0o600)
        #expect(try scratch.content("master.key").count == 44)
    }

    @Test func `a file that somebody else changed meanwhile stays`() throws {
        let slow = try LockedKeystore(at: scratch.path).unlock()
        try protect("correct horse")
        let file = try scratch.content("master.key")
        let changed = KeystoreError.changed(path: scratch.at("master.key"))
        #expect(throws: changed) { try slow.protect(by: secret("battery staple"), .scrypt) }
        #expect(throws: changed) { try slow.unprotect() }
        #expect(try scratch.content("master.key") == file)
        // What it opened before is still open.
        #expect(try record(slow) == [1, 2, 3])
    }

    @Test func `a new keystore is protected from its first byte on`() throws {
        let other = try Scratch()
        let made = try OpenKeystore.openOrCreate(at: other.path, passphrase: secret("correct horse"))
        #expect(made.isProtected)
        let isProtected = try LockedKeystore(at: other.path).protection == .argon2id(.android)
        #expect(isProtected)
        // Who comes second has to know it.
        #expect(throws: KeyFileError.notOpened) {
            try OpenKeystore.openOrCreate(at: other.path, passphrase: secret("other one"))
        }
        #expect(throws: KeyFileError.protected) { try OpenKeystore.openOrCreate(at: other.path) }
        let again = try OpenKeystore.openOrCreate(at: other.path, passphrase: secret("correct horse"))
        #expect(again.digestKey("state").copied == made.digestKey("state").copied)
    }

    @Test func `a right passphrase with another keystore's record is damage`() throws {
        try protect("correct horse")
        let other = try Scratch()
        _ = try OpenKeystore.openOrCreate(at: other.path)
        try scratch.put("keystore", other.content("keystore"))
        #expect(throws: KeystoreError.damaged(record: "keystore", owner: nil)) { try unlock("correct horse") }
    }

    @Test(arguments: [".master.key.new", ".keystore.new", ".other.new"]) func `what a killed process left is swept`(
        _ name: String
    ) throws {
        try scratch.put(name, [1, 2, 3])
        _ = try LockedKeystore(at: scratch.path)
        #expect(try !scratch.tree().contains(name))
    }

    @Test func `an identity on its way out is swept, too`() throws {
        try scratch.putDirectory("identities/threema/.WXYZ9876.new")
        try scratch.put("identities/threema/.WXYZ9876.new/identity", [1, 2, 3])
        _ = try LockedKeystore(at: scratch.path)
        let names = try scratch.tree().filter { $0.contains("WXYZ9876") }
        #expect(names == [])
    }

    @Test func `nothing is swept while somebody is at work`() throws {
        try scratch.put(".master.key.new", [1, 2, 3])
        let keystore = try LockedKeystore(at: scratch.path).unlock()
        try scratch.put(".master.key.new", [1, 2, 3])
        try keystore.add("WXYZ9876") { new in
            try new.put("identity", [4])
            _ = try LockedKeystore(at: scratch.path)
            #expect(try scratch.tree().contains(".master.key.new"))
        }
    }
}
