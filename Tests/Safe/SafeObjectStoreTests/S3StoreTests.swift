import Encodings
import HTTP
import SafeObjectStore
import SafeStore
import SafeWire
import StoreKit
import Synchronization
import Testing

@Suite struct S3StoreTests {
    private let server = S3Double()
    private let name = "/safe-01/" + id(1).hex

    @Test(arguments: StoreRule.everywhere) func `the contract`(_ rule: StoreRule) throws {
        try rule.check(server.store(limits: ServerLimits(maxBackupBytes: 4 * 1024 * 1024, retentionDays: 180)))
    }

    @Test(arguments: StoreRule.everywhere) func `the contract of an account`(_ rule: StoreRule) throws {
        try rule.check(
            server.store(
                account: AccountName("anna"), limits: ServerLimits(maxBackupBytes: 4 * 1024 * 1024, retentionDays: 180))
        )
    }

    @Test func `every write has the term, every read asks for the newest, and all of it is signed`() throws {
        let store = try server.store(limits: ServerLimits(maxBackupBytes: 1000, retentionDays: 180))
        _ = try store.put([1], at: id(1), if: .none, now: day(0))
        _ = try store.put([2], at: id(1), if: Preconditions(match: .any), now: day(0))
        _ = try store.get(id(1))
        _ = try store.delete(id(1), if: .none, now: day(0))
        let methods = server.sent.map(\.method)
        #expect(methods == [.head, .put, .get, .put, .get, .get, .put])
        for request in server.sent {
            #expect(request.path == name)
            let own = request.method == .put ? "x-delete-after" : "x-newest"
            // 210 days.
            #expect(request.headers[own] == (request.method == .put ? "18144000" : "true"))
            let signed = "SignedHeaders=host;x-amz-content-sha256;x-amz-date;\(own), "
            #expect(try #require(request.headers["authorization"]).contains(signed))
            #expect(request.headers["expect"] == "")
        }
        #expect(server.sent[5].limit == maxFetchedBytes)
    }

    @Test func `a deletion leaves an empty object, which is no backup`() throws {
        let store = try server.store()
        _ = try store.put([1], at: id(1), if: .none, now: day(0))
        #expect(try store.delete(id(1), if: .none, now: day(0)) == .deleted)
        #expect(server.objects == [name: []])
        #expect(try store.get(id(1)) == nil)
        #expect(try store.delete(id(1), if: .none, now: day(0)) == .missing)
        let again = try store.put([1], at: id(1), if: Preconditions(noneMatch: .any), now: day(0))
        guard case .created = again else { throw Unmet(what: "\(again)") }
    }

    @Test func `an account is a part of the key`() throws {
        let accounts = [nil, AccountName("anna"), AccountName("bob-2")]
        for (number, account) in accounts.enumerated() {
            _ = try server.store(account: account).put([UInt8(number + 1)], at: id(1), if: .none, now: day(0))
        }
        let hex = id(1).hex
        #expect(server.objects == [name: [1], "/safe-55/anna/\(hex)": [2], "/safe-a9/bob-2/\(hex)": [3]])
    }

    @Test func `a write that is not allowed any more sends none`() throws {
        let allowed = Mutex(true)
        let connection = try server.store()
        _ = try connection.put([1], at: id(1), if: .none, now: day(0))
        let store = S3Store(on: server.connection(), limits: .standard) { () throws(StoreError) in
            guard allowed.withLock({ $0 }) else { throw .forbidden }
        }
        _ = try store.put([2], at: id(1), if: .none, now: day(0))
        allowed.withLock { $0 = false }
        #expect(throws: StoreError.forbidden) { try store.put([3], at: id(1), if: .none, now: day(0)) }
        #expect(throws: StoreError.forbidden) { try store.delete(id(1), if: .none, now: day(0)) }
        #expect(server.objects == [name: [2]])
    }

    @Test func `an empty backup is refused`() throws {
        let store = try server.store()
        #expect(throws: StoreError.self) { try store.put([], at: id(1), if: .none, now: day(0)) }
        #expect(server.sent.isEmpty)
    }

    @Test func `a backup that is too long is not read`() throws {
        let limits = ServerLimits(maxBackupBytes: 2 * maxFetchedBytes, retentionDays: 180)
        let store = try server.store(limits: limits)
        server.set([UInt8](repeating: 1, count: limits.maxBackupBytes), at: name)
        #expect(try store.get(id(1))?.bytes.count == limits.maxBackupBytes)
        server.set([UInt8](repeating: 1, count: limits.maxBackupBytes + 1), at: name)
        #expect(throws: StoreError.failed(reason: "bodyTooLong")) { try store.get(id(1)) }
    }

    @Test func `a backup from before the limit was lowered is read`() throws {
        let store = try server.store(limits: ServerLimits(maxBackupBytes: 20_000, retentionDays: 180))
        server.set([UInt8](repeating: 1, count: 20_001), at: name)
        #expect(try store.get(id(1))?.bytes.count == 20_001)
    }

