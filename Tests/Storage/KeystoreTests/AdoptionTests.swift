import AtomicFiles
import Foundation
import KeyWrapping
import Keystore
import SecureMemory
import Synchronization
import Testing
import VectorKit

/// A master key from elsewhere becomes that of an empty keystore, and of no other.
@Suite struct AdoptionTests {
    private let scratch: Scratch
    private static let passphrase = Array("superSecretPassword".utf8)

    init() throws {
        scratch = try Scratch()
    }

    private func adopt(_ name: String, _ area: Vector.Area) throws -> [UInt8] {
        let file = try Vector.named(name, in: area).inputs.bytes("file_hex")
        let wrapped = try WrappedKey(SecureBytes(copying: file.span))
        if wrapped.protection == .none {
            try OpenKeystore.adopt(wrapped.open(), at: scratch.path)
        } else {
            let passphrase = SecureBytes(copying: Self.passphrase.span)
            let key = try wrapped.open(passphrase: passphrase)
            _ = try OpenKeystore.adopt(key, wrapped, passphrase: passphrase, at: scratch.path)
        }
        return file
    }

    private func unlock() throws -> OpenKeystore {
        try LockedKeystore(at: scratch.path).unlock(passphrase: SecureBytes(copying: Self.passphrase.span))
    }

    @Test(arguments: [("mk-v1-passphrase", Vector.Area.masterKeyV1), ("mk-v2-gen-test", .masterKeyV2)])
    func `under its passphrase, byte for byte`(_ name: String, _ area: Vector.Area) throws {
        let file = try adopt(name, area)
        #expect(try scratch.content("master.key") == file)
        try unlock().add("ABCD1234") { try $0.put("identity", [1]) }
        let read = try unlock().identity("ABCD1234").read("identity")?.copied
        #expect(read == [1])
    }

    @Test func `without protection, in the present layout`() throws {
        _ = try adopt("mk-v1-unprotected", .masterKeyV1)
        let present = try Vector.named("mk-v2-unprotected", in: .masterKeyV2).inputs.bytes("file_hex")
        #expect(try scratch.content("master.key") == present)
        _ = try LockedKeystore(at: scratch.path).unlock()
    }

    @Test func `in place of the key of an empty keystore`() throws {
        let former = try OpenKeystore.openOrCreate(at: scratch.path)
        let file = try adopt("mk-v2-gen-test", .masterKeyV2)
        #expect(try scratch.content("master.key") == file)
        // Who has opened it before must not add anything under the key that is gone.
        #expect(throws: KeystoreError.damaged(record: "keystore", owner: nil)) {
            try former.add("ABCD1234") { try $0.put("identity", [1]) }
        }
        #expect(try unlock().identities() == [])
    }

    @Test func `but not of one that holds an identity`() throws {
        try OpenKeystore.openOrCreate(at: scratch.path).add("ABCD1234") { try $0.put("identity", [1]) }
        let file = try scratch.content("master.key")
        #expect(throws: KeystoreError.notEmpty(path: scratch.path)) { try adopt("mk-v2-gen-test", .masterKeyV2) }
        #expect(try scratch.content("master.key") == file)
        _ = try LockedKeystore(at: scratch.path).unlock()
    }

    /// Somebody moves the directory while the lock is waited for. A key that is written to it then is not found again.
    @Test(arguments: [false, true], [false, true])
    func `nothing is written to a directory that was moved away`(_ isAdopted: Bool, _ isReplaced: Bool) throws {
        try scratch.putDirectory("")
        let lock = try Directory.open(scratch.path, rule: .secret).lock("lock", wait: .zero)
        let (path, ended) = (scratch.path, DispatchSemaphore(value: 0))
        let thrown = Mutex<KeystoreError?>(nil)
        Thread.detachNewThread {
            do {
                if isAdopted {
                    try OpenKeystore.adopt(.random(), at: path)
                } else {
                    _ = try OpenKeystore.openOrCreate(at: path)
                }
            } catch {
                thrown.withLock { $0 = error as? KeystoreError }
            }
            ended.signal()
        }
        // Until the lock's file is open a second time.
        while Self.descriptors(of: scratch.at("lock")) < 2 { usleep(1000) }
        let moved = path + "-moved"
        try #require(rename(path, moved) == 0)
        if isReplaced { try scratch.putDirectory("") }
        _ = consume lock
        ended.wait()
        #expect(thrown.withLock { $0 } == .moved(path: path))
        let names = try FileManager.default.contentsOfDirectory(atPath: moved)
        #expect(names == ["lock"])
        let present = try? scratch.tree()
        #expect(present == (isReplaced ? [] : nil))
    }

    /// How many descriptors of this process a file has.
    private static func descriptors(of path: String) -> Int {
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return open.count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == path
        }
    }
}
