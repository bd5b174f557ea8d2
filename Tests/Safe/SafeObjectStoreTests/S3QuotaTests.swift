import Encodings
import HTTP
import SafeStore
import SafeWire
import StoreKit
import Synchronization
import Testing

@testable import SafeObjectStore

/// Quotas of accounts on an object store.
@Suite struct S3QuotaTests {
    private let server = S3Double()
    private let anna = AccountName("anna")!
    private let unreadable = StoreError.failed(reason: "the object store's list of a bucket cannot be read")

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    private func path(_ id: BackupID) -> String { "/safe-55/anna/" + id.hex }

    /// 10,000 ids, in order.
    private func numbered(_ number: Int) -> BackupID {
        let digits = String(number)
        return BackupID(hex: String(repeating: "0", count: 64 - digits.count) + digits)!
    }

    @Test(arguments: StoreRule.everywhere) func `the contract`(_ rule: StoreRule) throws {
        let limits = ServerLimits(maxBackupBytes: 4 * 1024 * 1024, retentionDays: 180)
        let store = try server.store(account: anna, limits: limits)
        try rule.check(QuotaStore(store, quota: Quota(bytes: 16 * 1024 * 1024)))
    }

    /// A late list, too: the store has written all of it.
    @Test(arguments: [false, true])
    func `a PUT that exceeds the quota is refused and changes nothing`(_ isLate: Bool) throws {
        let quota = Quota(bytes: 100)
        let store = QuotaStore(try server.store(account: anna), quota: quota)
        server.setListsLate(isLate)
        _ = try store.put(bytes(60), at: id(1), if: .none, now: day(0))
        #expect(throws: StoreError.quota) { try store.put(bytes(41), at: id(2), if: .none, now: day(0)) }
        #expect(try store.get(id(2)) == nil)
        _ = try store.put(bytes(40), at: id(2), if: .none, now: day(0))
        #expect(throws: StoreError.quota) { try store.put(bytes(61), at: id(1), if: .none, now: day(0)) }
        _ = try store.put(bytes(59), at: id(1), if: .none, now: day(0))
        _ = try store.put(bytes(41), at: id(2), if: .none, now: day(0))
        // A deletion makes room, and its empty object takes none.
        #expect(try store.delete(id(1), if: .none, now: day(1)) == .deleted)
        _ = try store.put(bytes(59), at: id(3), if: .none, now: day(1))
        #expect(throws: StoreError.quota) { try store.put(bytes(1), at: id(1), if: .none, now: day(1)) }
        // What is longer than a lower quota may be replaced, but not grow.
        quota.bytes = 10
        _ = try store.put(bytes(59), at: id(3), if: .none, now: day(2))
        #expect(throws: StoreError.quota) { try store.put(bytes(60), at: id(3), if: .none, now: day(2)) }
        _ = try store.put(bytes(58), at: id(3), if: .none, now: day(2))
        quota.bytes = nil
        _ = try store.put(bytes(500), at: id(4), if: .none, now: day(2))
    }

    /// As after a change of the account's password.
    @Test func `another store of the account knows the last writes, that of another account does not`() throws {
        let connection = server.connection()
        try connection.prepare()
        func store(_ account: AccountName) -> S3Store { S3Store(on: connection, limits: .standard, account: account) }
        server.setListsLate(true)
        let old = store(anna)
        _ = try old.put(bytes(60), at: id(1), if: .none, now: day(0))
        let new = QuotaStore(store(anna), quota: Quota(bytes: 100))
        #expect(throws: StoreError.quota) { try new.put(bytes(41), at: id(2), if: .none, now: day(0)) }
        // A write under the old password that was under way.
        _ = try old.put(bytes(80), at: id(1), if: .none, now: day(0))
        #expect(throws: StoreError.quota) { try new.put(bytes(21), at: id(2), if: .none, now: day(0)) }
        #expect(try store(AccountName("bob")!).lengthOfOthers(than: id(2)) == 0)
    }

