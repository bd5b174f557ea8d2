package import Encodings
package import SafeStore

/// What is not counted but measured for the metrics.
package struct Measurements: Sendable {
    /// The stored backups of an account.
    package struct Account: Sendable {
        let name: AccountName
        let backups: Int
        let bytes: Int

        /// - Parameter bytes: of all backups together.
        package init(name: AccountName, backups: Int, bytes: Int) {
            self.name = name
            self.backups = backups
            self.bytes = bytes
        }
    }

    /// Free bytes of the store's file system; nil for a store that is not a directory.
    package let freeBytes: Int?
    /// When the certificate ends; nil for plain HTTP.
    package let certificateEnd: Timestamp?
    /// Empty if the operator has not asked for the accounts.
    package let accounts: [Account]

    /// - Parameters:
    ///   - freeBytes: nil if that is not known.
    ///   - certificateEnd: nil for no certificate.
    ///   - accounts: in the order in which they are shown.
    package init(freeBytes: Int? = nil, certificateEnd: Timestamp? = nil, accounts: [Account] = []) {
        self.freeBytes = freeBytes
        self.certificateEnd = certificateEnd
        self.accounts = accounts
    }
}
