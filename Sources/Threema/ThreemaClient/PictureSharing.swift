internal import Encodings
internal import SecureMemory
internal import SessionStore
internal import Threema
internal import ThreemaMedia
internal import ThreemaMessages
internal import ThreemaSafe

// The user's picture goes along with messages, as PictureDistribution decides. Nothing is told of a picture until the
// mailbox has taken one over, or that there is none.

extension Mailbox {
    /// Tells a contact of the user's picture along with a message, in its transaction. A picture that has to be uploaded
    /// goes along with a later message: a transaction must not wait for a server.
    func sharePicture(
        with type: MessageType, to contact: Contact, at time: Timestamp, in changes: borrowing Transaction
    ) throws {
        switch try decision(with: type, to: contact.id, at: time) {
        case .nothing, .upload: break
        case .send(let picture):
            _ = try send(.profilePicture(picture), to: contact, id: .random(), at: time, in: changes)
            try changes.set("told", contact.id.bytes, picture.blobID.bytes.span)
        case .delete:
            _ = try send(.profilePicture(nil), to: contact, id: .random(), at: time, in: changes)
            try set(time, "told", contact.id.bytes, in: changes)
        }
    }

    /// Uploads the user's picture if one of these is to be told of it and the last upload is too old. A failure is tried
    /// again after an hour; until then messages go without.
    func uploadPicture(with types: [MessageType], to contacts: [ThreemaID]) throws {
        let time = now()
        guard media != nil, !isWithin(.hours(1), of: failedUpload, time) else { return }
        let isDue = try types.contains { type in
            try contacts.contains { try decision(with: type, to: $0, at: time) == .upload }
        }
        guard isDue, let jpeg = try picture(of: own.id) else { return }
        do {
            let upload = try upload(jpeg)
            try store.transaction { changes in
                try upload.encoded().withBytes { try changes.set("shared", own.id.bytes, $0) }
            }
            failedUpload = nil
        } catch is MediaFailure {
            failedUpload = time
        }
    }

    /// A contact asks for the picture, because it has lost it: it counts as told nothing. One that was revoked gets it
    /// with the first message after it is valid again.
    func shareAgain(with contact: Contact, in changes: borrowing Transaction) throws {
        try changes.remove("told", contact.id.bytes)
        guard try !isRevoked(contact.id) else { return }
        try sharePicture(with: .text, to: contact, at: now(), in: changes)
    }

    /// What a contact is told that could not read an earlier message of the picture.
    /// - Parameter picture: that message, which stands if the mailbox has taken no picture over.
    /// - Returns: nil if the picture has to be uploaded first: it goes along with a later message.
    func current(picture: MessageBody, for contact: ThreemaID) throws -> MessageBody? {
        guard try audience() != nil else { return picture }
        return switch try decision(with: .text, to: contact, told: .nothing, at: now()) {
        case .nothing, .upload: nil
        case .send(let picture): .profilePicture(picture)
        case .delete: .profilePicture(nil)
        }
    }

    func set(_ audience: PictureAudience, in changes: borrowing Transaction) throws {
        let value: [UInt8] =
            switch audience {
            case .nobody: [0]
            case .everyone: [1]
            case .contacts(let ids): [2] + Self.selected(ids).flatMap(\.bytes)
            }
        try changes.set("audience", own.id.bytes, value.span)
    }

    // MARK: Parts

    /// Most contacts that fit into the value of an audience.
    private static let maxSelected = (OpenSessionStore.maxValueBytes - 1) / ThreemaID.count

    /// Each valid ID once, in their order. Those that do not fit into a value are left out: they get no picture.
    private static func selected(_ ids: [String]) -> ArraySlice<ThreemaID> {
        var seen: Set<ThreemaID> = []
        let contacts = ids.compactMap { try? ThreemaID($0) }.filter { seen.insert($0).inserted }
        return contacts.prefix(maxSelected)
    }

    /// - Parameter told: nil for what the contact was told.
    private func decision(
        with type: MessageType, to contact: ThreemaID, told: PictureDistribution.Told? = nil, at time: Timestamp
    ) throws -> PictureDistribution.Decision {
        guard type.distributesProfile, let audience = try audience() else { return .nothing }
        return PictureDistribution.decide(
            with: type, to: contact, hasPicture: try store.contains("picture", own.id.bytes), audience: audience,
            upload: try lastUpload(), told: try told ?? self.told(contact), now: time)
    }

    /// - Returns: nil if the mailbox has taken none over.
    private func audience() throws -> PictureDistribution.Audience? {
        guard let value = try store.read("audience", own.id.bytes) else { return nil }
        return try value.withBytes { bytes in
            guard bytes.count >= 1, let ids = [ThreemaID](decoding: bytes.extracting(1..<bytes.count)) else {
                throw MailboxError.malformedValue(own.id)
            }
            switch bytes[0] {
            case 0 where ids.isEmpty: return .nobody
            case 1 where ids.isEmpty: return .everyone
            case 2: return .selected(Set(ids))
            default: throw MailboxError.malformedValue(own.id)
            }
        }
    }

    private func lastUpload() throws -> UploadedPicture? {
        guard let value = try store.read("shared", own.id.bytes) else { return nil }
        guard let upload = value.withBytes({ UploadedPicture(record: $0) }) else {
            throw MailboxError.malformedValue(own.id)
        }
        return upload
    }

    /// A blob ID of 16 bytes, or the time of a deletion, 8 bytes.
    private func told(_ contact: ThreemaID) throws -> PictureDistribution.Told {
        guard let value = try store.read("told", contact.bytes) else { return .nothing }
        if let time = value.withBytes({ Timestamp(decoding: $0) }) { return .deletion(time) }
        guard value.count == BlobID.count else { throw MailboxError.malformedValue(own.id) }
        return .picture(BlobID(value.withBytes { $0.revealBytes() }))
    }
}
