internal import Encodings
package import Threema
package import ThreemaSafe

/// Operations on the contacts in the profile of an identity.
package struct ContactKeeper: Sendable {
    let profiles: ProfileKeeper
    let now: @Sendable () -> Timestamp

    /// A contact to be added or verified.
    package struct Card: Equatable, Sendable {
        /// ID and public key. An expired code is refused.
        package let code: ContactCode
        /// How far the key is verified by where it came from.
        package let level: VerificationLevel

        package init(_ code: ContactCode, level: VerificationLevel) {
            self.code = code
            self.level = level
        }
    }

    /// What adding or verifying has done.
    package enum Outcome: Equatable, Sendable {
        case added(VerificationLevel)
        /// The contact was there without a readable key, and has this key now.
        case keyStored(from: VerificationLevel, to: VerificationLevel)
        /// The contact has this key already. The level rose if the new one is higher.
        case raised(from: VerificationLevel, to: VerificationLevel)
        /// The contact has this key and level, or a higher level.
        case unchanged(VerificationLevel)
    }

    /// What adding has done.
    package struct Addition: Equatable, Sendable {
        /// Key and level.
        package let outcome: Outcome
        /// The new name of a contact that was there, if it has changed.
        package let newName: String?
    }

    /// The names that a contact gets.
    package struct Names: Equatable, Sendable {
        /// Nil to leave that of a contact which is there.
        package let first: String?
        /// Nil to leave that of a contact which is there.
        package let last: String?

        package init(first: String?, last: String?) {
            self.first = first
            self.last = last
        }
    }

    /// Adds a contact. If it is there with the same key, its level may rise, and never falls.
    /// - Parameter compare: called once everything else permits the addition, and before anything is stored. What it
    ///   throws is passed on.
    /// - Throws: `ProfileKeepingError.ownID`, `.expiredCode`, `.otherContactKey`, `.unprovenKey`.
    package func add(
        _ card: Card, _ names: Names, to id: ThreemaID, comparing compare: () throws -> Void = {}
    ) throws -> Addition {
        try check(card, id)
        _ = try added(card, names, to: profiles.document(of: id))
        try compare()
        var outcome = Outcome.added(card.level)
        let difference = try profiles.edit(id) { document in
            let (edited, added) = try added(card, names, to: document)
            outcome = added
            return edited
        }
        return Addition(
            outcome: outcome,
            newName: difference.changedContacts.first { $0.fields.contains(.names) }.map(\.after.displayName))
    }

    /// Adds contacts in one commit, each as `add` does, without names.
    /// - Returns: what was done with each card, in their order, or why it was refused. The others were added.
    package func add(
        all cards: [Card], to id: ThreemaID
    ) throws -> [(card: Card, result: Result<Outcome, ProfileKeepingError>)] {
        var results: [(card: Card, result: Result<Outcome, ProfileKeepingError>)] = []
        try profiles.edit(id) { document in
            results = []
            return try cards.reduce(document) { document, card in
                do {
                    try check(card, id)
                    let (edited, outcome) = try added(card, Names(first: nil, last: nil), to: document)
                    results.append((card, .success(outcome)))
                    return edited
                } catch let error as ProfileKeepingError {
                    results.append((card, .failure(error)))
                    return document
                }
            }
        }
        return results
    }

    private func added(_ card: Card, _ names: Names, to document: SafeDocument) throws -> (SafeDocument, Outcome) {
        let code = card.code
        guard let contact = try document.contact(of: card) else {
            let edited = document.addingContact(
                code.id, code.publicKey, level: card.level, firstName: names.first ?? "", lastName: names.last ?? "",
                createdAt: now())
            return (edited, .added(card.level))
        }
        let edited: SafeDocument
        let outcome: Outcome
        if contact.publicKey == nil {
            let level = document.contacts.filter { $0.identity == contact.identity }.map(\.level).max()!
            // A typed key would take the place of a verified one that this document has lost.
            guard card.level >= level || level < .fullyVerified else {
                throw ProfileKeepingError.unprovenKey(id: contact.identity)
            }
            let after = max(level, card.level)
            outcome = .keyStored(from: contact.level, to: after)
            edited = document.settingContact(code.id, publicKey: code.publicKey, level: after)
        } else {
            (edited, outcome) = try Self.verified(contact, by: card, in: document)
        }
        guard names.first != nil || names.last != nil else { return (edited, outcome) }
        return (edited.settingContact(code.id, firstName: names.first, lastName: names.last), outcome)
    }

    /// Compares the key of a contact with a code, and raises its level to that of the card.
    /// - Parameter compare: as for `add`.
    /// - Throws: `ProfileKeepingError.noContact`, `.noContactKey`, `.ownID`, `.expiredCode`, `.otherContactKey`.
    package func verify(
        _ card: Card, of id: ThreemaID, comparing compare: () throws -> Void = {}
    ) throws -> Outcome {
        try check(card, id)
        _ = try verified(card, in: profiles.document(of: id))
        try compare()
        var outcome = Outcome.unchanged(card.level)
        try profiles.edit(id) { document in
            let (edited, verified) = try verified(card, in: document)
            outcome = verified
            return edited
        }
        return outcome
    }

    private func verified(_ card: Card, in document: SafeDocument) throws -> (SafeDocument, Outcome) {
        guard let contact = try document.contact(of: card) else {
            throw ProfileKeepingError.noContact(id: card.code.id.text)
        }
        return try Self.verified(contact, by: card, in: document)
    }

    /// What a removal leaves behind.
    package struct RemovalProspect: Sendable {
        /// The contact as it is now.
        package let contact: SafeContact
        /// The groups of which it remains a member or the creator.
        package let groups: [SafeGroup]
        /// The distribution lists in which it remains.
        package let lists: [SafeDistributionList]
    }

    /// Tells the consequences of a removal. Changes nothing.
    /// - Parameter identity: as in the document; it need not be a valid ID.
    /// - Throws: `ProfileKeepingError.noContact`.
    package func prospect(ofRemoving identity: String, from id: ThreemaID) throws -> RemovalProspect {
        let document = try profiles.document(of: id)
        guard let contact = document.contacts.first(where: { $0.identity == identity }) else {
            throw ProfileKeepingError.noContact(id: identity)
        }
        return RemovalProspect(
            contact: contact,
            groups: document.groups.filter { $0.creator == identity || $0.members.contains(identity) },
            lists: document.distributionLists.filter { $0.members.contains(identity) })
    }

    /// Removes a contact. Groups and distribution lists stay as they are.
    /// - Throws: `ProfileKeepingError.noContact`.
    package func remove(_ identity: String, from id: ThreemaID) throws {
        try profiles.edit(id) { document in
            let edited = document.removingContact(identity)
            guard edited.contactCount < document.contactCount else {
                throw ProfileKeepingError.noContact(id: identity)
            }
            return edited
        }
    }

    private func check(_ card: Card, _ id: ThreemaID) throws {
        guard card.code.id != id else { throw ProfileKeepingError.ownID(id.text) }
        guard !card.code.hasExpired(at: now()) else { throw ProfileKeepingError.expiredCode(id: card.code.id.text) }
    }

    private static func verified(
        _ contact: SafeContact, by card: Card, in document: SafeDocument
    ) throws -> (SafeDocument, Outcome) {
        guard let stored = contact.publicKey else { throw ProfileKeepingError.noContactKey(id: contact.identity) }
        guard contact.level < card.level else { return (document, .unchanged(contact.level)) }
        // An edit changes all entries of the contact, and lowers none.
        let level = document.contacts.filter { $0.identity == contact.identity && $0.publicKey == stored }
            .reduce(card.level) { max($0, $1.level) }
        let edited = document.settingContact(card.code.id, publicKey: stored, level: level)
        return (edited, .raised(from: contact.level, to: level))
    }
}

extension SafeDocument {
    /// The entry for the contact of a card. A document that no app wrote may hold several, and an edit changes all of
    /// them, so another key in any of them is a mismatch.
    /// - Returns: of the entries with the card's key, the one with the lowest level; the first entry if none has a
    ///   readable key; nil if there is none.
    /// - Throws: `ProfileKeepingError.otherContactKey`.
    fileprivate func contact(of card: ContactKeeper.Card) throws -> SafeContact? {
        let entries = contacts.filter { $0.identity == card.code.id.text }
        for entry in entries {
            guard let stored = entry.publicKey, stored != card.code.publicKey else { continue }
            throw ProfileKeepingError.otherContactKey(id: entry.identity, stored: stored, given: card.code.publicKey)
        }
        return entries.filter { $0.publicKey != nil }.min { $0.level < $1.level } ?? entries.first
    }
}
