internal import AtomicFiles
package import Keystore

/// How long to wait for a program that uses the sessions of an identity.
package struct SessionWait {
    let limit: Duration
    private let begins: (Owner) -> Void

    /// - Parameters:
    ///   - limit: the longest wait; nil for that of all verbs, 60 seconds.
    ///   - begins: is called with the identity when there is something to wait for.
    package init(_ limit: Duration? = nil, begins: @escaping (Owner) -> Void = { _ in }) {
        self.limit = limit ?? LockedIdentity.usualWait
        self.begins = begins
    }

    /// 60 seconds; `begins` does nothing.
    package static var usual: SessionWait { SessionWait() }

    /// Locks an identity.
    /// - Throws: as `OpenKeystore.lockedIdentity`.
    func locked(_ owner: Owner, in keystore: OpenKeystore) throws -> LockedIdentity {
        try waiting(for: owner) { try keystore.lockedIdentity(owner, wait: $0) }
    }

    /// Lends the records of an identity and its directory, for reading.
    /// - Throws: as `OpenKeystore.reading`.
    func reading<Result: ~Copyable>(
        _ owner: Owner, in keystore: OpenKeystore, _ body: (borrowing IdentityRecords) throws -> Result
    ) throws -> Result {
        try waiting(for: owner) { try keystore.reading(owner, wait: $0, body) }
    }

    /// Tries without a wait first.
    private func waiting<Result: ~Copyable>(
        for owner: Owner, _ body: (Duration) throws -> Result
    ) throws -> Result {
        do {
            return try body(.zero)
        } catch FileError.locked {
            if limit > .zero { begins(owner) }
            return try body(limit)
        }
    }
}
