package import Encodings
package import Keystore
internal import SecureMemory
package import SophaxChat
package import SophaxStorage

/// The SophaxChat identities of a keystore.
///
///     identities/sophaxchat/PEERID/
///       identity     sealed: the text of `SophaxAccount`, without prekeys
///       prekeys      sealed: the record of `PrekeyStore`; missing if there are none
///       pin          sealed: the record of `PINLock`; missing without a PIN
///       attempts     sealed: the record of `PINAttempts`; missing before the first attempt
///       changes      sealed: the record of a `PINAllowance`, changes of the PINs; missing before the first one
///       clearings    sealed: the record of a `PINAllowance`, right PINs that cleared failures; missing before the first
package struct SophaxKeeper: Sendable {
    static let identity: RecordName = "identity"
    static let prekeys: RecordName = "prekeys"
    static let pin: RecordName = "pin"
    static let attempts: RecordName = "attempts"
    static let pinChanges: RecordName = "changes"
    static let clearings: RecordName = "clearings"
    /// Records that no archive contains.
    package static let transientRecords: Set<RecordName> = [attempts, pinChanges, clearings]

    /// Records without which an identity still has its keys.
    package static let dispensableRecords: Set<RecordName> = [pin, prekeys]

    let keystore: OpenKeystore

    /// Opens nothing.
    package init(_ keystore: OpenKeystore) { self.keystore = keystore }

    /// Whether unlocking the keystore needs a passphrase.
    package var isProtected: Bool { keystore.isProtected }

    /// The names of all identities, in order. Nothing is decrypted. Directories with other names are skipped.
    package func ids() throws -> [PeerID] { try keystore.identities().compactMap(\.sophaxChat) }

    /// An identity without its prekeys, which need not be readable.
    /// - Throws: `KeystoreError.damaged`; `SophaxKeepingError.noIdentity`; `BackupError`; `FileError`.
    package func account(_ id: PeerID) throws -> SophaxAccount { try records(of: id).sophaxAccount(id) }

    /// An identity with its prekeys.
    /// - Throws: as `account`.
    package func wholeAccount(_ id: PeerID) throws -> SophaxAccount {
        let records = try records(of: id)
        let account = try records.sophaxAccount(id)
        let (username, verified) = (account.username, account.verified)
        return try SophaxAccount(
            identity: account.intoIdentity(), username: username, verified: verified, prekeys: records.sophaxPrekeys())
    }

    /// What is known of an identity without its private keys.
    package struct Summary: Equatable, Sendable {
        /// The public keys.
        package let identity: PublicIdentity
        /// The user's name.
        package let username: String
        /// How many peers are verified.
        package let verifiedCount: Int
        /// Nil if there are no prekeys.
        package let prekeys: PrekeySummary?
        /// Whether a PIN is set.
        package let hasPIN: Bool
    }

    /// - Throws: as `account`.
    package func summary(_ id: PeerID) throws -> Summary {
        let records = try records(of: id)
        let account = try records.sophaxAccount(id)
        let hasPIN = try records.sophaxLock() != nil
        switch try records.sophaxPrekeys() {
        case .some(let prekeys): return Summary(of: account, PrekeySummary(prekeys), hasPIN: hasPIN)
        case .none: return Summary(of: account, nil, hasPIN: hasPIN)
        }
    }

    // MARK: Storing

    /// What an identity that was held has learned.
    package struct Added: Equatable, Sendable {
        /// Verified peers.
        package let peers: Int
        package let prekeys: MergedPrekeys
        /// Whether the name of the file has replaced the one that stands for none.
        package let isNamed: Bool

        package init(peers: Int, prekeys: MergedPrekeys, isNamed: Bool = false) {
            self.peers = peers
            self.prekeys = prekeys
            self.isNamed = isNamed
        }

        fileprivate var isNothing: Bool { peers == 0 && prekeys == .none && !isNamed }
    }

    /// Stores an identity with its prekeys at once. If it is held, the verified peers and prekeys are added that are
    /// missing, and the name if the user has said none; nothing else is replaced.
    /// - Parameter isOnly: whether the keystore must hold no other identity.
    /// - Throws: `.otherIdentity` against `isOnly`; `PrekeyMergeError`; `KeystoreError`; `FileError`. Then nothing has
    ///   changed.
    package func store(_ account: borrowing SophaxAccount, isOnly: Bool, at now: Timestamp) throws -> Stored<Added> {
        let id = account.peerID
        let text = account.encodedWithoutPrekeys()
        let prekeys = account.prekeyRecord(at: now)
        do {
            try keystore.add(.sophaxChat(id)) { new in
                // Under the keystore's lock: another process may have added one.
                if isOnly, let held = try ids().first(where: { $0 != id }) {
                    throw SophaxKeepingError.otherIdentity(held: held, other: id)
                }
                try text.withBytes { try new.write(Self.identity, $0) }
                if prekeys.count > 0 { try prekeys.withBytes { try new.write(Self.prekeys, $0) } }
            }
            return .new
        } catch KeystoreError.exists {
            return try extend(id, account, at: now)
        }
    }

    private func extend(_ id: PeerID, _ account: borrowing SophaxAccount, at now: Timestamp) throws -> Stored<Added> {
        try locked(id) { identity in
            // What is there has to be the same keys: a damaged record is no identity.
            let held = try identity.records.sophaxAccount(id)
            let all = held.verified.merging(account.verified) { held, _ in held }
            guard all.count <= SophaxAccount.maxVerified else {
                throw SophaxKeepingError.tooManyPeers(limit: SophaxAccount.maxVerified)
            }
            var merged = MergedPrekeys.none
            var record = SecureBytes(count: 0) { _ in }
            switch account.prekeys {
            case .none: break
            case .some(let copy): merged = try Self.merge(copy, into: &record, identity, at: now)
            }
            let isNamed = held.hasDefaultUsername && !account.hasDefaultUsername
            let added = Added(peers: all.count - held.verified.count, prekeys: merged, isNamed: isNamed)
            guard !added.isNothing else { return .held }
            var changes = identity.changes()
            if added.peers > 0 || isNamed {
                held.encodedWithoutPrekeys(verified: all, username: isNamed ? account.username : nil)
                    .withBytes { changes.set(Self.identity, $0) }
            }
            if record.count > 0 { record.withBytes { changes.set(Self.prekeys, $0) } }
            try identity.commit(changes)
            return .extended(added)
        }
    }

    /// - Parameter record: is set to that of all prekeys, if some were added.
    private static func merge(
        _ copy: borrowing PrekeyStore, into record: inout SecureBytes, _ identity: borrowing LockedIdentity,
        at now: Timestamp
    ) throws -> MergedPrekeys {
        switch try identity.records.sophaxPrekeys() {
        case .none:
            record = copy.corrected(at: now).encoded()
            return MergedPrekeys(all: copy)
        case .some(let held):
            var prekeys = held
            let merged = try prekeys.merge(copy, at: now)
            if merged != .none { record = prekeys.encoded() }
            return merged
        }
    }

    /// Stores the safety number of a peer that the user has compared.
    /// - Returns: whether it was not stored before.
    /// - Throws: `.otherNumber` if another number is stored for this peer; as `account`.
    package func verify(_ peer: PublicIdentity, by id: PeerID) throws -> Bool {
        try locked(id) { identity in
            let account = try identity.records.sophaxAccount(id)
            guard try !account.hasVerified(peer) else { return false }
            var verified = account.verified
            verified[peer.peerID] = peer.safetyNumber(.version1)
            guard verified.count <= SophaxAccount.maxVerified else {
                throw SophaxKeepingError.tooManyPeers(limit: SophaxAccount.maxVerified)
            }
            try account.encodedWithoutPrekeys(verified: verified).withBytes { try identity.write(Self.identity, $0) }
            return true
        }
    }

    // MARK: Records

    func records(of id: PeerID) throws -> IdentityRecords {
        try translating(id) { try keystore.identity(.sophaxChat(id)) }
    }

    /// Runs `body` under the lock of an identity. What it reads there nobody changes meanwhile.
    func locked<Result: ~Copyable>(
        _ id: PeerID, _ wait: SessionWait = .usual, _ body: (borrowing LockedIdentity) throws -> Result
    ) throws -> Result {
        try translating(id) {
            let identity = try wait.locked(.sophaxChat(id), in: keystore)
            return try body(identity)
        }
    }

    /// The same for reading: nothing changes, and nothing needs to be writable.
    func reading<Result: ~Copyable>(
        _ id: PeerID, _ wait: SessionWait, _ body: (borrowing IdentityRecords) throws -> Result
    ) throws -> Result {
        try translating(id) { try wait.reading(.sophaxChat(id), in: keystore, body) }
    }

    private func translating<Result: ~Copyable>(_ id: PeerID, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch KeystoreError.noIdentity {
            throw SophaxKeepingError.noIdentity(id)
        }
    }
}

