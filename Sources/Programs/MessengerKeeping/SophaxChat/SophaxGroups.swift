package import Encodings
import Keystore
internal import Ratchet
internal import SecureMemory
internal import SessionStore
package import SophaxChat
package import SophaxGroups
internal import SophaxStorage

extension SophaxKeeper {
    /// Whether a member can be sent its chain.
    package enum Delivery: Equatable, Sendable {
        /// There is a session with the member.
        case possible
        /// There is none.
        case noSession
        /// What is stored of the member is not readable.
        case damagedSession
        /// What is stored of the member has a form that this version does not know.
        case laterSession
    }

    /// A group with its new chain, which is stored.
    package struct RekeyedGroup: Sendable {
        /// What is given to whom.
        package let rekeying: GroupRekeying
        /// For each of the members, in the order of `rekeying.parts`.
        package let deliveries: [Delivery]
        /// How the group speaks.
        package let form: GroupForm
    }

    /// Sets the members of a stored group, and begins another own chain.
    /// - Parameters:
    ///   - others: all other members, each by 32 digits, or by 16 if it is a member already. This side may be among them.
    ///   - body: called when the store has the new chain, and not the former one; a kill before changes nothing. What it
    ///     gets is stored nowhere: if that is lost, do this again. Nobody begins another chain while it runs, so what it
    ///     writes is the chain that the store has.
    /// - Throws: `SophaxKeepingError.noGroup`, `.damagedGroup`, `.laterGroup`, `.members`, `.spentGroup`;
    ///   `SessionStoreError.copied` for a store whose chains may be used elsewhere, and its other cases;
    ///   `FileError.locked` if a program uses the sessions; as `account`: then nothing has changed. What `body` throws.
    package func rekey(
        _ group: String, of id: PeerID, members others: [PeerID], at now: Timestamp, _ wait: SessionWait = .usual,
        _ body: (RekeyedGroup) throws -> Void
    ) throws {
        try locked(id, wait) { identity in
            let own = try identity.records.sophaxAccount(id).identity.publicIdentity
            guard let store = try identity.openSessions(keystore) else { throw SophaxKeepingError.noGroup(group) }
            defer { store.close() }
            let rekeyed = try store.transaction { changes in
                var record = try store.group(group, of: id)
                let members = try Self.members(others, of: id, in: record.group.members)
                let rekeying: GroupRekeying
                do throws(GroupError) {
                    rekeying = try record.rekey(members, at: now)
                } catch {
                    throw error == .numberTooHigh
                        ? SophaxKeepingError.spentGroup(group) : SophaxKeepingError.damagedGroup(group)
                }
                try record.encoded().withBytes {
                    try changes.set(ValueKind(stringLiteral: GroupRecord.kind), GroupRecord.name(of: group), $0)
                }
                let deliveries = try store.deliveries(to: rekeying.parts.map(\.member), of: own)
                return RekeyedGroup(rekeying: rekeying, deliveries: deliveries, form: record.group.form)
            }
            try body(rekeyed)
        }
    }

    /// The whole list of members. A member may be named by 16 digits, or be stored by them.
    /// - Throws: `.members`.
    private static func members(
        _ named: [PeerID], of own: PeerID, in present: [PeerID]
    ) throws(SophaxKeepingError) -> [PeerID] {
        let limit = GroupLimits.sophaxChat.maxMembers
        var members: Set<PeerID> = []
        for name in named {
            let known = present.filter { $0.matches(name) }
            // Two members that begin alike are told by all digits.
            let member = known.contains(name) ? name : known.first ?? name
            guard known.count == 1 || member == name, known.count > 0 || !name.isShort
            else { throw .members(.short(name)) }
            guard members.insert(member).inserted else { throw .members(.twice(name)) }
        }
        members.insert(own)
        guard members.count > 1 else { throw .members(.nobody) }
        guard members.count <= limit else { throw .members(.tooMany(limit: limit)) }
        return members.sorted()
    }
}

extension OpenSessionStore {
    /// What a program has stored of a group.
    /// - Parameter name: any text.
    /// - Throws: `SophaxKeepingError.noGroup`, `.damagedGroup`, `.laterGroup`; `SessionStoreError`.
    func group(_ name: String, of own: PeerID) throws -> GroupRecord {
        guard (1...GroupPlace.maxGroup).contains(name.utf8.count),
            let value = try read(ValueKind(stringLiteral: GroupRecord.kind), GroupRecord.name(of: name))
        else { throw SophaxKeepingError.noGroup(name) }
        do throws(StoredRecordError) {
            let record = try value.withBytes { (value) throws(StoredRecordError) in
                try GroupRecord(decoding: value, of: own)
            }
            guard record.group.name.utf8.elementsEqual(name.utf8) else { throw .malformed }
            return record
        } catch .unknownForm(let form) {
            throw SophaxKeepingError.laterGroup(name, form: form)
        } catch {
            throw SophaxKeepingError.damagedGroup(name)
        }
    }

    /// Whether a program can send something to members, in their order.
    fileprivate func deliveries(
        to members: [PeerID], of own: PublicIdentity
    ) throws -> [SophaxKeeper.Delivery] {
        let kind = ValueKind(stringLiteral: PeerRecord.kind)
        var short: [String: [SophaxKeeper.Delivery]] = [:]
        for member in members where member.isShort { short[member.description] = [] }
        if !short.isEmpty {
            // Stored names are digests, so all values are opened to find those of 16 digits.
            try forEach(kind) { name, value in
                guard let name, let peer = PeerID(String(decoding: name, as: UTF8.self)) else { return }
                short[peer.short.description]?.append(Self.delivery(to: peer, value, own))
            }
        }
        return try members.map { member in
            guard let found = short[member.description] else { return try delivery(to: member, kind, own) }
            // Nothing says which of several is the member.
            return found.count == 1 ? found[0] : .noSession
        }
    }

    /// - Parameter peer: 32 digits.
    private func delivery(
        to peer: PeerID, _ kind: ValueKind, _ own: PublicIdentity
    ) throws(SessionStoreError) -> SophaxKeeper.Delivery {
        let value: SecureBytes?
        do throws(SessionStoreError) {
            value = try read(kind, PeerRecord.name(of: peer))
        } catch {
            guard case .damaged = error else { throw error }
            return .damagedSession
        }
        guard let value else { return .noSession }
        return value.withBytes { Self.delivery(to: peer, $0, own) }
    }

    private static func delivery(
        to peer: PeerID, _ value: Span<UInt8>, _ own: PublicIdentity
    ) -> SophaxKeeper.Delivery {
        do throws(StoredRecordError) {
            let record = try PeerRecord(decoding: value, of: own)
            guard record.peer.has(peer) else { return .damagedSession }
            return record.count == 0 ? .noSession : .possible
        } catch {
            if case .unknownForm = error { return .laterSession }
            return .damagedSession
        }
    }
}
