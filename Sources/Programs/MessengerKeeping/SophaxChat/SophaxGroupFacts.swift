package import Encodings
package import Ratchet
internal import SecureMemory
internal import SessionStore
package import SophaxChat
package import SophaxGroups

extension SophaxKeeper {
    /// What programs have stored of a group, without keys.
    package struct GroupFacts: Equatable, Sendable {
        /// Whether the store is a copy, whose chains its program has to end.
        package let isCopied: Bool
        /// Length of the stored value in bytes.
        package let bytes: Int
        /// How the group speaks.
        package let form: GroupForm
        /// The own chain; nil if there is none, or if it has ended.
        package let own: OwnChainFacts?
        /// The generation of the last own chain; nil before the first one.
        package let generation: UInt32?
        /// Members that have to be given the own chain before anything is sealed: all of them if it has ended, or if it
        /// is too old or has sealed too much.
        package let pending: [PeerID]
        /// All other members, in order.
        package let members: [Member]

        /// Another member.
        package struct Member: Equatable, Sendable {
            package let id: PeerID
            /// Whether it has proved version 3.
            package let hasProved: Bool
            /// Whether it was given the own chain that is there.
            package let hasOwnChain: Bool
            /// Its newest chain; nil if it has given none. If it has not proved version 3, the generation is not the
            /// member's.
            package let chain: OtherChainFacts?
            /// Of how many of its chains messages may still come.
            package let openChains: Int
            /// Keys of skipped messages on all of its chains.
            package let skipped: Int
            /// What is known of the messages on its newest chain.
            package let status: TranscriptView.Status?
            /// A member that claims to have seen other messages of this one; nil if none does.
            package let claimant: PeerID?
        }
    }

    /// Reads what programs on the libraries have stored of a group. Nothing changes.
    /// - Throws: `SophaxKeepingError.noGroup`, `.damagedGroup`, `.laterGroup`; `SessionStoreError`;
    ///   `FileError.locked` if a program uses the sessions; as `account`.
    package func group(
        _ name: String, of id: PeerID, at now: Timestamp, _ wait: SessionWait = .usual
    ) throws -> GroupFacts {
        try reading(id, wait) { records in
            _ = try records.sophaxAccount(id)
            guard let store = try records.readSessions(keystore) else { throw SophaxKeepingError.noGroup(name) }
            defer { store.close() }
            let record = try store.group(name, of: id)
            let own = record.group.session.ownChain
            let pending = record.group.pending(at: now)
            let others = record.group.members.filter { $0 != id }
            return GroupFacts(
                isCopied: store.origin == .copied, bytes: record.encoded().count, form: record.group.form, own: own,
                generation: record.group.session.lastGeneration,
                pending: pending,
                members: others.map { Self.facts(of: $0, own, record) })
        }
    }

    private static func facts(
        of member: PeerID, _ own: OwnChainFacts?, _ record: borrowing GroupRecord
    ) -> GroupFacts.Member {
        let chains = record.group.session.chains(of: SophaxGroup.member(member))
        return GroupFacts.Member(
            id: member, hasProved: record.group.hasProved(member),
            hasOwnChain: own?.holders.contains(SophaxGroup.member(member)) ?? false, chain: chains.last,
            openChains: chains.filter { $0.next != nil }.count, skipped: chains.reduce(0) { $0 + $1.skipped },
            status: record.group.views[member]?.status, claimant: record.group.views[member]?.claimant)
    }
}
