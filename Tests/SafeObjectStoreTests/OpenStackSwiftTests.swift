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

/// The object store that `Scripts/test-object-store` has started, with three devices and three replicas.
struct ObjectStore: Sendable {
    let connection: S3Connection
    /// Holds the directories sd1, sd2 and sd3. One that is renamed is away.
    private let devices: URL
    /// How long the server avoids a device that has failed.
    private let suppression: Duration

    static let limits = ServerLimits(maxBackupBytes: 4 * 1024 * 1024, retentionDays: 180)
    static let isThere = ProcessInfo.processInfo.environment["KEYTOOL_TEST_S3"] != nil

    /// - Parameter secretKey: nil for that of the account.
    init(secretKey: String? = nil) throws {
        let environment = ProcessInfo.processInfo.environment
        func variable(_ name: String) throws -> String { try #require(environment["KEYTOOL_TEST_S3" + name]) }
        let authority = try [UInt8](Data(contentsOf: URL(filePath: variable("_CA"))))
        let secret = try Array((secretKey ?? variable("_SECRET")).utf8)
        let credentials = S3Credentials(
            accessKey: try variable("_ACCESS"), secretKey: SecureBytes(copying: secret.span))
        connection = S3Connection(
            to: try S3Address(parsing: "s3://\(variable(""))/safe"), credentials, authority: authority,
            by: CurlClient(), clock: present)
        devices = URL(filePath: try variable("_DEVICES"))
        suppression = .seconds(try #require(Int(variable("_SUPPRESSION"))))
    }

    /// An account that no other test has.
    static func newAccount() -> AccountName {
        AccountName(String(UUID().uuidString.lowercased().prefix(AccountName.maxBytes)))!
    }

    /// A store of an account that no other test has.
    func store() -> S3Store { store(of: Self.newAccount()) }

    /// A store of an account, as one server has it.
    func store(of account: AccountName) -> S3Store { S3Store(on: connection, limits: Self.limits, account: account) }

    /// Runs `body` while these devices are away, and waits until the server uses them again.
    func without(_ away: [Int], _ body: () throws -> Void) throws {
        func move(_ from: String, _ to: String) throws {
            for number in away {
                try FileManager.default.moveItem(
                    at: devices.appending(path: "sd\(number)\(from)"), to: devices.appending(path: "sd\(number)\(to)"))
            }
        }
        try move("", ".away")
        defer { Thread.sleep(forTimeInterval: suppression / .seconds(1) + 1) }
        do {
            try body()
        } catch {
            try move(".away", "")
            throw error
        }
        try move(".away", "")
    }
}

@Suite(.serialized, .enabled(if: ObjectStore.isThere, "needs OpenStack Swift, which `make test-all` starts"))
struct OpenStackSwiftTests {
    /// Reads of each backup.
    private static let rounds = 3
    private static let prepared = Result { try ObjectStore().connection.prepare() }

    init() throws { try Self.prepared.get() }

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

    @Test func `an object expires, and each PUT begins its term again`() throws {
        let connection = try ObjectStore().connection
        let path = "/safe-00/\(UUID().uuidString)"
        func put(term: Int) throws {
            let headers = ["x-delete-after": String(term)]
            let answer = try connection.send(.put, path, headers: headers, body: [1], limit: 1000)
            #expect(answer.status == 200)
        }
        func status() throws -> Int {
            try connection.send(.get, path, headers: ["x-newest": "true"], limit: 1000).status
        }
        try put(term: 4)
        try put(term: 8)
        #expect(try status() == 200)
        Thread.sleep(forTimeInterval: 5)
        #expect(try status() == 200)
        Thread.sleep(forTimeInterval: 5)
        #expect(try status() == 404)
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

    @Test(arguments: 1...3) func `a device that was away brings no old and no deleted backup back`(_ away: Int) throws {
        let server = try ObjectStore()
        let account = ObjectStore.newAccount()
        let store = server.store(of: account)
        let overwritten = (0..<15).map { id($0) }
        let deleted = (15..<30).map { id($0) }
        for each in overwritten + deleted { _ = try store.put([1], at: each, if: .none, now: day(0)) }
        try server.without([away]) {
            for each in overwritten {
                let result = try store.put([2, 2], at: each, if: Preconditions(match: .any), now: day(1))
                #expect(result != .conditionFailed)
            }
            for each in deleted { #expect(try store.delete(each, if: .none, now: day(1)) == .deleted) }
        }
        var stale = 0
        for _ in 0..<Self.rounds {
            for each in overwritten { #expect(try store.get(each)?.bytes == [2, 2]) }
            for each in deleted { #expect(try store.get(each) == nil) }
            // Without the header, the replica that was away answers: this test would see it.
            let bucket = server.connection.address.bucket(of: account)
            for each in overwritten + deleted {
                let path = "/\(bucket)/\(account.text)/\(each.hex)"
                if try server.connection.send(.get, path, limit: 1000).body == [1] { stale += 1 }
            }
        }
        #expect(stale > 0)
    }

    @Test func `with two devices away, a write is no success`() throws {
        let server = try ObjectStore()
        let store = server.store()
        for byte: UInt8 in 0..<6 { _ = try store.put([1], at: id(byte), if: .none, now: day(0)) }
        try server.without([1, 2]) {
            for byte: UInt8 in 0..<3 {
                #expect(throws: StoreError.unavailable) { try store.put([2], at: id(byte), if: .none, now: day(1)) }
            }
            for byte: UInt8 in 3..<6 {
                #expect(throws: StoreError.unavailable) { try store.delete(id(byte), if: .none, now: day(1)) }
            }
        }
        // Each is the old one or the new one, and can be written.
        for byte: UInt8 in 0..<6 {
            let present = try store.get(id(byte))?.bytes
            #expect(byte < 3 ? [[1], [2]].contains(present) : [[1], nil].contains(present))
            _ = try store.put([3], at: id(byte), if: .none, now: day(2))
            #expect(try store.get(id(byte))?.bytes == [3])
        }
    }

    @Test func `a backup whose replicas are away is not called missing`() throws {
        let server = try ObjectStore()
        let store = server.store()
        try server.without([3]) {
            for byte: UInt8 in 0..<6 { _ = try store.put([1], at: id(byte), if: .none, now: day(0)) }
        }
        try server.without([1, 2]) {
            for byte: UInt8 in 0..<6 {
                #expect(throws: StoreError.unavailable) { try store.get(id(byte)) }
                #expect(throws: StoreError.unavailable) { try store.delete(id(byte), if: .none, now: day(0)) }
            }
        }
        for byte: UInt8 in 0..<6 { #expect(try store.get(id(byte))?.bytes == [1]) }
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
        let second = server.store(of: account)
        try wait { try second.lengthOfOthers(than: id(2)) == 60 }
        let other = QuotaStore(second, quota: Quota(bytes: 100))
        #expect(throws: StoreError.quota) { try other.put(bytes(41), at: id(2), if: .none, now: day(0)) }
        _ = try other.put(bytes(40), at: id(2), if: .none, now: day(0))
        #expect(throws: StoreError.quota) { try other.put(bytes(61), at: id(1), if: .none, now: day(0)) }
        _ = try other.put(bytes(60), at: id(1), if: .none, now: day(0))
        _ = try other.delete(id(1), if: .none, now: day(0))
        _ = try other.put(bytes(60), at: id(3), if: .none, now: day(0))
        try wait { try server.store(of: account).lengthOfOthers(than: id(4)) == 100 }
    }

    @Test func `a list has pages, and each begins after the last name of the one before`() throws {
        let server = try ObjectStore()
        let account = ObjectStore.newAccount()
        let store = server.store(of: account)
        for byte: UInt8 in 0..<5 { _ = try store.put(bytes(Int(byte) + 1), at: id(byte), if: .none, now: day(0)) }
        try wait { try server.store(of: account).lengthOfOthers(than: id(9)) == 15 }
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

    @Test func `a server knows what it has written itself when a list is late`() throws {
        let server = try ObjectStore()
        let account = ObjectStore.newAccount()
        let store = server.store(of: account)
        _ = try store.put(bytes(10), at: id(1), if: .none, now: day(0))
        _ = try store.put(bytes(20), at: id(2), if: .none, now: day(0))
        try server.without([1]) {
            _ = try store.put(bytes(70), at: id(1), if: .none, now: day(1))
            _ = try store.delete(id(2), if: .none, now: day(1))
        }
        // One copy of the list does not have these writes. Without the memory, this test would see it.
        var late = 0
        for _ in 0..<20 {
            #expect(try store.lengthOfOthers(than: id(3)) == 70)
            if try server.store(of: account).lengthOfOthers(than: id(3)) != 70 { late += 1 }
        }
        #expect(late > 0)
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
