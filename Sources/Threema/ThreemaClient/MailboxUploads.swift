public import AtomicFiles
internal import Encodings
internal import SecureMemory
internal import SessionStore
internal import Threema
public import ThreemaMedia
public import ThreemaMessages

// Files on their way to the media server. Each step that the server has answered is stored before the next one: the key
// before the upload, the blob's ID when the server has given it. The message is sealed in the transaction that forgets the
// upload. So a process that dies uploads nothing twice but the blob that was on its way.

/// What receivers are told about a file.
public struct OutgoingFile: Sendable {
    /// The MIME type, such as `image/png`.
    public var mediaType: String
    /// A file name without directories, at most 256 bytes; nil for none.
    public var name: String?
    /// Text to show below the file: at most 6000 bytes; nil for none.
    public var caption: String?
    /// A small picture of the file, a JPEG of at most 256 KiB; nil for none.
    public var thumbnail: [UInt8]?
    /// How the file is shown.
    public var rendering: FileMessage.Rendering

    /// Puts the parts together.
    public init(
        mediaType: String, name: String? = nil, caption: String? = nil, thumbnail: [UInt8]? = nil,
        rendering: FileMessage.Rendering = .file
    ) {
        self.mediaType = mediaType
        self.name = name
        self.caption = caption
        self.thumbnail = thumbnail
        self.rendering = rendering
    }
}

/// Where files go, and where their sealed copies are until then.
public struct UploadPlace: ~Copyable {
    let media: MediaClient
    let directory: Directory
    let authorization: MediaAuthorization

    /// - Parameters:
    ///   - media: asks the media server.
    ///   - directory: opened with the rule `.secret`. It needs room for a copy of each file that is on its way.
    ///   - authorization: for a company's server that asks for it.
    public init(
        _ media: MediaClient, copiesIn directory: consuming Directory, _ authorization: MediaAuthorization = .none
    ) {
        self.media = media
        self.directory = directory
        self.authorization = authorization
    }
}

extension Mailbox {
    /// The messages whose files are not uploaded yet, in no particular order.
    /// - Throws: `.malformedValue` if one of them does not open; `SessionStoreError`.
    func uploads() throws -> [MessageID] {
        var messages: [MessageID] = []
        try store.forEach("upload") { name, _ in
            guard let name, name.count == MessageID.count else { throw MailboxError.malformedValue(own.id) }
            messages.append(MessageID(bytes: name.span))
        }
        return messages
    }

    /// Forgets a file that was to be sent, and its message. An unknown message changes nothing.
    /// - Throws: `SessionStoreError`; `FileError`, and then ``MessageClient/continueUploads(at:)`` removes the copy.
    public func discardUpload(_ message: MessageID, from place: borrowing UploadPlace) throws {
        try store.transaction { try $0.remove("upload", message.bytes) }
        try place.directory.remove(copyName(message))
    }

    /// Seals a copy of a file, and stores what will be sent of it. If that was done for this message, nothing changes.
    ///
    /// Before that it uploads the user's picture, if that has to go along with the message.
    /// - Parameter group: nil for a message to one person.
    /// - Returns: the receivers that no search finds, those that were revoked, and those of a group whose value or record of
    ///   sessions is damaged.
    /// - Throws: `.unknownContact` or `.revokedContact` if that is all of them.
    func beginUpload(
        _ file: InputFile, as outgoing: OutgoingFile, _ id: MessageID, to receivers: [ThreemaID],
        in group: GroupIdentity?, at place: borrowing UploadPlace
    ) throws -> [ThreemaID] {
        guard try !store.contains("upload", id.bytes) else { return [] }
        try refreshStates()
        let members = try receivers.compactMap { try group == nil ? find($0) : readable($0, find) }.filter {
            try !isRevoked($0.id)
        }
        if let first = receivers.first, members.isEmpty {
            throw try isRevoked(first) ? MailboxError.revokedContact(first) : .unknownContact(first)
        }
        let thumbnail = outgoing.thumbnail ?? []
        let limit = FileMessage.maxThumbnailBytes
        guard thumbnail.count <= limit else {
            throw MessageBodyError.tooLong(limit: limit, actual: thumbnail.count)
        }
        var message = FileMessage(
            blobID: Upload.noBlob, key: .random(), mediaType: outgoing.mediaType, size: Int64(file.count),
            name: outgoing.name, caption: outgoing.caption,
            thumbnail: thumbnail.isEmpty ? nil : .init(blobID: Upload.noBlob), rendering: outgoing.rendering)
        func upload(_ tag: [UInt8]) -> Upload {
            Upload(message, thumbnail: thumbnail, tag: tag, to: members.map(\.id), in: group)
        }
        // What is too long is refused before the work.
        _ = try upload([]).encoded()
        try uploadPicture(with: [upload([]).body.innerType], to: members.map(\.id))
        let sealed = try SealedFile.seal(file, key: message.key, as: copyName(id), in: place.directory)
        message.size = Int64(sealed.count)
        try store.transaction { changes in
            for member in members { try add(member, in: changes) }
            try set(upload(sealed.tag), id, in: changes)
        }
        return receivers.filter { receiver in !members.contains { $0.id == receiver } }
    }

