import Foundation
import Keystore
import Synchronization
import Testing
import VectorKit

/// Many that open one keystore for the first time, at once.
@Suite struct ConcurrentOpeningTests {
    private static let count = 16

    /// Runs `body` in as many threads at once: tasks that block would use up the few that there are.
    private func concurrently<Answer: Sendable>(_ body: @escaping @Sendable (Int) -> Answer) -> [Answer] {
        let answers = Answers<Answer>()
        let start = DispatchSemaphore(value: 0)
        let end = DispatchGroup()
        for index in 0..<Self.count {
            end.enter()
            Thread.detachNewThread {
                start.wait()
                let answer = body(index)
                answers.values.withLock { $0.append(answer) }
                end.leave()
            }
        }
        for _ in 0..<Self.count { start.signal() }
        end.wait()
        return answers.values.withLock { $0 }
    }

    private final class Answers<Answer: Sendable>: Sendable {
        let values = Mutex<[Answer]>([])
    }

    @Test func `sixteen first openings make one key`() throws {
        for _ in 0..<5 {
            let scratch = try Scratch()
            let keys = concurrently { _ in
                try? OpenKeystore.openOrCreate(at: scratch.path).digestKey("state").copied
            }
            #expect(keys.count == Self.count)
            #expect(keys.allSatisfy { $0 != nil })
            #expect(Set(keys).count == 1)
            let tree = try scratch.tree()
            #expect(tree == ["keystore", "lock", "master.key"])
        }
    }

    @Test func `sixteen first identities are all kept`() throws {
        let scratch = try Scratch()
        let failures = concurrently { index in
            do {
                try OpenKeystore.openOrCreate(at: scratch.path).add(Owner("IDENTI\(10 + index)")) { new in
                    try new.put("identity", [UInt8(index)])
                }
                return String?.none
            } catch {
                return "\(error)"
            }
        }
        #expect(failures.compactMap { $0 } == [])
        let keystore = try LockedKeystore(at: scratch.path).unlock()
        let ids = try keystore.identities()
        #expect(ids == (0..<Self.count).map { Owner("IDENTI\(10 + $0)") })
        for (index, id) in ids.enumerated() {
            let record = try keystore.identity(id).read("identity")
            #expect(record?.copied == [UInt8(index)])
        }
    }

    @Test func `of sixteen that add the same identity, one does`() throws {
        let scratch = try Scratch()
        let errors = concurrently { index in
            do {
                try OpenKeystore.openOrCreate(at: scratch.path).add("ABCD1234") { new in
                    try new.put("identity", [UInt8(index)])
                    try new.put("profile", [UInt8(index)])
                }
                return KeystoreError?.none
            } catch {
                return error as? KeystoreError ?? .absent(path: "\(error)")
            }
        }
        #expect(errors.filter { $0 == nil }.count == 1)
        #expect(errors.filter { $0 == .exists("ABCD1234") }.count == Self.count - 1)
        // Both records are the same one's.
        let records = try LockedKeystore(at: scratch.path).unlock().identity("ABCD1234")
        let both = try (records.read("identity")?.copied, records.read("profile")?.copied)
        #expect(both.0 == both.1)
    }
}
