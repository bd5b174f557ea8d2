internal import Encodings
public import Threema

/// What an Android phone does with a document that it restores, as far as the document alone tells.
///
/// It also asks the directory for the keys, and drops a contact that the directory does not know.
public struct RestorePreview: Equatable, Sendable {
    /// Whether `contacts` is missing. Then groups and distribution lists are not restored either.
    public let isWithoutContacts: Bool
    /// Whether `settings` is missing. Android restores the rest; the Desktop app refuses the document.
    public let isWithoutSettings: Bool
    /// Whether the ID becomes the nickname, because there is none.
    public let isIDNickname: Bool
    /// Contacts that are skipped, because theirs is not a valid ID.
    public let skippedContacts: [SafeContact]
    /// Contacts of level 2 or 3 that fall to level 1. Only level 3 stays, and only if the document has the key.
    public let loweredContacts: [SafeContact]
    /// Groups that are not restored.
    public let skippedGroups: [SkippedGroup]
    /// Groups that are restored, but of which one is no longer a member.
    public let formerGroups: [SafeGroup]
    /// Distribution lists that are not restored, because `contacts` is missing.
    public let skippedLists: [SafeDistributionList]
    /// Distribution lists that get a new ID, because theirs has not 16 characters.
    public let renumberedLists: [SafeDistributionList]
    /// IDs in `profilePicRelease` that are dropped, because they have not 8 characters.
    public let droppedPictureViewers: [String]

    /// A group that is not restored, and why.
    public struct SkippedGroup: Equatable, Sendable {
        /// The group that is not restored.
        public let group: SafeGroup
        /// Why the group is not restored.
        public let reason: Reason

        /// Why a group is skipped.
        public enum Reason: Equatable, Sendable {
            /// The document has no `contacts`.
            case noContacts
            /// Marked as deleted.
            case isDeleted
            /// Its creator is neither among the restored contacts nor the owner.
            case noCreator
        }
    }

    /// - Parameters:
    ///   - document: the document in a backup.
    ///   - owner: the ID that is restored. The document does not name it.
    public init(of document: SafeDocument, owner: ThreemaID) {
        var known: Set<String> = [owner.text]
        var skipped: [SafeContact] = []
        var lowered: [SafeContact] = []
        for contact in document.contacts {
            guard contact.id != nil else {
                skipped.append(contact)
                continue
            }
            known.insert(contact.identity)
            let isKept = contact.level == .fullyVerified && contact.publicKey != nil
            if contact.level > .unverified && !isKept { lowered.append(contact) }
        }
        isWithoutContacts = document.root["contacts"] == nil
        isWithoutSettings = document.root["settings"] == nil
        isIDNickname = (document.nickname ?? "").isEmpty
        (skippedContacts, loweredContacts) = (skipped, lowered)
        let reasons = document.groups.map { group -> SkippedGroup.Reason? in
            if document.root["contacts"] == nil { return .noContacts }
            if group.isDeleted { return .isDeleted }
            return known.contains(group.creator) ? nil : .noCreator
        }
        let groups = zip(document.groups, reasons)
        skippedGroups = groups.compactMap { group, reason in reason.map { SkippedGroup(group: group, reason: $0) } }
        formerGroups = groups.compactMap { group, reason in
            // The user left it, or is a member of a group whose creator has left, and counts as removed.
            let isMember = group.members.contains(owner.text)
            let hasCreator = group.creator == owner.text || group.members.contains(group.creator)
            return reason == nil && (!isMember || !hasCreator) ? group : nil
        }
        let lists = document.distributionLists
        skippedLists = isWithoutContacts ? lists : []
        renumberedLists = isWithoutContacts ? [] : lists.filter { $0.id.map { $0.utf16.count != 16 } ?? false }
        if case .contacts(let ids) = document.pictureAudience {
            droppedPictureViewers = ids.filter { $0.utf16.count != ThreemaID.count }
        } else {
            droppedPictureViewers = []
        }
    }
}
