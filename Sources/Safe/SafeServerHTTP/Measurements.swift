package import Encodings
package import SafeStore

/// What is not counted but measured for the metrics.
package struct Measurements: Sendable {
    /// The stored backups of an account, and the bytes of all of them together.
    package struct Account: Sendable {
        let name: AccountName
        let backups: Int
        let bytes: Int

        package init(name: AccountName, backups: Int, bytes: Int) {
            self.name = name
            self.backups = backups
            self.bytes = bytes
        }
    }

    /// The accounts in the order in which they are shown, and how many others have backups that cannot be read.
    package typealias Accounts = (readable: [Account], unreadable: Int)

    /// Free bytes of the store's file system; nil for a store that is not a directory.
    package let freeBytes: Int?
    /// When the certificate ends; nil for plain HTTP.
    package let certificateEnd: Timestamp?
    /// Nil if the operator has not asked for the accounts, or if they are not known.
    package let accounts: Accounts?

    /// - Parameters:
    ///   - freeBytes: nil if that is not known.
    ///   - certificateEnd: nil for no certificate.
    ///   - accounts: nil if they are not shown.
    package init(freeBytes: Int? = nil, certificateEnd: Timestamp? = nil, accounts: Accounts? = nil) {
        self.freeBytes = freeBytes
        self.certificateEnd = certificateEnd
        self.accounts = accounts
    }
}
