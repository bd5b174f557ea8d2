internal import Encodings
internal import SessionStore
internal import Threema
internal import ThreemaMessages
public import ThreemaSafe

// The groups of a Safe backup.

extension Mailbox {
    /// A Safe document with the groups of this mailbox.
    ///
    /// Entries of other groups stay, and so do fields that a mailbox does not know.
    /// - Throws: what ``groups()`` throws.
    public func handOverGroups(to document: SafeDocument) throws -> SafeDocument {
        var document = document
        for group in try groups() {
            let members = group.others + (group.standing == .member ? [own.id] : [])
            // A creator can send a NUL, which no Safe document may have.
            document = document.settingGroup(
                group.identity.id.description, of: group.identity.creator, name: group.name.filter { $0 != "\0" },
                members: members, createdAt: now())
        }
        return document
    }

    /// Adds the groups of a Safe document. Groups that the mailbox has stay as they are, and entries that name no group,
    /// or one with more members or a longer name than a message can tell of, are left out.
    /// - Throws: `.malformedValue`, `SessionStoreError`. Then none is added.
    public func takeOverGroups(of document: SafeDocument) throws {
        try store.transaction { changes in
            for group in document.groups.compactMap({ Group($0, own: own.id) })
            where try self.group(group.identity) == nil { try store(group, in: changes) }
        }
    }
}

extension Group {
    /// - Returns: nil for a group that was deleted, whose IDs are invalid, or that is too large for messages: what answers
    ///   a member's request could not be sealed, so the request would never be received.
    fileprivate init?(_ entry: SafeGroup, own: ThreemaID) {
        guard !entry.isDeleted, let creator = try? ThreemaID(entry.creator), let id = Hex.decode(entry.id),
            id.count == GroupID.count,
            entry.name.utf8.count <= (creator == own ? MessageLimits.textBytes : MessageLimits.bodyBytes)
        else { return nil }
        let members = Set(entry.members.compactMap { try? ThreemaID($0) })
        guard members.union([own, creator]).count <= MessageLimits.groupMembers else { return nil }
        // Without its creator a group is over: nobody says any more who is in it.
        let isMember = members.contains(own) && members.contains(creator)
        self.init(
            identity: GroupIdentity(creator: creator, id: GroupID(id)), others: Array(members.subtracting([own])),
            name: entry.name, standing: isMember ? .member : .left)
    }
}
