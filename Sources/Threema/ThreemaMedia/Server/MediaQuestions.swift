public import ThreemaMessages

extension MediaQuestion where Answer == BlobID {
    /// Uploads a blob. After a failure of the connection it may be on the server, but nobody knows its ID: seal and
    /// upload the file again.
    /// - Parameters:
    ///   - blob: sealed by `Blob` or `BlobStream`. It is copied into the request.
    ///   - persists: whether it stays for two weeks: blobs for groups, and pictures of people and groups. Any other
    ///     blob is deleted when its receiver has told the server by `done`.
    /// - Throws: `.badToken`.
    public static func upload(
        _ blob: [UInt8], to server: MediaServer, persists: Bool, _ authorization: MediaAuthorization = .none
    ) throws(MediaError) -> MediaQuestion {
        let request = MediaRequest(
            method: .post, base: server.uploadURL, path: "upload?persist=\(persists ? 1 : 0)",
            headers: try authorization.headers() + [BlobForm.contentType],
            body: BlobForm.beginning + blob + BlobForm.end, maxAnswerBytes: 1024)
        return MediaQuestion(request) { (reply) throws(MediaError) in
            // A line may end behind it.
            let text = String(decoding: reply.body, as: UTF8.self).split { $0.isWhitespace }
            guard text.count == 1, let id = BlobID(hex: String(text[0])) else { throw .malformed }
            return id
        }
    }
}

extension MediaQuestion where Answer == [UInt8] {
    /// Longest blob that is downloaded unless the caller names another limit, in bytes.
    public static var defaultLimit: Int { 100 * 1024 * 1024 + Blob.overhead }

    /// Downloads a blob, which is still sealed.
    /// - Parameter limit: longest blob, in bytes.
    /// - Throws: `.badToken`.
    public static func download(
        _ blob: BlobID, from server: MediaServer, limit: Int = defaultLimit,
        _ authorization: MediaAuthorization = .none
    ) throws(MediaError) -> MediaQuestion {
        let request = MediaRequest(
            method: .get, base: server.url(of: blob), path: "\(blob)", headers: try authorization.headers(), body: nil,
            maxAnswerBytes: limit)
        return MediaQuestion(request) { $0.body }
    }
}

extension MediaQuestion where Answer == Void {
    /// Tells the server that the receiver has a blob, and stored it. The server deletes it unless it persists. Send it
    /// for a message between two people only: other members of a group may not have the blob yet.
    /// - Throws: `.badToken`.
    public static func done(
        _ blob: BlobID, on server: MediaServer, _ authorization: MediaAuthorization = .none
    ) throws(MediaError) -> MediaQuestion {
        let request = MediaRequest(
            method: .post, base: server.url(of: blob), path: "\(blob)/done", headers: try authorization.headers(),
            body: [], maxAnswerBytes: 1024)
        return MediaQuestion(request) { _ in }
    }
}
