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

/// The S3 server that `Scripts/test-object-store` has started: OpenStack Swift or moto.
struct ObjectStore: Sendable {
    let connection: S3Connection

    static let limits = ServerLimits(maxBackupBytes: 4 * 1024 * 1024, retentionDays: 180)
    static let isThere = ProcessInfo.processInfo.environment["KEYTOOL_TEST_S3"] != nil
    /// Its buckets are there, or why they are not.
    static let prepared = Result { try ObjectStore().connection.prepare() }

    /// - Parameter secretKey: nil for that of the account.
    init(secretKey: String? = nil) throws {
        let authority = try [UInt8](Data(contentsOf: URL(filePath: Self.variable("_CA"))))
        let secret = try Array((secretKey ?? Self.variable("_SECRET")).utf8)
        let credentials = S3Credentials(
            accessKey: try Self.variable("_ACCESS"), secretKey: SecureBytes(copying: secret.span))
        connection = S3Connection(
            to: try S3Address(parsing: "s3://\(Self.variable(""))/safe"), credentials, authority: authority,
            by: CurlClient(), clock: present)
    }

    /// An account that no other test has.
    static func newAccount() -> AccountName {
        AccountName(String(UUID().uuidString.lowercased().prefix(AccountName.maxBytes)))!
    }

    /// A store of an account that no other test has.
    func store() -> S3Store { store(of: Self.newAccount()) }

    /// A store of an account, as one server has it.
    func store(of account: AccountName) -> S3Store { S3Store(on: connection, limits: Self.limits, account: account) }

    /// What the script tells in KEYTOOL_TEST_S3 and the variables with this ending.
    static func variable(_ ending: String) throws -> String {
        try #require(ProcessInfo.processInfo.environment["KEYTOOL_TEST_S3" + ending])
    }
}
