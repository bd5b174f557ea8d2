package import Encodings
internal import HTTP
internal import Keystore
package import Threema
package import ThreemaDirectory
internal import ThreemaRecords
internal import ThreemaSafe

/// What a check of contacts has found.
package struct CheckedContacts {
    /// About the identity itself and the contacts that were asked for.
    package let findings: ContactFindings
    /// What was known of the same before.
    package let earlier: ContactFindings
    /// Why the result could not be stored; nil if it is.
    package let storing: (any Error)?
}

extension DirectoryKeeper {
    /// Asks a directory for states and keys of the contacts of an identity, and of the identity itself, and stores the
    /// answers as a record beside the profile. The profile stays as it is. The directory is remembered for an identity
    /// that has none, if it knows the identity.
    ///
    /// Nothing is stored unless the directory has answered every request. If the answers cannot be stored, that is a part
    /// of the result, because they may be an alarm.
    /// - Parameters:
    ///   - named: nil for all contacts.
    ///   - now: the time of the system's clock.
    /// - Throws: `ProfileKeepingError.noContact`; `DirectoryKeepingError.failed`; `KeystoreError`.
    package func checkContacts(
        _ named: [ThreemaID]?, of id: ThreemaID, at server: DirectoryServer, now: Timestamp, lockWait: Duration
    ) throws -> CheckedContacts {
        let records = try keystore.identity(.threema(id))
        let held = Set(try records.contactIDs())
        for contact in named ?? [] where !held.contains(contact) {
            throw ProfileKeepingError.noContact(id: contact.text)
        }
        let asked = Set(named ?? Array(held)).union([id])
        let answers = try answers(about: asked.sorted { $0.text < $1.text }, at: server)
        do {
            let lock = try keystore.lockedIdentity(.threema(id), wait: lockWait)
            let (states, check) = try Self.check(lock.records, answers, named, now)
            try lock.write(.contactStates, states.encoded.span)
            let key = try lock.records.idAndKey().1
            if let own = answers[id], own.state != .invalid, own.publicKey == key {
                store(.directory) { try lock.remember(server, after: .question) }
            }
            return check
        } catch {
            let check = try Self.check(records, answers, named, now).check
            return CheckedContacts(findings: check.findings, earlier: check.earlier, storing: error)
        }
    }

    private static func check(
        _ records: borrowing IdentityRecords, _ answers: [ThreemaID: ContactStates.Answer], _ named: [ThreemaID]?,
        _ now: Timestamp
    ) throws -> (states: ContactStates, check: CheckedContacts) {
        let (id, key) = try records.idAndKey()
        let contacts = try records.profile().document.contacts
        // A damaged record is replaced.
        var states = (try? records.contactStates()) ?? .none
        func findings() -> ContactFindings {
            ContactFindings(states, of: id, key, contacts).about(named.map(Set.init))
        }
        let earlier = findings()
        states.enter(
            answers, of: Set(contacts.compactMap(\.id)).union([id]), isAll: named == nil, at: now)
        return (states, CheckedContacts(findings: findings(), earlier: earlier, storing: nil))
    }

    /// At most `DirectoryClient.maxIdentities` a request.
    /// - Parameter ids: each once.
    private func answers(
        about ids: [ThreemaID], at server: DirectoryServer
    ) throws -> [ThreemaID: ContactStates.Answer] {
        var answers: [ThreemaID: ContactStates.Answer] = [:]
        let client = connect(server)
        do throws(DirectoryFailure) {
            for start in stride(from: 0, to: ids.count, by: DirectoryClient.maxIdentities) {
                let part = Array(ids[start...].prefix(DirectoryClient.maxIdentities))
                let checked = try client.ask(Self.stateRequest(part)).identities
                var keys: [ThreemaID: PublicKey?] = [:]
                let valid = checked.filter { $0.state != .invalid }.map(\.id)
                if !valid.isEmpty {
                    for entry in try client.ask(Self.request(valid)) { keys[entry.id] = .some(entry.publicKey) }
                }
                for each in checked {
                    // One that is missing among the keys was revoked in between.
                    let state = each.state == .invalid || keys[each.id] == nil ? .invalid : each.state
                    answers[each.id] = .init(state: state, publicKey: keys[each.id] ?? nil)
                }
            }
        } catch {
            throw DirectoryKeepingError.failed(server, error)
        }
        return answers
    }

    private static func stateRequest(
        _ ids: [ThreemaID]
    ) throws(DirectoryFailure) -> DirectoryRequest<CheckedIdentities> {
        try DirectoryFailure.rethrowing { () throws(DirectoryError) in try .check(ids) }
    }
}

extension IdentityRecords {
    fileprivate func idAndKey() throws -> (ThreemaID, PublicKey) {
        let identity = try identity()
        return (identity.id, identity.clientKey.publicKey)
    }

    /// The contacts with a valid ID, each once.
    fileprivate func contactIDs() throws -> [ThreemaID] {
        var seen: Set<ThreemaID> = []
        return try profile().document.contacts.compactMap(\.id).filter { seen.insert($0).inserted }
    }
}

extension ContactKeeper {
    /// What a directory has said of the contacts, when `contact check` last asked it.
    /// - Throws: `KeystoreError.damaged`, `.noIdentity`.
    package func states(of id: ThreemaID) throws -> ContactStates {
        try profiles.keystore.identity(.threema(id)).contactStates()
    }

    /// What the stored states mean for the profile as it is now.
    /// - Throws: `KeystoreError.damaged`, `.noIdentity`.
    package func findings(of id: ThreemaID) throws -> ContactFindings {
        let records = try profiles.keystore.identity(.threema(id))
        return ContactFindings(
            try records.contactStates(), of: id, try records.idAndKey().1, try records.profile().document.contacts)
    }

    /// Remembers that the user knows of revoked contacts.
    /// - Throws: `ProfileKeepingError.noContact`, `.notRevoked`; `KeystoreError`; `FileError`. Then nothing has changed.
    package func acknowledge(_ contacts: [ThreemaID], of id: ThreemaID, lockWait: Duration) throws {
        let held = try profiles.keystore.lockedIdentity(.threema(id), wait: lockWait)
        let known = Set(try held.records.contactIDs())
        var states = try held.records.contactStates()
        for contact in contacts {
            guard known.contains(contact) else { throw ProfileKeepingError.noContact(id: contact.text) }
            guard states.acknowledge(contact) else { throw ProfileKeepingError.notRevoked(id: contact.text) }
        }
        try held.write(.contactStates, states.encoded.span)
    }
}
