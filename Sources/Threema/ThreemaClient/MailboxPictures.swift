internal import Encodings
internal import SecureMemory
internal import SessionStore
public import Threema
internal import ThreemaMedia
public import ThreemaMessages
public import ThreemaSafe

// The pictures of contacts, groups and the user. PictureSharing sends the user's along with messages.
//
// A picture that a message names is stored as one that has to be downloaded, in the transaction of the message.

extension Mailbox {
    /// Takes the user's picture, and who may see it, from a Safe document. From then on it goes along with messages, or
    /// contacts are told that there is none.
    ///
    /// A picture of more than 512 KiB counts as none. Of selected contacts, the first 131,071 are stored; the others do
    /// not get the picture.
    /// - Throws: `SessionStoreError`. Then nothing has changed.
    public func takeOverPicture(of document: SafeDocument) throws {
        let picture = document.picture.flatMap { $0.count <= ProfilePicture.maxBytes ? $0 : nil }
        let before = try self.picture(of: own.id)
        try store.transaction { changes in
            try set(document.pictureAudience, in: changes)
            guard picture != before else { return }
            try changes.remove("shared", own.id.bytes)
            try set(picture, named: own.id.bytes, in: changes)
        }
    }

    /// The picture of a contact, JPEG as the contact has sent it, or the user's own; nil if there is none, or if it was
    /// not fetched yet.
    /// - Throws: `SessionStoreError`.
    public func picture(of contact: ThreemaID) throws -> [UInt8]? { try picture(contact.bytes) }

    /// The picture of a group, JPEG as its creator has sent it; nil if there is none, or if it was not fetched yet.
    /// - Throws: `SessionStoreError`.
    public func picture(of group: GroupIdentity) throws -> [UInt8]? { try picture(group.bytes) }

    /// Gives a group of the user a picture, or takes it away, and tells the members.
    /// - Parameters:
    ///   - picture: nil to take it away.
    ///   - group: as ``group(_:)`` has it now.
    /// - Throws: `GroupChangeError`; `.noMediaServer`, `MediaFailure`; as ``make(_:)`` does. Then nothing has changed.
    public func setPicture(_ picture: ProfilePicture?, of group: Group) throws {
        let rules = GroupRules(own: own.id)
        // Refuses before it uploads.
        _ = try rules.setPicture(group, to: nil, ids: .random())
        let change = try rules.setPicture(group, to: picture.map { try upload($0.jpeg) }, ids: .random())
        try make(change) { try set(picture?.jpeg, named: group.identity.bytes, in: $0) }
    }

    /// Asks all contacts for their pictures, as the apps do after a restore. Revoked ones are not asked, nor those whose
    /// value or record of sessions is damaged.
    /// - Throws: as ``send(_:to:id:)`` does. Then the contacts before that one are asked.
    public func requestPictures() throws {
        try refreshStates()
        for contact in try contacts() where !contact.id.text.hasPrefix("*") && contact.id.text != "ECHOECHO" {
            guard try !isRevoked(contact.id), try hasReadableSessions(with: contact.id) else { continue }
            try send(.requestProfilePicture, to: contact.id)
        }
    }

    /// Downloads the pictures that messages have named, and uploads again those of the user's groups that members have to
    /// be told of. Call it after messages were received, and after a connection was made.
    ///
    /// A picture that is gone, altered or longer than 512 KiB is given up. Without ``media`` nothing happens.
    /// - Throws: `MediaFailure` of the first request that may succeed later; as ``make(_:)`` does. A picture that the server
    ///   refuses does not hold up the others; without a connection all wait for the next call.
    public func fetchPictures() throws {
        guard let media else { return }
        var refused: MediaFailure?
        for (name, message) in try wanted() {
            let jpeg: [UInt8]?
            do throws(MediaFailure) {
                jpeg = try media.picture(message, most: ProfilePicture.maxBytes)
            } catch {
                guard error.isRefusal else { throw error }
                refused = refused ?? error
                continue
            }
            try store.transaction { changes in
                try changes.remove("wanted", name)
                if let jpeg { try set(jpeg, named: name, in: changes) }
            }
        }
        for renewal in try renewals() { try renew(renewal) }
        if let refused { throw refused }
    }

    // MARK: Parts

    /// Stores a picture, or removes it.
    private func set(_ jpeg: [UInt8]?, named name: [UInt8], in changes: borrowing Transaction) throws {
        if let jpeg { try changes.set("picture", name, jpeg.span) } else { try changes.remove("picture", name) }
    }

    private func picture(_ name: [UInt8]) throws -> [UInt8]? {
        try store.read("picture", name)?.withBytes { $0.revealBytes() }
    }

    /// What a message says of a picture: it has to be downloaded, or there is none any more.
    func want(_ picture: PictureMessage?, named name: [UInt8], in changes: borrowing Transaction) throws {
        guard let picture else {
            try changes.remove("wanted", name)
            return try changes.remove("picture", name)
        }
        try picture.encoded().withBytes { try changes.set("wanted", name, $0) }
    }

    private func wanted() throws -> [([UInt8], PictureMessage)] {
        var wanted: [([UInt8], PictureMessage)] = []
        try store.forEach("wanted") { name, record in
            guard let name, let message = try? PictureMessage(decoding: record) else {
                throw MailboxError.malformedValue(own.id)
            }
            wanted.append((name, message))
        }
        return wanted
    }

    func upload(_ jpeg: [UInt8]) throws -> UploadedPicture {
        guard let media else { throw MailboxError.noMediaServer }
        return UploadedPicture(message: try media.upload(picture: jpeg), uploadedAt: now())
    }

    // MARK: Renewals

    func note(_ renewal: PictureRenewal, in changes: borrowing Transaction) throws {
        let receivers = renewal.receivers.flatMap(\.bytes)
        try changes.set("renewal", renewal.name, receivers.span)
    }

    private func renewals() throws -> [PictureRenewal] {
        var renewals: [PictureRenewal] = []
        try store.forEach("renewal") { name, receivers in
            guard let name, let renewal = PictureRenewal(name, receivers) else {
                throw MailboxError.malformedValue(own.id)
            }
            renewals.append(renewal)
        }
        return renewals
    }

    private func renew(_ renewal: PictureRenewal) throws {
        let forget = { (changes: borrowing Transaction) in try changes.remove("renewal", renewal.name) }
        // The picture may be gone in the meantime, and the group over.
        guard let group = try group(renewal.group), group.picture != nil, group.standing == .member,
            let jpeg = try picture(of: renewal.group)
        else { return try store.transaction(forget) }
        let current = group.picture.flatMap { $0.isCurrent(at: now()) ? $0 : nil }
        let change = try GroupRules(own: own.id).renewPicture(renewal, of: group, to: current ?? upload(jpeg))
        try make(change, and: forget)
    }
}

// A renewal in the store: its name is creator ‖ group ID ‖ message ID, 24 bytes, its value the receivers.

extension PictureRenewal {
    fileprivate var name: [UInt8] { group.bytes + messageID.bytes }

    fileprivate init?(_ name: [UInt8], _ receivers: Span<UInt8>) {
        guard name.count == GroupIdentity.count + MessageID.count,
            let group = try? GroupIdentity(decoding: name.span), let ids = [ThreemaID](decoding: receivers)
        else { return nil }
        let messageID = MessageID(bytes: name.span.extracting(GroupIdentity.count..<name.count))
        self.init(group: group, messageID: messageID, receivers: ids)
    }
}