    /// Uploads what the server does not have yet, and puts the message into the outbox. If nobody is left in the group who
    /// would get it, forgets both.
    /// - Returns: the receivers that were revoked, are not in the group any more, or whose value or record of sessions is
    ///   damaged.
    /// - Throws: `.revokedContact` for a message to one person; `MediaFailure`; `FileError`; what sealing throws. Then the
    ///   rest of the work waits.
    @discardableResult
    func finishUpload(_ id: MessageID, at place: borrowing UploadPlace) throws -> [ThreemaID] {
        guard let value = try store.read("upload", id.bytes) else { return [] }
        guard var upload = value.withBytes({ Upload(decoding: $0) }) else { throw MailboxError.malformedValue(own.id) }
        // A group is told without the revoked ones. A message to one person has no other receiver.
        for receiver in upload.receivers where try upload.group == nil && isRevoked(receiver) {
            throw MailboxError.revokedContact(receiver)
        }
        let receivers = try present(upload)
        guard !receivers.isEmpty else {
            try discardUpload(id, from: place)
            return upload.receivers
        }
        let (media, persists) = (place.media, upload.group != nil)
        if upload.message.thumbnail != nil, !upload.hasThumbnail {
            let blob = Blob.seal(upload.thumbnail.span, .thumbnail, key: upload.message.key)
            upload.uploadedThumbnail(
                try media.ask(.upload(blob, to: media.server, persists: persists, place.authorization)))
            try store.transaction { try set(upload, id, in: $0) }
        }
        if !upload.hasFile {
            let file = try place.directory.inputFile(copyName(id))
            guard file.count == upload.message.size else { throw MailboxError.malformedValue(own.id) }
            let sealed = SealedFile(tag: upload.tag, count: file.count)
            upload.uploadedFile(try media.upload(sealed, file, persists: persists, place.authorization))
            try store.transaction { try set(upload, id, in: $0) }
        }
        let sending = GroupSending(id: id, body: upload.body, receivers: receivers)
        let unknown = try store.transaction { changes in
            try changes.remove("upload", id.bytes)
            guard upload.group == nil, let receiver = receivers.first else { return try send([sending], in: changes) }
            try send(upload.body, to: receiver, id: id, in: changes)
            return []
        }
        // One that stays is swept.
        try? place.directory.remove(copyName(id))
        return unknown + upload.receivers.filter { !receivers.contains($0) }
    }

    /// The receivers, without those who have left the group since the upload began. The user may have left it, too.
    private func present(_ upload: Upload) throws -> [ThreemaID] {
        guard let group = try upload.group.flatMap({ try group($0) }) else { return upload.receivers }
        return group.standing == .member ? upload.receivers.filter { group.others.contains($0) } : []
    }

    /// Removes copies whose upload was not stored, or is over: a process has died.
    func sweepCopies(in place: borrowing UploadPlace) throws {
        let wanted = Set(try uploads().map(copyName))
        let prefix = ".\(own.id)-"
        for name in try place.directory.everyName()
        where name.hasPrefix(prefix) && name.hasSuffix(Self.copySuffix) && !wanted.contains(name) {
            try place.directory.remove(name)
        }
    }

    func set(_ upload: Upload, _ id: MessageID, in changes: borrowing Transaction) throws {
        try upload.encoded().withBytes { try changes.set("upload", id.bytes, $0) }
    }

    func copyName(_ id: MessageID) -> String { ".\(own.id)-\(id)\(Self.copySuffix)" }

    private static let copySuffix = ".upload"
}