    @Test func `without a quota nothing is listed, with one there is one list more`() throws {
        let quota = Quota(bytes: nil)
        let store = QuotaStore(try server.store(account: anna), quota: quota)
        _ = try store.put(bytes(1), at: id(1), if: .none, now: day(0))
        #expect(server.sent.map(\.path) == [path(id(1)), path(id(1))])
        server.forgetRequests()
        quota.bytes = 100
        _ = try store.put(bytes(2), at: id(1), if: .none, now: day(0))
        #expect(server.sent.map(\.method) == [.get, .head, .put])
        #expect(server.sent[0].path == "/safe-55?list-type=2&max-keys=1000&prefix=anna%2F")
        #expect(server.sent[0].limit == S3ListPage.maxBytes)
    }

    @Test func `the lengths are those of this account, also of what another server has written`() throws {
        let store = try server.store(account: anna)
        for (path, count) in [
            (path(id(1)), 10), (path(id(2)), 20), (path(id(3)), 0), ("/safe-55/anna-2/" + id(4).hex, 40),
            ("/safe-55/" + id(5).hex, 80), ("/safe-55/anna/other", 160), ("/safe-56/anna/" + id(6).hex, 320),
            ("/safe-55/anna/" + id(0xab).hex.uppercased(), 640), ("/safe-55/anna/" + id(7).hex + "0", 1280),
        ] { server.set(bytes(count), at: path) }
        #expect(try store.lengthOfOthers(than: id(1)) == 20)
        #expect(try store.lengthOfOthers(than: id(9)) == 30)
        #expect(try store.length(of: id(2)) == 20)
        #expect(try store.length(of: id(3)) == 0 && store.length(of: id(9)) == 0)
    }

    @Test func `the present backup is asked for, not looked up in the list`() throws {
        let store = QuotaStore(try server.store(account: anna), quota: Quota(bytes: 10))
        // Another server has written it, twice.
        server.set(bytes(50), at: path(id(1)))
        server.setListsLate(true)
        server.set(bytes(20), at: path(id(1)))
        #expect(throws: StoreError.quota) { try store.put(bytes(21), at: id(1), if: .none, now: day(0)) }
        _ = try store.put(bytes(20), at: id(1), if: .none, now: day(0))
    }

    @Test func `a list has several pages, and is not read beyond ten`() throws {
        let store = try server.store(account: anna)
        for number in 0..<25 { server.set(bytes(number), at: path(numbered(number))) }
        server.setMostInPage(3)
        #expect(try store.lengthOfOthers(than: numbered(24)) == (0..<24).reduce(0, +))
        #expect(server.sent.count == 9)
        #expect(server.sent[1].path.hasSuffix("&prefix=anna%2F&start-after=anna%2F" + numbered(2).hex))
        server.setMostInPage(2)
        #expect(try store.lengthOfOthers(than: numbered(24)) == .max)
        #expect(server.sent.count == 9 + 10)
        // Such an account is full: what does not grow can still be replaced.
        let full = QuotaStore(store, quota: Quota(bytes: 1_000_000))
        #expect(throws: StoreError.quota) { try full.put(bytes(25), at: numbered(24), if: .none, now: day(0)) }
        #expect(throws: StoreError.quota) { try full.put(bytes(1), at: id(1), if: .none, now: day(0)) }
        _ = try full.put(bytes(24), at: numbered(24), if: .none, now: day(0))
        server.setMostInPage(3)
        _ = try full.put(bytes(25), at: numbered(24), if: .none, now: day(0))
    }

    @Test func `pages of other names do not count, and end no list`() throws {
        let store = try server.store(account: anna)
        for number in 0..<7 { server.set(bytes(100), at: "/safe-55/anna/! \(number)ä") }
        for number in 0..<2 { server.set(bytes(10), at: path(numbered(number))) }
        server.setMostInPage(3)
        #expect(try store.lengthOfOthers(than: numbered(1)) == 10)
        #expect(server.sent.count == 3)
    }

