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

    /// Opens nothing.
    package init(_ keystore: OpenKeystore) { self.keystore = keystore }

    /// Whether unlocking the keystore needs a passphrase.
    package var isProtected: Bool { keystore.isProtected }

    /// The IDs of all accounts. Nothing is decrypted. Directories with other names are skipped.
    package func ids() throws -> [KeyID] { try keystore.identities().compactMap(\.telegram) }

    /// - Throws: `KeystoreError.noIdentity`, `.damaged`; `FileError`.
    package func account(_ id: KeyID) throws -> TelegramAccount {
        try Self.account(in: try keystore.identity(.telegram(id)), id)
    }

    /// What the keystore has learned of an account that it had.
    package struct Additions: Equatable, Sendable {
        /// The data centres whose keys were added.
        package var dataCentres: [Int32] = []
        /// The keys that are marked as lost from now on; they were held without a mark.
        package var lost: [KeyID] = []
        /// The user's number, if it was not known.
        package var user: UInt64?
        /// Whether it is a bot's, if that was not known.
        package var isBot: Bool?
        /// The API ID, if it was not known.
        package var apiID: Int32?
    }

    /// Stores an account with all of its keys at once. A key that is held is never replaced. A mark stays, and a mark
    /// of `account` is taken over, into all accounts that have the key.
    /// - Throws: `TelegramKeepingError.otherKeys`, `.otherUser`, `.otherDataCentre`; `KeystoreError`; `FileError`. Then
    ///   nothing has changed, or only the marks of other accounts are missing.
    package func store(_ account: TelegramAccount) throws -> Stored<Additions> {
        let stored = try add(account)
        for id in Set(account.keys.filter(\.isLost).map(\.id)) { _ = try markLost(id) }
        return stored
    }

    private func add(_ account: TelegramAccount) throws -> Stored<Additions> {
        let owner = Owner.telegram(account.mainKey.id)
        do {
            try keystore.add(owner) { identity in
                try requireSameDataCentres(account)
                try Self.write(account, to: identity)
            }
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

    /// What became of a key that was to be marked as lost.
    package struct LostKey: Equatable, Sendable {
        /// The accounts that have the key.
        package let accounts: [KeyID]
        /// Those of them where it was not marked before.
        package let newlyMarked: [KeyID]
        /// Accounts that cannot be read; they may have the key, too.
        package let unread: [KeyID]
    }

    /// Marks a key as lost in all accounts that have it. It stays in the keystore.
    /// - Returns: nil if all accounts can be read, and none has the key.
    /// - Throws: why an account cannot be read, if no other one has the key; `FileError`. Then some may be marked.
    package func markLost(_ id: KeyID) throws -> LostKey? {
        var accounts: [KeyID] = []
        var newlyMarked: [KeyID] = []
        var unread: [(id: KeyID, error: any Error)] = []
        for owner in try ids() {
            do {
                guard try account(owner).keys.contains(where: { $0.id == id }) else { continue }
            } catch {
                unread.append((owner, error))
                continue
            }
            let identity = try keystore.lockedIdentity(.telegram(owner), wait: LockedIdentity.usualWait)
            // Read again: another process may have changed it before this one had the lock.
            let held = try Self.account(in: identity.records, owner)
            guard let marked = held.markingLost(id) else { continue }
            accounts.append(owner)
            guard marked != held else { continue }
            try Self.write(marked, to: identity)
            newlyMarked.append(owner)
        }
        guard accounts.isEmpty else {
            return LostKey(accounts: accounts, newlyMarked: newlyMarked, unread: unread.map(\.id))
        }
        // The key may be in one of those that were not read.
        if let first = unread.first { throw first.error }
        return nil
    }

    /// The account with the marks that its keys have in the keystore: what is lost in one account is lost in all.
    /// Accounts that cannot be read are skipped.
    package func marked(_ account: TelegramAccount) throws -> TelegramAccount {
        let held = try ids().compactMap { try? self.account($0) }
        return held.flatMap(\.keys).filter(\.isLost).reduce(account) { $0.markingLost($1.id) ?? $0 }
    }

    /// One key is for one data centre: who imports it again for another one has mistaken one of the two. An account may
    /// have a key twice, also for a media connection; then it says so of the same data centre, too.
    private func requireSameDataCentres(_ account: TelegramAccount) throws {
        for id in try ids() {
            // An account that cannot be read does not keep others from being stored.
            guard let held = try? self.account(id) else { continue }
            for key in account.keys {
                let known = held.keys.filter { $0.id == key.id }.map(\.dataCentre)
                guard let first = known.first else { continue }
                guard account.keys.contains(where: { $0.id == key.id && known.contains($0.dataCentre) }) else {
                    throw TelegramKeepingError.otherDataCentre(account: id, key: key.id, dataCentre: first)
                }
            }
        }
    }

    private func merge(_ account: TelegramAccount, into owner: Owner) throws -> Stored<Additions> {
        let identity = try keystore.lockedIdentity(owner, wait: LockedIdentity.usualWait)
        let held = try Self.account(in: identity.records, account.mainKey.id)
        try requireSameDataCentres(account)
        let (merged, result) = try Self.merged(account, into: held)
        if merged != held { try Self.write(merged, to: identity) }
        return result
    }

    /// Both together: the keys of `held`, those for further data centres, and the marks of either.
    private static func merged(
        _ account: TelegramAccount, into held: TelegramAccount
    ) throws -> (account: TelegramAccount, result: Stored<Additions>) {
        let id = held.mainKey.id
        let differing = held.differingDataCentres(from: account)
        guard differing.isEmpty else { throw TelegramKeepingError.otherKeys(account: id, dataCentres: differing) }
        if let user = account.user, let other = held.user, user != other {
            throw TelegramKeepingError.otherUser(account: id)
        }
        let known = Set(held.keys.map(\.dataCentre))
        let further = account.keys.filter { !known.contains($0.dataCentre) }
        var merged = try TelegramAccount(
            user: held.user ?? account.user, mainDataCentre: held.mainDataCentre, keys: held.keys + further,
            isBot: held.isBot ?? account.isBot, apiID: held.apiID ?? account.apiID)
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
            dataCentres: further.map(\.dataCentre), lost: lost, user: held.user == nil ? account.user : nil,
            isBot: held.isBot == nil ? account.isBot : nil, apiID: held.apiID == nil ? account.apiID : nil)
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
    /// The keystore holds this key, in this account, for another data centre.
    case otherDataCentre(account: KeyID, key: KeyID, dataCentre: Int32)
}
