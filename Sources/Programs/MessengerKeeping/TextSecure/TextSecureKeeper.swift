package import Encodings
package import Keystore
internal import Ratchet
internal import SecureMemory
package import TextSecure

/// The TextSecure accounts of a keystore.
///
/// An account is an owner whose ID is the digits of its number. It has one record, `account`: the text of
/// `TextSecureAccount`, so new prekeys are stored with the counter that has passed them.
package struct TextSecureKeeper: Sendable {
    private let keystore: OpenKeystore
    static let recordName: RecordName = "account"

    /// Opens nothing.
    package init(_ keystore: OpenKeystore) { self.keystore = keystore }

    /// Whether unlocking the keystore needs a passphrase.
    package var isProtected: Bool { keystore.isProtected }

    /// The numbers of all accounts. Nothing is decrypted. Directories with other names are skipped.
    package func numbers() throws -> [AccountNumber] { try keystore.identities().compactMap(\.textSecure) }

    /// - Throws: `KeystoreError.noIdentity`, `.damaged`; `TextSecureAccountError`; `FileError`.
    package func account(_ number: AccountNumber, at now: Timestamp) throws -> TextSecureAccount {
        try Self.account(in: try keystore.identity(.textSecure(number)), number, at: now)
    }

    /// Stores a new account as a whole.
    /// - Throws: `KeystoreError.exists`; `FileError`. Then nothing has changed.
    package func add(_ account: borrowing TextSecureAccount) throws {
        let text = account.encoded()
        try keystore.add(.textSecure(account.number)) { identity in
            try text.withBytes { try identity.write(Self.recordName, $0) }
        }
    }

    /// Whether the keystore holds exactly this account.
    /// - Returns: false if it holds none of this number.
    /// - Throws: `TextSecureKeepingError` if it holds another one; what `account(_:at:)` throws.
    package func holds(_ account: borrowing TextSecureAccount, at now: Timestamp) throws -> Bool {
        let held: TextSecureAccount
        do {
            held = try self.account(account.number, at: now)
        } catch KeystoreError.noIdentity {
            return false
        }
        guard held.identity.publicKey == account.identity.publicKey else {
            throw TextSecureKeepingError.otherIdentity(
                account.number, held: held.identity.publicKey, other: account.identity.publicKey)
        }
        let ours = held.encoded()
        let theirs = account.encoded()
        let isEqual = ours.withBytes { ours in theirs.withBytes { ConstantTime.areEqual(ours, $0) } }
        guard isEqual else { throw TextSecureKeepingError.otherState(account.number) }
        return true
    }

    /// Makes prekeys until there are as many, and stores them.
    /// - Parameter size: 1 to `PrekeyPool.Rules.maxBatch`.
    /// - Returns: the IDs of the new ones; empty if there were as many already.
    /// - Throws: what `account(_:at:)` throws. Then nothing has changed.
    package func refillPrekeys(of number: AccountNumber, to size: Int, at now: Timestamp) throws -> [UInt32] {
        let identity = try keystore.lockedIdentity(.textSecure(number), wait: LockedIdentity.usualWait)
        // Read under the lock: another process may have used the same IDs.
        var account = try Self.account(in: identity.records, number, at: now)
        let made = account.prekeys.refill(to: size, at: now)
        if !made.isEmpty { try account.encoded().withBytes { try identity.write(Self.recordName, $0) } }
        return made.map(\.id)
    }

    private static func account(
        in records: borrowing IdentityRecords, _ number: AccountNumber, at now: Timestamp
    ) throws -> TextSecureAccount {
        let damaged = KeystoreError.damaged(record: "account", owner: .textSecure(number))
        guard let text = try records.read(recordName) else { throw damaged }
        // It was authentic, so another form of it is that of a later version.
        let account = try text.withBytes { (text) throws(TextSecureAccountError) in
            try TextSecureAccount(decoding: text, at: now)
        }
        guard account.number == number else { throw damaged }
        return account
    }
}

/// Why an account was not stored: the keystore has another one of the same number.
package enum TextSecureKeepingError: Error, Equatable, Sendable {
    /// It has another identity key.
    case otherIdentity(AccountNumber, held: PublicKey33, other: PublicKey33)
    /// It has the same identity key, but other prekeys, or another login.
    case otherState(AccountNumber)
}