    @Test func `a list that fails fails the PUT, and nothing is written`() throws {
        let store = QuotaStore(try server.store(account: anna), quota: Quota(bytes: 100))
        let zero = ListedObject(key: "anna/" + numbered(0).hex, count: 1)
        let one = ListedObject(key: "anna/" + numbered(1).hex, count: 1)
        func list(_ objects: [ListedObject], isTruncated: Bool = false) -> HTTPResponse {
            HTTPResponse(status: 200, body: ListedObject.page(objects, isTruncated: isTruncated))
        }
        let answers: [(HTTPResponse, StoreError)] = [
            (S3Double.error(503, "SlowDown"), .throttled), (S3Double.error(500, "InternalError"), .unavailable),
            (S3Double.error(404, "NoSuchBucket"), .failed(reason: "the object store answers 404 NoSuchBucket")),
            (S3Double.error(501, "NotImplemented"), .unavailable), (HTTPResponse(status: 200), unreadable),
            (HTTPResponse(status: 200, body: Array("<ListBucketResult/>".utf8)), unreadable),
            (HTTPResponse(status: 200, body: bytes(S3ListPage.maxBytes + 1)), .failed(reason: "bodyTooLong")),
            // A server that ignores the prefix, the order or the place to start after would count wrong.
            (list([ListedObject(key: "alice/" + numbered(0).hex, count: 1)]), unreadable),
            (list([one, zero]), unreadable), (list([zero, zero]), unreadable),
            (list([zero, one], isTruncated: true), unreadable), (list([], isTruncated: true), unreadable),
            (list([ListedObject(key: "anna/other", count: 1)], isTruncated: true), unreadable),
        ]
        for (answer, error) in answers {
            server.set(.answer(answer), for: .get)
            #expect(throws: error) { try store.put(bytes(1), at: id(1), if: .none, now: day(0)) }
        }
        server.set(.lost(.connection(.timeout)), for: .get)
        #expect(throws: StoreError.unavailable) { try store.put(bytes(1), at: id(1), if: .none, now: day(0)) }
        #expect(server.objects.isEmpty)
        server.set(nil, for: .get)
        // The list suffices; then the store fails.
        server.set(.answer(HTTPResponse(status: 503)), for: .head)
        #expect(throws: StoreError.unavailable) { try store.put(bytes(1), at: id(1), if: .none, now: day(0)) }
        #expect(server.objects.isEmpty)
    }

    @Test func `a store without an account is not measured`() throws {
        let store = try server.store()
        let error = StoreError.failed(reason: "only the backups of an account can be counted")
        #expect(throws: error) { try store.lengthOfOthers(than: id(1)) }
        #expect(server.sent.isEmpty)
    }

    @Test func `of parallel PUTs to a late list, as many succeed as fit`() throws {
        let server = S3Double(delay: 0.002)
        let store = SharedQuotaStore(QuotaStore(try server.store(account: anna), quota: Quota(bytes: 300)))
        server.setListsLate(true)
        let stored = concurrently(8) { writer in
            _ = try store.store.put(bytes(100), at: id(UInt8(writer)), if: .none, now: day(0))
            return true
        }
        #expect(stored == 3)
        #expect(server.objects.values.reduce(0) { $0 + $1.count } == 300)
    }

    @Test func `a write is remembered for ten minutes, and of many the last sixteen are`() {
        let writes = RecentWrites()
        writes.note(id(1), at: day(0))
        writes.note(id(2), at: day(0) + .seconds(1))
        #expect(writes.ids(at: day(0) + .seconds(600)) == [id(1), id(2)])
        #expect(writes.ids(at: day(0) + .seconds(601)) == [id(2)])
        writes.note(id(2), at: day(0) + .seconds(602))
        #expect(writes.ids(at: day(0) + .seconds(1202)) == [id(2)])
        for number: UInt8 in 0..<20 { writes.note(id(number), at: day(1)) }
        #expect(writes.ids(at: day(1)) == Set((4..<20).map { id($0) }))
    }
}

private final class SharedQuotaStore: Sendable {
    let store: QuotaStore<S3Store>

    init(_ store: consuming QuotaStore<S3Store>) { self.store = store }
}