extension SophaxKeeper.Summary {
    fileprivate init(of account: borrowing SophaxAccount, _ prekeys: PrekeySummary?, hasPIN: Bool) {
        self.init(
            identity: account.identity.publicIdentity, username: account.username,
            verifiedCount: account.verified.count, prekeys: prekeys, hasPIN: hasPIN)
    }
}

extension SophaxAccount {
    /// Whether the user has compared the number of a peer. Names of 16 digits, which the app uses in places, are found,
    /// too.
    /// - Throws: `.otherNumber` if another number is stored for a name of this peer.
    package borrowing func hasVerified(_ peer: PublicIdentity) throws(SophaxKeepingError) -> Bool {
        let prefix = peer.shortPeerID.description
        let number = peer.safetyNumber(.version1)
        let known = verified.filter { $0.key.description.hasPrefix(prefix) }
        guard known.allSatisfy({ $0.value == number }) else { throw .otherNumber(peer.peerID) }
        return !known.isEmpty
    }
}

/// Why an operation on an identity was refused. Failures of files and records are those of the keystore.
package enum SophaxKeepingError: Error, Equatable, Sendable {
    /// The keystore does not hold this identity.
    case noIdentity(PeerID)
    /// The keystore holds another identity. `other` is nil for one that was just made, and is lost.
    case otherIdentity(held: PeerID, other: PeerID?)
    /// Another safety number of this peer was verified before.
    case otherNumber(PeerID)
    /// No further peer fits.
    case tooManyPeers(limit: Int)
    /// Too many signed prekeys were replaced within 14 days. One can be replaced when it is due.
    case tooManyRotations(due: Timestamp)
    /// No PIN is set.
    case noPIN
    /// A PIN is set, and the first one was to be set.
    case hasPIN
    /// The PIN is wrong.
    case wrongPIN
    /// No program has stored a session with this peer.
    case noSession(PeerID)
    /// What a program has stored of this peer is not a record of it.
    case damagedSession(PeerID)
    /// What a program has stored of this peer has a form that this version does not know.
    case laterSession(PeerID, form: UInt8)
    /// A value among the sessions does not open, and does not tell of which peer it is.
    case namelessSession
    /// No program has stored a group of this name.
    case noGroup(String)
    /// What a program has stored of this group is not a record of it.
    case damagedGroup(String)
    /// What a program has stored of this group has a form that this version does not know.
    case laterGroup(String, form: UInt8)
    /// A new member is named by 16 digits, or two names are one member, or there are too many.
    case members(MemberProblem)
    /// The group has had as many chains, or its chain as many messages, as can be numbered.
    case spentGroup(String)

    /// What is wrong with a list of members.
    package enum MemberProblem: Equatable, Sendable {
        /// All 32 digits are needed of a member that is new.
        case short(PeerID)
        /// It is named twice.
        case twice(PeerID)
        /// There is nobody but this side.
        case nobody
        /// More than this, with this side.
        case tooMany(limit: Int)
    }
}