    @Test func `a missing bucket is an error, and not a missing backup`() throws {
        let store = try server.store()
        server.remove(bucket: "safe-01")
        let error = StoreError.failed(reason: "the object store answers 404 NoSuchBucket")
        #expect(throws: error) { try store.get(id(1)) }
        #expect(throws: error) { try store.put([1], at: id(1), if: .none, now: day(0)) }
        #expect(throws: error) { try store.delete(id(1), if: .none, now: day(0)) }
        #expect(throws: error) { try store.delete(id(1), if: Preconditions(match: .any), now: day(0)) }
    }

    @Test func `missing buckets are created, and existing ones stay`() throws {
        let connection = server.connection(region: "eu-central-1")
        try connection.prepare()
        #expect(server.buckets.count == 256 && server.sent.count == 256)
        let region = "<LocationConstraint>eu-central-1</LocationConstraint>"
        #expect(server.sent.allSatisfy { String(decoding: $0.body ?? [], as: UTF8.self).contains(region) })
        try connection.prepare()
        server.set(.answer(S3Double.error(409, "BucketAlreadyExists")), for: .put)
        let error = StoreError.failed(reason: "the object store answers 409 BucketAlreadyExists")
        #expect(throws: error) { try connection.prepare() }
    }

    @Test func `a key that may not create buckets needs all of them`() throws {
        let connection = server.connection()
        try connection.prepare()
        server.set(.answer(S3Double.error(403, "AccessDenied")), for: .put)
        try connection.prepare()
        server.remove(bucket: "safe-fe")
        let error = StoreError.failed(reason: "the object store answers 403 AccessDenied")
        #expect(throws: error) { try connection.prepare() }
    }

    @Test func `expiry is left to the server`() throws {
        let store = try server.store()
        let now = ClockReading(wall: day(400), monotonic: .zero)
        let report = store.expire(Sweep(retentionDays: 180, now: now, last: nil, deleting: .always))
        #expect(report.isLeftToStore && !report.isCarriedOut && report.counts.total == 0)
        #expect(store.versions(of: id(1)) == [])
        #expect(server.sent.isEmpty)
    }

    @Test func `of many writers with one condition, one succeeds`() throws {
        // Long enough for another writer to look before the first one has written.
        let store = try S3Double(delay: 0.005).store()
        let created = concurrently(16) { writer in
            let absent = Preconditions(noneMatch: .any)
            return try store.put([UInt8(writer)], at: id(1), if: absent, now: day(0)) != .conditionFailed
        }
        #expect(created == 1)
        let deleted = concurrently(16) { _ in try store.delete(id(1), if: .none, now: day(0)) == .deleted }
        #expect(deleted == 1)
    }

    /// Two servers: each has locks of its own.
    private func servers(of server: S3Double) throws -> [S3Store] {
        try (0..<2).map { _ in
            let connection = server.connection()
            try connection.prepare()
            _ = try connection.tryConditions()
            return S3Store(on: connection, limits: .standard)
        }
    }

    @Test func `of two servers with a first upload, one stores it as the first`() throws {
        let stores = try servers(of: S3Double(delay: 0.005))
        let created = concurrently(2) { writer in
            try stores[writer].put([UInt8(writer)], at: id(1), if: .none, now: day(0))
                == .created(
                    tag: EntityTag.of([UInt8(writer)]))
        }
        #expect(created == 1)
        let stored = concurrently(2) { writer in
            let absent = Preconditions(noneMatch: .any)
            return try stores[writer].put([UInt8(writer)], at: id(2), if: absent, now: day(0)) != .conditionFailed
        }
        #expect(stored == 1)
    }

    @Test func `a deleted backup is stored again as the first, and a present one is replaced`() throws {
        let store = try servers(of: S3Double())[0]
        let tag = EntityTag.of([1])
        for _ in 0..<2 {
            let created = try store.put([1], at: id(1), if: Preconditions(noneMatch: .any), now: day(0))
            #expect(created == .created(tag: tag))
            let replaced = try store.put([1], at: id(1), if: .none, now: day(0))
            #expect(replaced == .replaced(tag: tag))
            let deleted = try store.delete(id(1), if: .none, now: day(0))
            #expect(deleted == .deleted)
        }
    }

    @Test(arguments: [true, false]) func `whether conditions are honoured is found out`(_ honours: Bool) throws {
        let server = S3Double()
        server.setHonoursConditions(honours)
        // Also by the second server, for which the object of the first one is there.
        for _ in 0..<2 {
            let connection = server.connection()
            try connection.prepare()
            let found = try connection.tryConditions()
            #expect(found == (honours ? .honoured : .ignored))
        }
        server.set(.answer(S3Double.error(501, "NotImplemented")), for: .put)
        let refused = try server.connection().tryConditions()
        #expect(refused == .ignored)
        server.set(.answer(S3Double.error(403, "AccessDenied")), for: .put)
        let forbidden = try server.connection().tryConditions()
        #expect(forbidden == .unknown(reason: "the object store answers 403 AccessDenied"))
        server.set(.answer(S3Double.error(503, "SlowDown")), for: .put)
        #expect(throws: StoreError.throttled) { try server.connection().tryConditions() }
    }
}

struct Unmet: Error {
    let what: String
}
