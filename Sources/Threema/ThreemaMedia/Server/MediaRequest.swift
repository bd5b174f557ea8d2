public import HTTP
internal import SecureMemory
public import ThreemaMessages

/// A request to a media server. Blobs are in memory as a whole; `BlobStream` seals and opens larger files, and
/// `BlobForm` tells how to send them with an HTTP client that streams.
public typealias MediaRequest<Answer> = ServiceRequest<Answer, MediaError>

/// Why a request to a media server has no answer.
public typealias MediaFailure = ServiceFailure<MediaError>

extension ServiceRequest where Answer == BlobID, Failure == MediaError {
    /// Uploads a blob. After a failure of the connection it may be on the server, but nobody knows its ID: seal and
    /// upload the file again.
    /// - Parameters:
    ///   - blob: sealed by `Blob` or `BlobStream`. It is copied into the request.
    ///   - persists: whether it stays for two weeks: blobs for groups, and pictures of people and groups. Any other
    ///     blob is deleted when its receiver has told the server by `done`.
    /// - Throws: `.badToken`.
    public static func upload(
        _ blob: [UInt8], to server: MediaServer, persists: Bool, _ authorization: MediaAuthorization = .none
    ) throws(MediaError) -> Self {
        try upload(to: server, persists: persists, authorization, body: BlobForm.beginning + blob + BlobForm.end)
    }

    /// Uploads a blob that is read while it is sent.
    package static func upload(
        _ blob: HTTPUpload, to server: MediaServer, persists: Bool, _ authorization: MediaAuthorization
    ) throws(MediaError) -> Self {
        let form = blob.between(BlobForm.beginning, BlobForm.end)
        return try upload(to: server, persists: persists, authorization, upload: form)
    }

    private static func upload(
        to server: MediaServer, persists: Bool, _ authorization: MediaAuthorization, body: [UInt8]? = nil,
        upload: HTTPUpload? = nil
    ) throws(MediaError) -> Self {
        let request = HTTPRequest(
            .post, "upload?persist=\(persists ? 1 : 0)", headers: try authorization.headers() + [BlobForm.contentType],
            body: body, limit: 1024, timeouts: MediaClient.timeouts(for: upload?.count ?? 0), upload: upload)
        return Self(request, base: server.uploadURL) { (response) throws(MediaError) in
            // A line may end behind it.
            let text = String(decoding: response.body, as: UTF8.self).split { $0.isWhitespace }
            guard text.count == 1, let id = BlobID(hex: String(text[0])) else { throw .malformed }
            return id
        }
    }
}

extension ServiceRequest where Answer == [UInt8], Failure == MediaError {
    /// Longest blob that is downloaded unless the caller names another limit, in bytes.
    public static var defaultLimit: Int { 100 * 1024 * 1024 + Blob.overhead }

    /// Downloads a blob, which is still sealed.
    /// - Parameter limit: longest blob, in bytes.
    /// - Throws: `.badToken`.
    public static func download(
        _ blob: BlobID, from server: MediaServer, limit: Int = defaultLimit,
        _ authorization: MediaAuthorization = .none
    ) throws(MediaError) -> Self {
        let request = HTTPRequest(
            .get, "\(blob)", headers: try authorization.headers(), limit: limit, timeouts: MediaClient.timeouts)
        return Self(request, base: server.url(of: blob)) { $0.body }
    }
}

extension ServiceRequest where Answer == Void, Failure == MediaError {
    /// Downloads a blob piece by piece.
    /// - Parameter limit: longest blob, in bytes.
    package static func download(
        _ blob: BlobID, from server: MediaServer, limit: Int, _ authorization: MediaAuthorization,
        to download: @escaping HTTPDownload
    ) throws(MediaError) -> Self {
        let request = HTTPRequest(
            .get, "\(blob)", headers: try authorization.headers(), limit: limit,
            timeouts: MediaClient.timeouts(for: limit), download: download)
        return Self(request, base: server.url(of: blob)) { _ in }
    }

    /// Tells the server that the receiver has a blob, and stored it. The server deletes it unless it persists. Send it
    /// for a message between two people only: other members of a group may not have the blob yet.
    /// - Throws: `.badToken`.
    public static func done(
        _ blob: BlobID, on server: MediaServer, _ authorization: MediaAuthorization = .none
    ) throws(MediaError) -> Self {
        let request = HTTPRequest(
            .post, "\(blob)/done", headers: try authorization.headers(), body: [], limit: 1024,
            timeouts: MediaClient.timeouts)
        return Self(request, base: server.url(of: blob)) { _ in }
    }
}

/// What a media server wants to see before it takes or gives a blob.
public enum MediaAuthorization: Sendable {
    /// Nothing.
    case none
    /// `Authorization: ThreemaBlobToken TOKEN`, with a token of the directory (`identity/blob_cred`).
    case blobToken(EnclosedBytes)
    /// `Authorization: Token TOKEN`, of a server that a company runs itself.
    case token(EnclosedBytes)

    /// - Throws: `.badToken` for a token with other characters than printable ASCII, or without any.
    func headers() throws(MediaError) -> [String] {
        switch self {
        case .none: []
        case .blobToken(let token): ["Authorization: ThreemaBlobToken " + (try Self.text(token))]
        case .token(let token): ["Authorization: Token " + (try Self.text(token))]
        }
    }

    private static func text(_ token: EnclosedBytes) throws(MediaError) -> String {
        let bytes = token.bytes.revealBytes()
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .badToken }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Why a media server's response is not an answer, or a request cannot be made.
public enum MediaError: ServiceError {
    /// The token has other characters than printable ASCII, or none.
    case badToken
    /// Status 401.
    case unauthorized
    /// Status 404: there is no such blob, or not any more.
    case unknownBlob
    /// Any other status.
    case unexpectedStatus(Int)
    /// The body is longer than the request's limit, in bytes.
    case tooLong(limit: Int)
    /// The answer to an upload is not an ID.
    case malformed

    /// `.unauthorized` for status 401, `.unknownBlob` for 404, `.unexpectedStatus` for any other except 200 and 204.
    public static func meaning(of response: HTTPResponse) -> MediaError? {
        switch response.status {
        case 200, 204: nil
        case 401: .unauthorized
        case 404: .unknownBlob
        default: .unexpectedStatus(response.status)
        }
    }
}
