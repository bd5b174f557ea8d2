package import SecureMemory

/// An HTTPS server: its URL, the login, and the certificates to trust.
package struct HTTPEndpoint: ~Copyable, Sendable {
    /// `https://HOST[:PORT]/…`, to which the path of a request is appended. It is in guarded memory, because the URL of
    /// a monitoring service is a secret.
    package let url: SecureBytes
    /// Sent with every request; nil for none.
    package let login: Login?
    /// Certificates in PEM to trust instead of the system's; nil for the system's.
    package let authority: [UInt8]?
    /// Public keys of which the server must have one, in addition to all other checks; empty for any.
    package let pins: [PublicKeyPin]

    /// - Parameter url: absolute, scheme `https`, without a NUL.
    package init(
        url: consuming SecureBytes, login: consuming Login? = nil, authority: [UInt8]? = nil,
        pins: [PublicKeyPin] = []
    ) {
        self.url = url
        self.login = login
        self.authority = authority
        self.pins = pins
    }

    /// A copy; URL and password are in guarded memory of their own.
    package var copy: HTTPEndpoint {
        HTTPEndpoint(
            url: url.withBytes { SecureBytes(copying: $0) }, login: Login.copy(of: login), authority: authority,
            pins: pins)
    }

    /// This endpoint with other pins.
    package consuming func pinned(_ pins: [PublicKeyPin]) -> HTTPEndpoint {
        let authority = authority
        return HTTPEndpoint(url: url, login: login, authority: authority, pins: pins)
    }

    /// Whether URL, login, authorities and pins are equal, so that both may share a connection.
    package func isSame(as other: borrowing HTTPEndpoint) -> Bool {
        let isSameURL = url.withBytes { own in other.url.withBytes { ConstantTime.areEqual(own, $0) } }
        return isSameURL && authority == other.authority && pins == other.pins && Login.areSame(login, other.login)
    }

    /// Host and port of the URL, without a login; nil if they are malformed.
    package var origin: HTTPOrigin? {
        let start = "https://".utf8.count
        let authority = url.withBytes { url -> [UInt8] in
            guard url.count > start else { return [] }
            let end = (start..<url.count).first { "/?#".utf8.contains(url[$0]) } ?? url.count
            let host = (start..<end).last { url[$0] == UInt8(ascii: "@") }.map { $0 + 1 } ?? start
            return url.extracting(host..<end).revealBytes()
        }
        return HTTPOrigin(authority: String(decoding: authority, as: UTF8.self))
    }

    /// The URL of a request, terminated by NUL.
    /// - Parameter path: appended to `url`; or an absolute URL that begins with the same `https://HOST[:PORT]`.
    /// - Returns: nil for a URL of another origin, so that the login is not sent there; also nil if `path` contains
    ///   NUL.
    package func url(of path: String) -> SecureBytes? {
        let path = Array(path.utf8)
        guard !path.contains(0) else { return nil }
        let isWhole = path.starts(with: "https://".utf8)
        return url.withBytes { url in
            guard !isWhole || Self.isOrigin(of: path, url) else { return nil }
            var whole = SecureBuffer(capacity: url.count + path.count + 1)
            if !isWhole { whole.append(url) }
            whole.append(path.span)
            whole.append(0)
            return whole.finish()
        }
    }

    /// Whether `whole` begins with the bytes of scheme and authority of `url`, followed by a path, a query or nothing.
    private static func isOrigin(of whole: [UInt8], _ url: Span<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        let start = "https://".utf8.count
        guard url.count > start else { return false }
        let end = (start..<url.count).first { url[$0] == slash } ?? url.count
        guard whole.count >= end, (0..<end).allSatisfy({ whole[$0] == url[$0] }) else { return false }
        return whole.count == end || whole[end] == slash || whole[end] == UInt8(ascii: "?")
    }
}
