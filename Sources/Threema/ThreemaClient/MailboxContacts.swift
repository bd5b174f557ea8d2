internal import Encodings
internal import SecureMemory
internal import SessionStore
public import Threema
internal import ThreemaDirectory
internal import ThreemaForwardSecurity
internal import ThreemaMessages

// The contacts, and what the directory says of them.

extension Mailbox {
    /// Adds a contact, or changes how it is treated. It replaces a damaged value, too: then nothing here compares the
    /// public key, so it has to come from the directory or a contact code.
    /// - Throws: `.otherPublicKey`; nothing changes then.
    public func set(_ contact: Contact) throws {
        try store.transaction { try set(contact, in: $0) }
        unreadableContacts.remove(contact.id)
    }

    /// A contact that was added, or has sent a message.
    /// - Throws: `.malformedValue` for a damaged value: see ``unreadableContacts``.
    public func contact(_ id: ThreemaID) throws -> Contact? {
        guard let value = try read("contact", id.bytes, damaged: malformed(id)) else { return nil }
        guard let contact = value.withBytes({ Contact(decoding: $0) }), contact.id == id else { throw malformed(id) }
        return contact
    }

    private func malformed(_ id: ThreemaID) -> MailboxError {
        unreadableContacts.insert(id)
        return .malformedValue(id)
    }

    /// All contacts, in the order in which they were added, without those whose value is damaged: see
    /// ``unreadableContacts``.
    public func contacts() throws -> [Contact] {
        try contactIDs().compactMap { id in
            do { return try contact(id) } catch MailboxError.malformedValue { return nil }
        }
    }

    /// The IDs of all contacts, also of damaged ones.
    /// - Throws: `.malformedValue` of the identity itself, if one of them is not known any more.
    func contactIDs() throws -> [ThreemaID] {
        let count = UInt64(try store.count(of: "contactnumber"))
        var ids = (0..<count).compactMap { try? numbered($0) }
        guard ids.count < count else { return ids }
        // A damaged number does not name its contact.
        let known = Set(ids)
        try store.forEach("contact") { name, _ in
            if let name, let id = try? ThreemaID(bytes: name.span), !known.contains(id) { ids.append(id) }
        }
        guard ids.count == count else { throw MailboxError.malformedValue(own.id) }
        return ids
    }

    private func numbered(_ number: UInt64) throws -> ThreemaID? {
        try store.read("contactnumber", MessageID(number).bytes)?.withBytes { try ThreemaID(bytes: $0) }
    }

    func set(_ contact: Contact, in changes: borrowing Transaction) throws {
        do {
            if let known = try self.contact(contact.id), known.publicKey != contact.publicKey {
                throw MailboxError.otherPublicKey(contact.id)
            }
        } catch MailboxError.malformedValue {
            // It is replaced.
        }
        if try !isContact(contact.id) {
            let number = MessageID(UInt64(try store.count(of: "contactnumber")))
            try changes.set("contactnumber", number.bytes, contact.id.bytes.span)
        }
        try changes.set("contact", contact.id.bytes, contact.encoded.span)
    }

    /// Whether there is a contact of this ID, also a damaged one.
    func isContact(_ id: ThreemaID) throws -> Bool { try store.contains("contact", id.bytes) }

    func add(_ contact: Contact, in changes: borrowing Transaction) throws {
        if try !isContact(contact.id) { try set(contact, in: changes) }
    }

    /// - Returns: a contact, or who becomes one; nil if nobody has this ID.
    func find(_ id: ThreemaID) throws -> Contact? {
        guard let contact = try contact(id) ?? searched(id) else { return nil }
        guard contact.id == id else { throw MailboxError.unknownContact(id) }
        return contact
    }

    private func searched(_ id: ThreemaID) throws -> Contact? {
        do {
            return try search(id)
        } catch let failure as DirectoryFailure where failure.isUnknownIdentity {
            // Anybody can name an ID that does not exist, and no later try finds it.
            return nil
        } catch DirectoryError.unknownIdentity {
            return nil
        }
    }

    // MARK: States

    /// Whether the last check has said that a contact was revoked. No new message is sent to it then. What already
    /// waits in the outbox still goes, and so do the answers of a session and its end in a store that was copied.
    public func isRevoked(_ contact: ThreemaID) throws -> Bool { try store.contains("revoked", contact.bytes) }

    /// Asks the directory for the states of all contacts, unless it was asked within a day. ``send(_:to:id:)`` and
    /// ``refresh()`` do so by themselves; only what is sent in a transaction does not, because a transaction must not
    /// wait for a server.
    ///
    /// A contact that did not support forward security, and does now, is changed to `.enabled`. A check changes no
    /// other ``Contact/forwardSecurity``.
    ///
    /// A check that fails changes nothing, and is tried again after an hour: until then the last states count.
    /// - Returns: whether the directory was asked, and has answered.
    @discardableResult
    public func refreshStates() throws -> Bool {
        let time = now()
        guard let check, try !isWithin(.days(1), of: self.time("statecheck", Self.checkName), time),
            !isWithin(.hours(1), of: failedCheck, time)
        else { return false }
        let contacts = try contacts().map(\.id)
        guard !contacts.isEmpty else { return false }
        var states: [CheckedIdentity] = []
        do {
            for start in stride(from: 0, to: contacts.count, by: DirectoryClient.maxIdentities) {
                states += try check(Array(contacts[start...].prefix(DirectoryClient.maxIdentities))).identities
            }
        } catch {
            failedCheck = time
            return false
        }
        failedCheck = nil
        let nothing: [UInt8] = []
        try store.transaction { changes in
            for contact in states {
                try enableForwardSecurity(contact, in: changes)
                guard try isRevoked(contact.id) != (contact.state == .invalid) else { continue }
                if contact.state == .invalid {
                    try changes.set("revoked", contact.id.bytes, nothing.span)
                } else {
                    try changes.remove("revoked", contact.id.bytes)
                }
            }
            try set(time, "statecheck", Self.checkName, in: changes)
        }
        return true
    }

    /// Enables forward security for a contact that supports it by now. What the user has turned off stays so.
    private func enableForwardSecurity(_ checked: CheckedIdentity, in changes: borrowing Transaction) throws {
        guard checked.featureMask?.contains(.forwardSecurity) == true, var contact = try contact(checked.id),
            contact.forwardSecurity == .unsupportedByContact
        else { return }
        contact.forwardSecurity = .enabled
        try set(contact, in: changes)
    }

    private static let checkName: [UInt8] = [0]
}
