public import Encodings
public import Threema

/// Edits of one field. Each returns a new document and changes nothing else: members that this library does not know,
/// the spelling of numbers and the order of lists stay. Members come in order of their names, as in every document.
/// Each takes time in proportion to the document.
extension SafeDocument {
    /// Sets the nickname.
    /// - Parameter nickname: nil or empty to remove it. Then apps show the ID.
    public func settingNickname(_ nickname: String?) -> SafeDocument {
        settingUser("nickname", nickname.flatMap { $0.isEmpty ? nil : .string($0) })
    }

    /// Sets the profile picture.
    /// - Parameter picture: nil to remove it. Who may see a picture stays as it is.
    public func settingPicture(_ picture: ProfilePicture?) -> SafeDocument {
        settingUser("profilePic", picture.map { .string(Base64.encode($0.jpeg.span)) })
    }

    /// Sets who may see the profile picture.
    public func settingPictureAudience(_ audience: PictureAudience) -> SafeDocument {
        settingUser("profilePicRelease", audience.value)
    }

    /// Sets the link of a kind. The directory is not told.
    /// - Parameter value: a phone number (E.164 without `+`) or e-mail address, which replaces the first link of this
    ///   kind; further ones of the kind are removed. Nil removes all of the kind.
    public func settingLink(_ kind: SafeLink.Kind, to value: String?) -> SafeDocument {
        var entries = root["user"]?["links"]?.array ?? []
        let first = entries.firstIndex { SafeLink($0).kind == kind }
        if let value {
            if let first {
                entries[first] = entries[first].setting("value", to: .string(value))
            } else {
                entries.append(["type": .string(kind.text), "value": .string(value)])
            }
        }
        let kept = value == nil ? nil : first ?? entries.count - 1
        let links = entries.enumerated().filter { $0.offset == kept || SafeLink($0.element).kind != kind }.map(
            \.element)
        // A document without links stays as it is.
        guard !links.isEmpty || first != nil else { return self }
        return settingUser("links", .array(links))
    }

    /// Turns a setting on or off.
    public func setting(_ flag: SafeSettings.Flag, to value: Bool) -> SafeDocument {
        settingSettings(flag.rawValue, .bool(value))
    }

    /// This document with these contacts blocked, and no others.
    public func settingBlockedContacts(_ ids: [ThreemaID]) -> SafeDocument {
        settingSettings("blockedContacts", .array(ids.map { .string($0.text) }))
    }

    // MARK: Contacts

    /// Adds a contact at the end. The public key is stored for every level, so that it can be verified later.
    public func addingContact(
        _ id: ThreemaID, _ publicKey: PublicKey, level: VerificationLevel, firstName: String = "",
        lastName: String = "", createdAt: Timestamp
    ) -> SafeDocument {
        let contact = SafeContact(
            id, publicKey, level, firstName: firstName, lastName: lastName, createdAt: createdAt)
        return settingContacts((root["contacts"]?.array ?? []) + [contact.entry])
    }

    /// Sets key and level of each entry with this ID. Usually there is one.
    public func settingContact(_ id: ThreemaID, publicKey: PublicKey, level: VerificationLevel) -> SafeDocument {
        let key = JSONValue.string(Base64.encode(publicKey.bytes.span))
        return settingContacts(
            (root["contacts"]?.array ?? []).map { entry in
                guard SafeContact(entry).identity == id.text else { return entry }
                return entry.setting("verification", to: .number(level.stored)).setting("publickey", to: key)
            })
    }

    /// Sets the names of each entry with this ID. Usually there is one.
    /// - Parameters:
    ///   - firstName: nil to leave it as it is.
    ///   - lastName: nil to leave it as it is.
    public func settingContact(_ id: ThreemaID, firstName: String?, lastName: String?) -> SafeDocument {
        settingContacts(
            (root["contacts"]?.array ?? []).map { entry in
                guard SafeContact(entry).identity == id.text else { return entry }
                var entry = entry
                if let firstName { entry = entry.setting("firstname", to: .string(firstName)) }
                if let lastName { entry = entry.setting("lastname", to: .string(lastName)) }
                return entry
            })
    }

    /// Removes each entry with this identity, which need not be a valid ID. Groups and lists keep it as a member.
    public func removingContact(_ identity: String) -> SafeDocument {
        settingContacts((root["contacts"]?.array ?? []).filter { $0["identity"] != .string(identity) })
    }

    // MARK: Groups

    /// Sets name and members of the group with this creator and ID, or adds it at the end.
    /// - Parameters:
    ///   - id: 16 lower-case hexadecimal characters.
    ///   - members: with the owner of the backup, unless the group was left.
    ///   - createdAt: of a group that is added.
    package func settingGroup(
        _ id: String, of creator: ThreemaID, name: String, members: [ThreemaID], createdAt: Timestamp
    ) -> SafeDocument {
        var entries = root["groups"]?.array ?? []
        let place = entries.firstIndex { SafeGroup($0).id.lowercased() == id && SafeGroup($0).creator == creator.text }
        if let place {
            entries[place] = SafeGroup(entries[place]).named(name, members: members).entry
        } else {
            entries.append(
                SafeGroup(id: id, creator: creator, name: name, members: members, createdAt: createdAt).entry)
        }
        return SafeDocument(unchecked: root.setting("groups", to: .array(entries)))
    }

    // MARK: Members

    private func settingContacts(_ entries: [JSONValue]) -> SafeDocument {
        SafeDocument(unchecked: root.setting("contacts", to: .array(entries)))
    }

    private func settingUser(_ name: String, _ value: JSONValue?) -> SafeDocument {
        SafeDocument(unchecked: root.setting("user", to: (root["user"] ?? [:]).setting(name, to: value)))
    }

    /// Desktop refuses settings without `syncContacts`.
    private func settingSettings(_ name: String, _ value: JSONValue) -> SafeDocument {
        let settings = root["settings"] ?? ["syncContacts": false]
        return SafeDocument(unchecked: root.setting("settings", to: settings.setting(name, to: value)))
    }
}
