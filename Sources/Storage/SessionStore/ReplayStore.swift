internal import Primitives
internal import SecureMemory

/// The nonces that an identity has used or received, so that none is used or accepted twice.
///
/// A nonce is stored as HMAC-SHA256 under the identity's own ID: databases of two identities cannot be compared. The
/// set is on the disk and is only looked up there, so its size takes no memory.
///
/// Outgoing: `draw` a nonce in the transaction that stores the message for sending, before it is sent. Incoming: look
/// whether the store `contains` the nonce before anything is decrypted, and `remember` it in the transaction that
/// stores what the message has changed, before it is acknowledged.
public struct ReplayStore: Sendable {
    /// Length in bytes of a nonce that `draw` returns.
    public static let nonceCount = 24
    /// Length in bytes of a nonce's digest.
    public static let digestCount = 32

    private static let kind: ValueKind = "nonce"
    private let ownID: [UInt8]

    /// - Parameter ownID: as it stands in messages, 1 to 64 bytes of ASCII.
    public init(ownID: String) {
        self.ownID = Array(ownID.utf8)
        precondition((1...64).contains(self.ownID.count))
    }

    /// What is stored of a nonce, 32 bytes.
    public func digest(of nonce: [UInt8]) -> [UInt8] { HMACSHA256.authenticate(nonce.span, publicKey: ownID) }

    /// Whether a nonce was used or received before.
    public func contains(_ nonce: [UInt8], in store: OpenSessionStore) throws(SessionStoreError) -> Bool {
        try contains(digest: digest(of: nonce), in: store)
    }

    /// Whether a nonce was used or received before, by its digest: 32 bytes, as `digest(of:)` returns them.
    public func contains(digest: [UInt8], in store: OpenSessionStore) throws(SessionStoreError) -> Bool {
        precondition(digest.count == Self.digestCount)
        return try store.contains(Self.kind, digest)
    }

    /// Remembers a nonce, if the transaction is made.
    /// - Throws: `ReplayError.replayed` if it was used or received before.
    public func remember(_ nonce: [UInt8], in transaction: borrowing Transaction) throws {
        try remember(digest: digest(of: nonce), in: transaction)
    }

    /// Remembers a nonce by its digest: 32 bytes, as `digest(of:)` returns them.
    /// - Throws: `ReplayError.replayed` if it was used or received before.
    public func remember(digest: [UInt8], in transaction: borrowing Transaction) throws {
        guard try !contains(digest: digest, in: transaction.store) else { throw ReplayError.replayed }
        try transaction.set(Self.kind, digest, Span())
    }

    /// A random nonce that was neither used nor received before. It is remembered, if the transaction is made.
    public func draw(in transaction: borrowing Transaction) throws -> [UInt8] {
        try draw(in: transaction) { Random.bytes(Self.nonceCount) }
    }

    /// - Parameter random: returns other bytes each time.
    func draw(in transaction: borrowing Transaction, _ random: () -> [UInt8]) throws -> [UInt8] {
        var nonce = random()
        while try contains(nonce, in: transaction.store) { nonce = random() }
        try transaction.set(Self.kind, digest(of: nonce), Span())
        return nonce
    }
}

/// Why a nonce is not taken.
public enum ReplayError: Error, Equatable, Sendable {
    /// It was used or received before.
    case replayed
}
