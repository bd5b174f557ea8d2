public import HTTP
internal import SecureMemory
internal import ThreemaMessages

// Where a media server keeps blobs; ID is 32 lower-case hexadecimal digits, P the first two of them:
//
//     POST https://blobp-upload.threema.ch/upload?persist=0|1     answer: the ID
//     GET  https://blobp-P.threema.ch/ID                          answer: the blob
//     POST https://blobp-P.threema.ch/ID/done                     deletes a blob that does not persist
//
// With the names ds-blobp-…, the servers have IPv6, too.

/// A media server: where blobs are uploaded and downloaded, and which certificates and keys to trust there.
public struct MediaServer: Equatable, Sendable {
    /// The servers of the messenger.
    public static let threema = MediaServer(
        proven: "https://blobp-upload.threema.ch/", "https://blobp-\(prefixMark).threema.ch/")
    /// The servers of the messenger, which have IPv6, too.
    public static let threemaDualStack = MediaServer(
        proven: "https://ds-blobp-upload.threema.ch/", "https://ds-blobp-\(prefixMark).threema.ch/")

    /// Stands in `downloadURL` for the first two digits of a blob's ID.
    public static let prefixMark = "{blobIdPrefix}"
    /// Longest URL, in bytes.
    public static let maxURLBytes = 4096

    /// `https://HOST[:PORT]/PATH/`, to which `upload` is appended.
    public let uploadURL: String
    /// `https://HOST[:PORT]/PATH/`, to which the ID of a blob is appended. It may contain `prefixMark`.
    public let downloadURL: String
    /// Certificates in PEM to trust instead of the system's; nil for the system's.
    public let authority: [UInt8]?
    /// SHA-256 over the public keys of which the server must show one; empty for any. They add to the checks of the
    /// certificate.
    public let pins: [PublicKeyPin]

    private init(proven uploadURL: String, _ downloadURL: String) {
        self.uploadURL = uploadURL
        self.downloadURL = downloadURL
        authority = nil
        pins = []
    }

    /// A server that a company runs itself. A slash at the end of a URL may be missing.
    /// - Throws: `.badURL` for another scheme than `https`, a login, a query, a fragment, or characters that a URL cannot
    ///   have.
    public init(
        uploadURL: String, downloadURL: String, authority: [UInt8]? = nil, pins: [PublicKeyPin] = []
    ) throws(MediaServerError) {
        self.uploadURL = try Self.normal(uploadURL, isTemplate: false)
        self.downloadURL = try Self.normal(downloadURL, isTemplate: true)
        self.authority = authority
        self.pins = pins
    }

    private static func normal(_ url: String, isTemplate: Bool) throws(MediaServerError) -> String {
        // Any two digits show if the rest is a URL.
        let whole = isTemplate ? url.replacing(prefixMark, with: "00") : url
        guard whole.utf8.count < maxURLBytes, HTTPOrigin(url: whole) != nil, whole.hasPrefix("https://"),
            HTTPOrigin.hasURLCharacters(whole, without: "?#@")
        else { throw .badURL }
        return url.hasSuffix("/") ? url : url + "/"
    }

    /// The URL to which the paths of a blob's requests are appended.
    func url(of blob: BlobID) -> String {
        downloadURL.replacing(Self.prefixMark, with: "\(blob)".prefix(2))
    }

    /// The endpoint of a request.
    /// - Parameter base: as in `MediaRequest`.
    package func endpoint(_ base: String) -> HTTPEndpoint {
        HTTPEndpoint(url: SecureBytes(copying: Array(base.utf8).span), authority: authority, pins: pins)
    }
}

/// Why URLs are not those of a media server.
public enum MediaServerError: Error, Equatable, Sendable {
    case badURL
}
