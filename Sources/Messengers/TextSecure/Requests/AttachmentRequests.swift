internal import Encodings
internal import HTTP
internal import SecureMemory

/// Where to put an attachment.
public struct AttachmentPlace: Equatable, Sendable {
    /// The id, which goes into the message.
    public let id: UInt64
    /// Where the blob is uploaded.
    public let location: AttachmentLocation
}

/// The URL of a blob, on a server that must not get the account's login.
public struct AttachmentLocation: Equatable, Sendable {
    /// Longest URL in bytes.
    public static let maxCount = 4096

    /// The URL: `https://`, at most `maxCount` bytes of printable ASCII. The server chose it.
    public let url: String

    /// - Returns: nil for all but `https://`, a host, and printable ASCII without blanks.
    public init?(_ url: String) {
        let scheme = "https://"
        guard url.utf8.count <= Self.maxCount, url.utf8.starts(with: scheme.utf8),
            url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let first = url.utf8.dropFirst(scheme.utf8.count).first, !"/?#".utf8.contains(first)
        else { return nil }
        self.url = url
    }
}

extension AnswerFields {
    fileprivate func location() throws(ServerError) -> AttachmentLocation {
        guard let location = AttachmentLocation(try text("location")) else { throw .malformed(field: "location") }
        return location
    }
}

extension ServerRequest where Answer == AttachmentPlace {
    /// Asks where to put an attachment.
    public static func attachmentPlace() -> ServerRequest {
        ServerRequest(.get, "/v1/attachments/") { (reply) throws(ServerError) in
            let fields = try AnswerFields(reply)
            return AttachmentPlace(id: try fields.number("id"), location: try fields.location())
        }
    }
}

extension ServerRequest where Answer == AttachmentLocation {
    /// Asks where an attachment is.
    public static func attachment(_ id: UInt64) -> ServerRequest {
        ServerRequest(.get, "/v1/attachments/\(id)") { (reply) throws(ServerError) in
            try AnswerFields(reply).location()
        }
    }
}

extension ServerRequest where Answer == Void {
    /// Uploads a blob, without a login.
    public static func upload(_ blob: [UInt8], to location: AttachmentLocation) -> ServerRequest {
        ServerRequest(
            .put, location.url, isAuthorized: false, contentType: "application/octet-stream",
            body: SecureBytes(copying: blob.span)
        ) { _ in }
    }
}

extension ServerRequest where Answer == [UInt8] {
    /// Downloads a blob, without a login. It is still sealed.
    /// - Parameter limit: longest blob in bytes.
    public static func download(
        _ location: AttachmentLocation, limit: Int = 100 * 1024 * 1024
    ) -> ServerRequest {
        ServerRequest(.get, location.url, isAuthorized: false, maxAnswerCount: limit) { $0.body }
    }
}
