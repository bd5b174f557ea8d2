internal import Encodings
public import HTTP
internal import SecureMemory

/// Where a directory is, and which certificates and keys to trust there.
public struct DirectoryServer: Equatable, Sendable {
    /// Longest URL, in bytes.
    public static let maxURLBytes = 4096
    /// Longest text of certificate authorities, in bytes.
    public static let maxAuthorityBytes = 48 * 1024
    /// Most pinned keys of a directory.
    public static let maxPins = 16
    private static let maxNameBytes = 64

    /// `https://HOST[:PORT]/PATH/`, with a slash at its end.
    public let url: String
    /// Whom to trust instead of the system's certificate authorities: certificates in PEM; nil for the system's.
    public let authority: [UInt8]?
    /// SHA-256 over the public keys of which the directory must show one; empty for any. They add to the checks of the
    /// certificate.
    public let pins: [PublicKeyPin]
    /// The name under which a keystore has the provisioning file that says where the directory is; nil if a user said it.
    package let onPrem: String?

    /// - Parameter url: a slash at its end may be missing.
    /// - Throws: `.badURL` for another scheme than `https`, a query, a fragment, or characters that no URL has;
    ///   `.hasCredentials`; `.tooMuch` for more than the limits above.
    public init(
        url: String, authority: [UInt8]? = nil, pins: [PublicKeyPin] = []
    ) throws(DirectoryServerError) {
        try self.init(url: url, authority: authority, pins: pins, onPrem: nil)
    }

    package init(
        url: String, authority: [UInt8]?, pins: [PublicKeyPin], onPrem: String?
    ) throws(DirectoryServerError) {
        guard url.utf8.count < Self.maxURLBytes, (authority?.count ?? 0) <= Self.maxAuthorityBytes,
            pins.count <= Self.maxPins, (onPrem?.utf8.count ?? 0) <= Self.maxNameBytes
        else { throw .tooMuch }
        guard !url.utf8.contains(UInt8(ascii: "@")) else { throw .hasCredentials }
        guard HTTPOrigin.hasURLCharacters(url, without: "?#"),
            let origin = HTTPOrigin(url: url), let written = HTTPOrigin.authority(of: url)
        else { throw .badURL }
        let path = url[written.endIndex...]
        guard !path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw .badURL
        }
        let base = "https://" + origin.host + (origin.port.map { ":\($0)" } ?? "") + path
        self.url = base.utf8.last == UInt8(ascii: "/") ? base : base + "/"
        self.authority = authority
        self.pins = pins
        self.onPrem = onPrem
    }

    /// The endpoint of every request.
    /// - Parameter login: for a directory that a company runs itself; nil for none.
    package func endpoint(login: consuming Login? = nil) -> HTTPEndpoint {
        HTTPEndpoint(
            url: SecureBytes(copying: Array(url.utf8).span), login: login, authority: authority, pins: pins)
    }

    // MARK: As it is remembered

    /// JSON: `url`, and `authority` (Base64), `pins` (texts) and `onprem` if there are any.
    public var encoded: [UInt8] {
        var members: [JSONValue.Member] = [.init("url", .string(url))]
        if let authority { members.append(.init("authority", .string(Base64.encode(authority.span)))) }
        if !pins.isEmpty { members.append(.init("pins", .array(pins.map { .string($0.text) }))) }
        if let onPrem { members.append(.init("onprem", .string(onPrem))) }
        return JSONValue.object(members).encoded
    }

    /// - Throws: `.notEncoded` for anything but what `encoded` makes.
    public init(decoding bytes: Span<UInt8>) throws(DirectoryServerError) {
        let limit = Self.maxURLBytes + 2 * Self.maxAuthorityBytes + 128 * Self.maxPins + 2 * Self.maxNameBytes
        guard bytes.count <= limit,
            let value = try? JSONScanner.parse(bytes, limits: .init(depth: 4, values: 64)),
            let url = value["url"]?.string
        else { throw .notEncoded }
        var authority: [UInt8]?
        if let field = value["authority"] {
            let text = Array((field.string ?? "?").utf8)
            guard let decoded = Base64.decode(text.span) else { throw .notEncoded }
            authority = decoded.revealBytes()
        }
        var pins: [PublicKeyPin] = []
        if let field = value["pins"] {
            let texts = field.array ?? []
            pins = texts.compactMap { $0.string.flatMap(PublicKeyPin.init(text:)) }
            guard !texts.isEmpty, pins.count == texts.count else { throw .notEncoded }
        }
        let onPrem = value["onprem"]?.string
        guard value["onprem"] == nil || onPrem != nil else { throw .notEncoded }
        try self.init(url: url, authority: authority, pins: pins, onPrem: onPrem)
        guard self.url == url else { throw .notEncoded }
    }
}

/// Why something is no directory's address.
public enum DirectoryServerError: Error, Equatable, Sendable {
    case badURL
    /// User name or password in the URL.
    case hasCredentials
    /// URL, authorities or pins are longer than the limits.
    case tooMuch
    /// What was remembered is damaged.
    case notEncoded
}
