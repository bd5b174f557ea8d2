internal import SafeStore

/// The headers of logins that were right lately, each from one address, as codes of both. They are known as long as the
/// logins in `KnownLogins`; these decide, and this saves the time to decode and compare them.
struct RecentHeaders {
    /// Longest header, in bytes.
    static let maxHeaderBytes = 1024
    /// Most headers, of some 300 bytes each. Then all are forgotten.
    private static let capacity = 1024

    struct Login {
        let name: AccountName
        /// The login is another one as soon as the account has another hash.
        let hash: PasswordHash
        let end: Duration
    }

    private var logins: [[UInt8]: Login] = [:]

    func login(_ code: [UInt8], at now: Duration) -> Login? { logins[code].flatMap { now < $0.end ? $0 : nil } }

    mutating func insert(_ code: [UInt8], _ login: Login) {
        if logins.count >= Self.capacity { logins.removeAll(keepingCapacity: true) }
        logins[code] = login
    }
}
