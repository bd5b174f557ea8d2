package import Keystore
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
        /// Whether the store is a copy, whose sessions its program has to end.
        package let isCopied: Bool
        /// Length of the stored value in bytes.
        package let bytes: Int
        /// From the newest on. The first one sends.
        package let sessions: [PeerRecord.Facts]
    }

    /// Reads what programs on the libraries have stored of a peer.
    /// - Parameter peer: 32 digits. Stored names are digests, so one of 16 digits finds nothing.
    /// - Throws: `SophaxKeepingError.noSession`, `.damagedSession`; `SessionStoreError`; `BackupError.unknownVersion`;
    ///   `FileError.locked` if a program uses the sessions; as `account`.
    package func sessions(of id: PeerID, with peer: PeerID) throws -> PeerFacts {
        try locked(id) { identity in
            let own = try identity.records.sophaxAccount(id).identity.publicIdentity
            guard let store = try identity.openSessions(keystore) else { throw SophaxKeepingError.noSession(peer) }
            defer { store.close() }
            let value = try store.read(ValueKind(stringLiteral: PeerRecord.kind), PeerRecord.name(of: peer))
            guard let value else { throw SophaxKeepingError.noSession(peer) }
            do {
                let record = try value.withBytes { (value) throws(BackupError) in
                    try PeerRecord(decoding: value, of: own)
                }
                guard record.peer.peerID == peer else { throw BackupError.malformed }
                return PeerFacts(
                    peer: record.peer, bundleForm: record.bundleForm, version: record.version,
                    isCopied: store.origin == .copied, bytes: value.count, sessions: try record.facts())
            } catch BackupError.unknownVersion(let version) {
                throw BackupError.unknownVersion(version)
            } catch {
                throw SophaxKeepingError.damagedSession(peer)
            }
        }
    }
}
