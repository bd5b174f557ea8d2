import Encodings
import Foundation
import HTTP
import HTTPTransport
import SafeStore
import SafeWire
import SecureMemory
import StoreKit
import Testing

@testable import SafeObjectStore

/// What every S3 server has to do.
@Suite(.serialized, .enabled(if: ObjectStore.isThere, "needs an S3 server, which `make test-all` starts"))
struct S3ServerTests {
    init() throws { try ObjectStore.prepared.get() }

    @Test func `existing buckets stay`() throws {
        let server = try ObjectStore()
        let store = server.store()
        _ = try store.put([1], at: id(1), if: .none, now: day(0))
        try server.connection.prepare()
        #expect(try store.get(id(1))?.bytes == [1])
    }

    @Test(arguments: StoreRule.everywhere) func `the contract`(_ rule: StoreRule) throws {
        try rule.check(ObjectStore().store())
    }

    @Test func `another key is refused`() throws {
        let stranger = try ObjectStore(secretKey: "another key").store()
        let refused = StoreError.failed(reason: "the object store answers 403 SignatureDoesNotMatch")
        #expect(throws: refused) { try stranger.get(id(1)) }
        #expect(throws: StoreError.self) { try stranger.put([1], at: id(1), if: .none, now: day(0)) }
    }

    @Test func `many threads share a store`() throws {
        let store = try ObjectStore().store()
        let right = concurrently(8) { number in
            try (1...5).allSatisfy { round in
                let content = [UInt8(number), UInt8(round)]
                _ = try store.put(content, at: id(UInt8(number)), if: .none, now: day(0))
                return try store.get(id(UInt8(number)))?.bytes == content
            }
        }
        #expect(right == 8)
    }

    // MARK: Quotas

    @Test(arguments: StoreRule.everywhere) func `the contract with a quota`(_ rule: StoreRule) throws {
        try rule.check(QuotaStore(ObjectStore().store(), quota: Quota(bytes: 16 * 1024 * 1024)))
    }

    @Test func `a quota counts what other servers have written, and no deleted backups`() throws {
        let server = try ObjectStore()
        let account = ObjectStore.newAccount()
        let first = QuotaStore(server.store(of: account), quota: Quota(bytes: 100))
        _ = try first.put(bytes(60), at: id(1), if: .none, now: day(0))
        _ = try server.store(of: AccountName(String(account.text.dropLast()) + "-")!).put(
            bytes(50), at: id(1), if: .none, now: day(0))
        // Another server has another connection: stores of one share what they remember.
        let second = try ObjectStore().store(of: account)
        try wait { try second.lengthOfOthers(than: id(2)) == 60 }
        let other = QuotaStore(second, quota: Quota(bytes: 100))
        #expect(throws: StoreError.quota) { try other.put(bytes(41), at: id(2), if: .none, now: day(0)) }
        _ = try other.put(bytes(40), at: id(2), if: .none, now: day(0))
        #expect(throws: StoreError.quota) { try other.put(bytes(61), at: id(1), if: .none, now: day(0)) }
        _ = try other.put(bytes(60), at: id(1), if: .none, now: day(0))
        _ = try other.delete(id(1), if: .none, now: day(0))
        _ = try other.put(bytes(60), at: id(3), if: .none, now: day(0))
        try wait { try ObjectStore().store(of: account).lengthOfOthers(than: id(4)) == 100 }
    }

    @Test func `a list has pages, and each begins after the last name of the one before`() throws {
        let server = try ObjectStore()
        let account = ObjectStore.newAccount()
        let store = server.store(of: account)
        for byte: UInt8 in 0..<5 { _ = try store.put(bytes(Int(byte) + 1), at: id(byte), if: .none, now: day(0)) }
        try wait { try ObjectStore().store(of: account).lengthOfOthers(than: id(9)) == 15 }
        func page(after last: UInt8?) throws -> S3ListPage {
            var query = ["list-type": "2", "max-keys": "2", "prefix": account.text + "/"]
            if let last { query["start-after"] = account.text + "/" + id(last).hex }
            let bucket = server.connection.address.bucket(of: account)
            let answer = try server.connection.send(.get, "/" + bucket, query: S3Query(query), limit: 100_000)
            return try S3ListPage(parsing: answer.body)
        }
        for last: UInt8? in [nil, 1, 3] {
            let page = try page(after: last)
            let rest = (last.map { $0 + 1 } ?? 0)..<5
            #expect(page.isTruncated == (rest.count > 2))
            #expect(page.objects.map(\.key) == rest.prefix(2).map { account.text + "/" + id($0).hex })
            #expect(page.objects.map(\.count) == rest.prefix(2).map { Int($0) + 1 })
        }
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    /// Waits until a list is complete.
    private func wait(until isSo: () throws -> Bool) throws {
        for _ in 0..<100 {
            if try isSo() { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw Unmet(what: "the list is not complete")
    }
}
