public import SessionStore
public import Threema
public import ThreemaMessages

// What the members of a group are told.

extension Mailbox {
    /// Seals what the members of a group are told, for each of them, in one transaction.
    ///
    /// Members that are no contacts yet are searched for before it.
    /// - Returns: the members that no search finds, and those that were revoked. They are told nothing.
    /// - Throws: as ``send(_:to:id:)`` does, except for `.unknownContact` and `.revokedContact`.
    @discardableResult
    public func send(_ sendings: [GroupSending]) throws -> [ThreemaID] {
        try refreshStates()
        let (members, unknown) = try receivers(of: sendings, find)
        try store.transaction { try send(sendings, to: members, in: $0) }
        return unknown
    }

    /// Seals what the members of a group are told, for each of them, in a transaction of ``store`` that stores something
    /// else, too.
    ///
    /// It is sent after the transaction was made, and never if it was not.
    /// - Returns: the members that are no contacts, and those that were revoked. They are told nothing: nobody is searched
    ///   for, because a transaction must not wait for a server.
    /// - Throws: as ``send(_:to:id:)`` does, except for `.unknownContact` and `.revokedContact`.
    @discardableResult
    public func send(_ sendings: [GroupSending], in changes: borrowing Transaction) throws -> [ThreemaID] {
        let (members, unknown) = try receivers(of: sendings, contact)
        try send(sendings, to: members, in: changes)
        return unknown
    }

    /// Each receiver once, in their order.
    private func receivers(
        of sendings: [GroupSending], _ find: (ThreemaID) throws -> Contact?
    ) throws -> (members: [Contact], unknown: [ThreemaID]) {
        var asked: Set<ThreemaID> = []
        var (members, unknown) = ([Contact](), [ThreemaID]())
        for id in sendings.flatMap(\.receivers) where asked.insert(id).inserted {
            if let member = try find(id), try !isRevoked(id) { members.append(member) } else { unknown.append(id) }
        }
        return (members, unknown)
    }

    private func send(
        _ sendings: [GroupSending], to members: [Contact], in changes: borrowing Transaction
    ) throws {
        let time = now()
        for member in members {
            for sending in sendings where sending.receivers.contains(member.id) {
                _ = try send(sending.body, to: member, id: sending.id, at: time, in: changes)
            }
        }
    }
}
