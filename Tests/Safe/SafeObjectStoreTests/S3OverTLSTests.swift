import Encodings
import Foundation
import HTTP
import HTTPTransport
import SafeObjectStore
import SafeStore
import SafeWire
import SecureMemory
import ServerKit
import StoreKit
import Testing

/// The time of this machine.
func present() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }

/// Over TLS, to a server that verifies signatures by code of its own.
@Suite struct S3OverTLSTests {
    private let server: S3Server
    private let limits = ServerLimits(maxBackupBytes: 4 * 1024 * 1024, retentionDays: 180)

    init() throws { server = try S3Server() }

    private func connection(
        secret: String = S3Server.secretKey, authority: [UInt8]? = nil, late: Duration = .zero
    ) throws -> S3Connection {
        let address = try S3Address(parsing: "s3://\(server.authority)/safe")
        let bytes = Array(secret.utf8)
        let credentials = S3Credentials(accessKey: S3Server.accessKey, secretKey: SecureBytes(copying: bytes.span))
        return S3Connection(
            to: address, credentials, authority: authority ?? server.certificate, by: CurlClient()
        ) { present() + late }
    }

    @Test(arguments: StoreRule.everywhere) func `the contract`(_ rule: StoreRule) throws {
        let connection = try connection()
        try connection.prepare()
        try rule.check(S3Store(on: connection, limits: limits, account: AccountName("anna")))
    }

    /// This server's lists have three objects a page.
    @Test func `a quota counts all pages of a signed list`() throws {
        let connection = try connection()
        try connection.prepare()
        let store = S3Store(on: connection, limits: limits, account: AccountName("anna-2"))
        for byte: UInt8 in 0..<20 { _ = try store.put([byte, byte], at: id(byte), if: .none, now: day(0)) }
        _ = try store.delete(id(0), if: .none, now: day(0))
        let other = S3Store(on: connection, limits: limits, account: AccountName("anna-2"))
        #expect(try other.lengthOfOthers(than: id(1)) == 36)
        let full = QuotaStore(other, quota: Quota(bytes: 39))
        #expect(throws: StoreError.quota) { try full.put([1, 2], at: id(99), if: .none, now: day(0)) }
        _ = try full.put([1], at: id(99), if: .none, now: day(0))
    }

    @Test func `wrong credentials and clocks are refused by the server`() throws {
        try connection().prepare()
        let stranger = S3Store(on: try connection(secret: "another key"), limits: limits)
        let refused = StoreError.failed(reason: "the object store answers 403 SignatureDoesNotMatch")
        #expect(throws: refused) { try stranger.get(id(1)) }
        #expect(throws: refused) { try stranger.delete(id(1), if: .none, now: day(0)) }
        #expect(throws: refused) { try connection(secret: "another key").prepare() }
        let late = S3Store(on: try connection(late: .hours(1)), limits: limits)
        #expect(throws: StoreError.failed(reason: "the object store answers 403 RequestTimeTooSkewed")) {
            try late.get(id(1))
        }
    }

    @Test func `a server that is not trusted, and one that is gone`() throws {
        let other = try S3Server()
        let distrusting = S3Store(on: try connection(authority: other.certificate), limits: limits)
        #expect {
            try distrusting.get(id(1))
        } throws: { error in
            if case .failed(let reason) = error as? StoreError { return reason.contains("certificate") }
            return false
        }
        let store = S3Store(on: try connection(), limits: limits)
        try server.takeAway()
        #expect(throws: StoreError.unavailable) { try store.get(id(1)) }
        #expect(throws: StoreError.unavailable) { try store.put([1], at: id(1), if: .none, now: day(0)) }
        #expect(throws: StoreError.unavailable) { try store.delete(id(1), if: .none, now: day(0)) }
    }

    @Test func `many threads share a store`() throws {
        let connection = try connection()
        try connection.prepare()
        let store = S3Store(on: connection, limits: limits)
        let right = concurrently(16) { number in
            try (1...8).allSatisfy { round in
                let content = [UInt8(number), UInt8(round)]
                _ = try store.put(content, at: id(UInt8(number)), if: .none, now: day(0))
                return try store.get(id(UInt8(number)))?.bytes == content
            }
        }
        #expect(right == 16)
    }
}
