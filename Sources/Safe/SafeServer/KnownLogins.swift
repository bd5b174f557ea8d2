internal import SafeStore
internal import SecureMemory

/// From which addresses an account has logged in, and with which login last. It is stored as a code of user, password and
/// the hash in the file, so nothing has to be forgotten when a password changes.
struct KnownLogins {
    /// How long a login that was right is known again.
    static let time = Duration.seconds(600)
    /// Most addresses of an account; the one that has not logged in for the longest time is forgotten first.
    static let maxClients = 16

    private struct Known {
        let client: String
        let code: [UInt8]
        let end: Duration

        func isSame(_ other: [UInt8], at now: Duration) -> Bool {
            now < end && ConstantTime.areEqual(code.span, other.span)
        }
    }

    /// In the order of their last logins.
    private var accounts: [AccountName: [Known]] = [:]

    /// Whether the account has ever logged in from this address.
    func contains(_ account: AccountName, from client: String) -> Bool {
        accounts[account]?.contains { $0.client == client } ?? false
    }

    /// Whether this login was right from this address lately.
    func isKnown(_ account: AccountName, _ code: [UInt8], from client: String, at now: Duration) -> Bool {
        accounts[account]?.contains { $0.client == client && $0.isSame(code, at: now) } ?? false
    }

    /// Until when this login is known from any address; nil if it is not.
    func end(_ account: AccountName, _ code: [UInt8], at now: Duration) -> Duration? {
        accounts[account]?.first { $0.isSame(code, at: now) }?.end
    }

    /// Until when the last login of an account from this address is known; nil if there was none.
    func end(_ account: AccountName, from client: String) -> Duration? {
        accounts[account]?.first { $0.client == client }?.end
    }

    /// Remembers a login that was right.
    mutating func insert(_ account: AccountName, _ code: [UInt8], from client: String, until end: Duration) {
        var known = (accounts[account] ?? []).filter { $0.client != client }
        known.append(Known(client: client, code: code, end: end))
        accounts[account] = known.suffix(Self.maxClients)
    }

    /// Forgets the accounts that are not in the file.
    mutating func forget(except file: AccountFile) { accounts = accounts.filter { file[$0.key] != nil } }
}
