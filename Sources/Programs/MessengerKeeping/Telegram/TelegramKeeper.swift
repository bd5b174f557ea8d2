package import Keystore
internal import SecureMemory
package import Telegram

/// The Telegram accounts of a keystore.
///
/// An account of a device is an owner whose ID is that of the key for its main data centre, so accounts of one user on
/// several devices stand beside each other. It has one record, `account`: the text of `TelegramAccount`.
package struct TelegramKeeper: Sendable {
    private let keystore: OpenKeystore
    static let recordName: RecordName = "account"

    /// How long an operation waits for an account's lock.
    private static let lockWait = Duration.seconds(60)

    /// Opens nothing.
    package init(_ keystore: OpenKeystore) { self.keystore = keystore }

    /// Whether unlocking the keystore needs a passphrase.
    package var isProtected: Bool { keystore.isProtected }

    /// The IDs of all accounts. Nothing is decrypted. Directories with other names are skipped.
    package func ids() throws -> [KeyID] {
        try keystore.identities().filter { $0.messenger == Owner.telegram }.compactMap { owner in
            // Hexadecimal digits in upper case would be another name of the same key.
            KeyID(owner.id).flatMap { $0.description == owner.id ? $0 : nil }
        }
    }

    /// - Throws: `KeystoreError.noIdentity`, `.damaged`; `FileError`.
    package func account(_ id: KeyID) throws -> TelegramAccount {
        try Self.account(in: try keystore.identity(.telegram(id)), id)
    }

    /// What became of an account that was to be stored.
    package enum Stored: Equatable, Sendable {
        case new
        /// The keystore had it, with all of these keys and marks.
        case held
        /// The keystore had it, and has learned something.
        case extended(Additions)
    }

    /// What the keystore has learned of an account that it had.
    package struct Additions: Equatable, Sendable {
        /// The data centres whose keys were added.
        package var dataCentres: [Int32] = []
        /// The keys that are marked as lost from now on; they were held without a mark.
        package var lost: [KeyID] = []
        /// The user's number, if it was not known.
        package var user: UInt64?
    }

    /// Stores an account with all of its keys at once. A key that is held is never replaced. A mark stays, and a mark
    /// of `account` is taken over.
    /// - Throws: `TelegramKeepingError.otherKeys`, `.otherUser`; `KeystoreError`; `FileError`. Then nothing has changed.
    package func store(_ account: TelegramAccount) throws -> Stored {
        let owner = Owner.telegram(account.mainKey.id)
        do {
            try keystore.add(owner) { identity in try Self.write(account, to: identity) }
            return .new
        } catch KeystoreError.exists {
            return try merge(account, into: owner)
        }
    }

    /// The account that has a key of this ID, and the key. Accounts that cannot be read are skipped.
    /// - Returns: nil if all accounts can be read, and none has it.
    /// - Throws: why the first of the skipped accounts cannot be read, if no other one has the key.
    package func find(_ id: KeyID) throws -> (account: KeyID, key: TelegramAccount.Key)? {
        var firstError: (any Error)?
        for owner in try ids() {
            do {
                if let key = try account(owner).keys.first(where: { $0.id == id }) { return (owner, key) }
            } catch {
                firstError = firstError ?? error
            }
        }
        // The key may be one of those that were not read.
        if let firstError { throw firstError }
        return nil
    }

    /// Marks a key as lost. It stays in the keystore.
    /// - Returns: its account, and whether it was marked already; nil if no account has the key.
    package func markLost(_ id: KeyID) throws -> (account: KeyID, wasLost: Bool)? {
        guard let (owner, key) = try find(id) else { return nil }
        if key.isLost { return (owner, true) }
        let identity = try keystore.lockedIdentity(.telegram(owner), wait: Self.lockWait)
        // Read again: another process may have changed it before this one had the lock.
        guard let marked = try Self.account(in: identity.records, owner).markingLost(id) else { return nil }
        try Self.write(marked, to: identity)
        return (owner, false)
    }

    private func merge(_ account: TelegramAccount, into owner: Owner) throws -> Stored {
        let identity = try keystore.lockedIdentity(owner, wait: Self.lockWait)
        let held = try Self.account(in: identity.records, account.mainKey.id)
        let (merged, result) = try Self.merged(account, into: held)
        if merged != held { try Self.write(merged, to: identity) }
        return result
    }

    /// Both together: the keys of `held`, those for further data centres, and the marks of either.
    private static func merged(
        _ account: TelegramAccount, into held: TelegramAccount
    ) throws -> (account: TelegramAccount, result: Stored) {
        let id = held.mainKey.id
        let differing = held.differingDataCentres(from: account)
        guard differing.isEmpty else { throw TelegramKeepingError.otherKeys(account: id, dataCentres: differing) }
        if let user = account.user, let other = held.user, user != other {
            throw TelegramKeepingError.otherUser(account: id)
        }
        let known = Set(held.keys.map(\.dataCentre))
        let further = account.keys.filter { !known.contains($0.dataCentre) }
        var merged = try TelegramAccount(
            user: held.user ?? account.user, mainDataCentre: held.mainDataCentre, keys: held.keys + further)
        // Another machine may know that a key is lost.
        var lost: [KeyID] = []
        for key in account.keys where key.isLost {
            if held.keys.contains(where: { $0.id == key.id && !$0.isLost }), !lost.contains(key.id) {
                lost.append(key.id)
            }
            merged = merged.markingLost(key.id) ?? merged
        }
        guard merged != held else { return (held, .held) }
        let additions = Additions(
            dataCentres: further.map(\.dataCentre), lost: lost, user: held.user == nil ? account.user : nil)
        return (merged, .extended(additions))
    }

    private static func write(_ account: TelegramAccount, to identity: borrowing LockedIdentity) throws {
        try account.encoded().withBytes { try identity.write(recordName, $0) }
    }

    private static func account(in records: borrowing IdentityRecords, _ id: KeyID) throws -> TelegramAccount {
        let damaged = KeystoreError.damaged(record: "account", owner: .telegram(id))
        guard let text = try records.read(recordName) else { throw damaged }
        // It was authentic, so another form of it is that of a later version.
        let account = try text.withBytes { (text) throws(TelegramAccountError) in
            try TelegramAccount(decoding: text)
        }
        guard account.mainKey.id == id else { throw damaged }
        return account
    }
}

/// Why an account was not stored.
package enum TelegramKeepingError: Error, Equatable, Sendable {
    /// The keystore holds other keys of this account, for these data centres.
    case otherKeys(account: KeyID, dataCentres: [Int32])
    /// The keystore holds these keys as those of another user.
    case otherUser(account: KeyID)
}
