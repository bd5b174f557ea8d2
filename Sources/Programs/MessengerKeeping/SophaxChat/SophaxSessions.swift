internal import SecureMemory
internal import SessionStore
package import SophaxChat
internal import SophaxStorage

extension SophaxKeeper {
    /// What programs have stored of a peer, without keys.
    package struct PeerFacts: Equatable, Sendable {
        /// The peer's public keys.
        package let peer: PublicIdentity
        /// How much of a bundle it has signed at most; nil if it has sent none.
        package let bundleForm: SignatureForm?
        /// The highest version of its signed messages.
        package let version: WireMessage.Version
        /// Whether the user has compared the peer's number.
        package let verification: Verification
        /// Whether the store is a copy, whose sessions its program has to end.
        package let isCopied: Bool
        /// Length of the stored value in bytes.
        package let bytes: Int
        /// From the newest on. The first one sends.
        package let sessions: [PeerRecord.Facts]
    }

    /// Whether the user has compared the safety number of a peer.
    package enum Verification: Equatable, Sendable {
        case verified
        case notVerified
        /// Another number was compared for this name.
        case otherNumber
    }

    /// The peers with sessions.
    package struct Peers: Sendable {
        /// Those whose records are sound, in the order of their names.
        package var facts: [PeerFacts] = []
        /// Why other records cannot be read; the peer is nil if a record does not tell it.
        package var failures: [(peer: PeerID?, error: any Error)] = []
    }

    /// Reads what programs on the libraries have stored of a peer.
    /// - Parameter peer: 32 digits. Stored names are digests, so one of 16 digits finds nothing.
    /// - Throws: `SophaxKeepingError.noSession`, `.damagedSession`, `.laterSession`; `SessionStoreError`;
    ///   `FileError.locked` if a program uses the sessions; as `account`.
    package func sessions(of id: PeerID, with peer: PeerID, _ wait: SessionWait = .usual) throws -> PeerFacts {
        try withSessions(of: id, wait) { account, store in
            guard let store else { throw SophaxKeepingError.noSession(peer) }
            let value = try store.read(ValueKind(stringLiteral: PeerRecord.kind), PeerRecord.name(of: peer))
            guard let value else { throw SophaxKeepingError.noSession(peer) }
            return try value.withBytes { try Self.facts(of: peer, $0, account, store) }
        }
    }

    /// Reads what programs on the libraries have stored of all peers. The memory used does not depend on the length of
    /// the sessions.
    /// - Throws: `SessionStoreError`; `FileError.locked` if a program uses the sessions; as `account`.
    package func peers(of id: PeerID, _ wait: SessionWait = .usual) throws -> Peers {
        try withSessions(of: id, wait) { account, store in
            var peers = Peers()
            try store?.forEach(ValueKind(stringLiteral: PeerRecord.kind)) { name, value in
                guard let name, let peer = PeerID(String(decoding: name, as: UTF8.self)) else {
                    return peers.failures.append((nil, SophaxKeepingError.namelessSession))
                }
                do {
                    peers.facts.append(try Self.facts(of: peer, value, account, store!))
                } catch {
                    peers.failures.append((peer, error))
                }
            }
            peers.facts.sort { $0.peer.peerID < $1.peer.peerID }
            return peers
        }
    }

    /// - Parameter body: gets no store if there is none.
    private func withSessions<Result>(
        of id: PeerID, _ wait: SessionWait, _ body: (borrowing SophaxAccount, OpenSessionStore?) throws -> Result
    ) throws -> Result {
        try reading(id, wait) { records in
            let account = try records.sophaxAccount(id)
            guard let store = try records.readSessions(keystore) else { return try body(account, nil) }
            defer { store.close() }
            return try body(account, store)
        }
    }

    private static func facts(
        of peer: PeerID, _ value: Span<UInt8>, _ account: borrowing SophaxAccount, _ store: OpenSessionStore
    ) throws -> PeerFacts {
        do {
            let record = try PeerRecord(decoding: value, of: account.identity.publicIdentity)
            guard record.peer.peerID == peer else { throw StoredRecordError.malformed }
            return PeerFacts(
                peer: record.peer, bundleForm: record.bundleForm, version: record.version,
                verification: Self.verification(of: record.peer, account), isCopied: store.origin == .copied,
                bytes: value.count, sessions: try record.facts())
        } catch StoredRecordError.unknownForm(let form) {
            throw SophaxKeepingError.laterSession(peer, form: form)
        } catch {
            throw SophaxKeepingError.damagedSession(peer)
        }
    }

    private static func verification(
        of peer: PublicIdentity, _ account: borrowing SophaxAccount
    ) -> Verification {
        do throws(SophaxKeepingError) {
            return try account.hasVerified(peer) ? .verified : .notVerified
        } catch {
            return .otherNumber
        }
    }
}
