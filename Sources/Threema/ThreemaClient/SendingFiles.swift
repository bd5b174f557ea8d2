public import AtomicFiles
public import Threema
public import ThreemaMessages

extension MessageClient {
    /// Uploads a file with its thumbnail, and sends the message that refers to them. Nothing is received meanwhile.
    ///
    /// If the process dies, or the media server does not answer, ``continueUploads(at:)`` goes on where this has ended.
    /// - Parameters:
    ///   - file: of any length. It is sealed into a copy first, 64 KiB at a time.
    ///   - id: of the message. If a file of this ID waits to be uploaded, that one is sent.
    /// - Throws: `.connectionOver`, `.unknownContact`, what the search throws, and `MessageBodyError.tooLong` for name,
    ///   caption or thumbnail: then nothing is stored. `.revokedContact`, `FileError`, `SessionStoreError`, `RecordError`,
    ///   `MediaFailure`, `ChatSessionError`: if the upload was stored before, the rest of the work waits.
    public func send(
        _ file: InputFile, as outgoing: OutgoingFile, to contact: ThreemaID, id: MessageID = .random(),
        at place: borrowing UploadPlace
    ) throws {
        _ = try send(file, outgoing, to: [contact], in: nil, id, place)
    }

    /// Uploads a file with its thumbnail for the members of a group, and sends the message that refers to them.
    /// - Returns: the members that no search finds, those that were revoked, and those whose value or record of sessions is
    ///   damaged. They are told nothing.
    /// - Throws: as ``send(_:as:to:id:at:)``; `GroupChangeError.left`.
    @discardableResult
    public func send(
        _ file: InputFile, as outgoing: OutgoingFile, to group: Group, id: MessageID = .random(),
        at place: borrowing UploadPlace
    ) throws -> [ThreemaID] {
        guard group.standing == .member else { throw GroupChangeError.left }
        guard !group.others.isEmpty else { return [] }
        return try send(file, outgoing, to: group.others, in: group.identity, id, place)
    }

    private func send(
        _ file: InputFile, _ outgoing: OutgoingFile, to receivers: [ThreemaID], in group: GroupIdentity?,
        _ id: MessageID, _ place: borrowing UploadPlace
    ) throws -> [ThreemaID] {
        try sendingOutbox {
            let unknown = try mailbox.beginUpload(file, as: outgoing, id, to: receivers, in: group, at: place)
            return try unknown + mailbox.finishUpload(id, at: place)
        }
    }

    /// Uploads the rest of the files that were to be sent, and sends their messages.
    /// - Returns: why an upload has failed again. It stays: try later, or give up with
    ///   ``Mailbox/discardUpload(_:from:)``.
    /// - Throws: `.connectionOver`; `ChatSessionError`, and then the messages stay in the outbox; `.malformedValue`,
    ///   `SessionStoreError`, `FileError`: then nothing was uploaded.
    @discardableResult
    public func continueUploads(at place: borrowing UploadPlace) throws -> [MessageID: any Error] {
        try sendingOutbox {
            try mailbox.sweepCopies(in: place)
            var failures: [MessageID: any Error] = [:]
            for id in try mailbox.uploads() {
                do { try mailbox.finishUpload(id, at: place) } catch { failures[id] = error }
            }
            return failures
        }
    }
}
