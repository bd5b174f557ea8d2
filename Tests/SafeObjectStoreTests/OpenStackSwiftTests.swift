import Encodings
import Foundation
import HTTP
import HTTPTransport
import SafeObjectStore
import SafeStore
import SafeWire
import SecureMemory
import StoreKit
import Testing

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
    func store() -> S3Store { S3Store(on: connection, limits: Self.limits, account: Self.newAccount()) }

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
        let store = S3Store(on: server.connection, limits: ObjectStore.limits, account: account)
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
            for each in overwritten + deleted {
                let path = "/safe-\(each.hex.prefix(2))/\(account.text)/\(each.hex)"
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
}
