public import AtomicFiles
public import HTTP
internal import SecureMemory
public import ThreemaMessages

// Transfers of files with one buffer of 64 KiB, whatever their length.

extension MediaClient {
    /// Downloads file and thumbnail of a message, and opens them. The file gets its name when all of it is on the disk and
    /// authentic.
    ///
    /// After a message between two people the server is told to delete what was downloaded. Best effort: if that
    /// fails, it deletes them after two weeks. If the process dies, call this again: a blob that was downloaded is not
    /// downloaded a second time.
    /// - Parameters:
    ///   - name: of the new file: not the one that the sender says.
    ///   - directory: one that this account alone can use, with room for file and blob.
    ///   - isInGroup: whether the message came in a group. Others may not have the file yet then.
    ///   - limit: most bytes of the blob.
    /// - Returns: the thumbnail, at most 256 KiB; nil if the message has none, or if it cannot be downloaded and opened.
    /// - Throws: `FileError`: `.exists` if a file has this name, perhaps received before a process died; `MediaFailure`:
    ///   `.http(.bodyTooLong)` for a blob past the limit; `BlobStreamError.notAuthentic` for a blob that does not open. Then
    ///   no file is made.
    public func receive(
        _ message: FileMessage, as name: String, in directory: borrowing Directory, isInGroup: Bool,
        limit: Int = MediaRequest<[UInt8]>.defaultLimit, _ authorization: MediaAuthorization = .none
    ) throws -> [UInt8]? {
        let blob = ".\(message.blobID).download"
        if try directory.contains(name) {
            // A process may have died when the file had its name.
            try? directory.remove(blob)
            throw FileError.exists(path: directory.path(of: name))
        }
        if try !directory.contains(blob) { try download(message.blobID, as: blob, in: directory, limit, authorization) }
        let sealed = message.thumbnail.flatMap { download($0, authorization) }
        do {
            try directory.write(name, existing: .refuse) { output in
                var source = FileSource(file: try directory.inputFile(blob))
                var sink = FileSink(file: output, start: 0)
                _ = try betweenFiles { () throws(BlobStreamError<FileError, FileError>) in
                    try BlobStream(key: message.key).open(&source, into: &sink)
                }
            }
        } catch {
            // Another try downloads it again, unless this is a failure of the disk.
            if !(error is FileError) { try? directory.remove(blob) }
            throw error
        }
        try? directory.remove(blob)
        if !isInGroup {
            // A thumbnail that was not downloaded may be there for another try.
            let thumbnailID = sealed == nil ? nil : message.thumbnail?.blobID
            for id in [message.blobID, thumbnailID].compactMap(\.self) {
                try? ask(.done(id, on: server, authorization))
            }
        }
        guard let sealed else { return nil }
        return try? Blob.open(sealed.span, .thumbnail, key: message.key).revealBytes()
    }

    /// - Returns: the blob; nil after any failure.
    private func download(_ thumbnail: FileMessage.Thumbnail, _ authorization: MediaAuthorization) -> [UInt8]? {
        let limit = FileMessage.maxThumbnailBytes + Blob.overhead
        return try? ask(.download(thumbnail.blobID, from: server, limit: limit, authorization))
    }

    private func download(
        _ blob: BlobID, as name: String, in directory: borrowing Directory, _ limit: Int,
        _ authorization: MediaAuthorization
    ) throws {
        try directory.write(name, existing: .replace) { output in
            let file = Streamed(output)
            try file.ask {
                try ask(
                    .download(blob, from: server, limit: limit, authorization) { piece in
                        file.attempt { try $0.write(piece) } != nil
                    })
            }
        }
    }

    /// Uploads what `SealedFile.seal` has made.
    /// - Parameter file: the ciphertext.
    package func upload(
        _ sealed: SealedFile, _ file: InputFile, persists: Bool, _ authorization: MediaAuthorization
    ) throws -> BlobID {
        let file = Streamed(file)
        let upload = HTTPUpload(count: sealed.count) { offset, buffer in
            file.attempt { try $0.read(into: &buffer, at: offset) }
        }
        return try file.ask {
            try ask(.upload(upload.between(sealed.tag, []), to: server, persists: persists, authorization))
        }
    }
}

extension FileMessage {
    /// Most bytes of a thumbnail.
    package static var maxThumbnailBytes: Int { 256 * 1024 }
}

/// A file that a request reads or writes, on the thread that sends the request.
private final class Streamed<File>: @unchecked Sendable {
    private let file: File
    private var failure: (any Error)?

    init(_ file: File) { self.file = file }

    /// - Returns: nil after a failure.
    func attempt<Result>(_ step: (File) throws -> Result) -> Result? {
        do {
            return try step(file)
        } catch {
            failure = error
            return nil
        }
    }

    /// - Throws: the failure of the file, which has ended the request, rather than that of the request.
    func ask<Answer>(_ request: () throws -> Answer) throws -> Answer {
        do { return try request() } catch { throw failure ?? error }
    }
}
