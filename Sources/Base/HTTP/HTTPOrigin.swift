/// Host and port of an `https` URL. URLs of the same origin lead to the same server (RFC 6454, 4).
package struct HTTPOrigin: Equatable, Sendable {
    /// In lower case; an IPv6 address in brackets.
    package let host: String
    /// Nil for 443.
    package let port: UInt16?

    /// The characters that a URL may have between `https://` and the path, without the `@` of a login; and braces,
    /// because an address may be a template.
    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:%[]{}".utf8)

    /// - Parameter authority: the text between `https://` and the path.
    /// - Returns: nil for an empty host, a colon or bracket in it (except an IPv6 address), a port outside 1...65535, a login,
    ///   or a character that a URL may not have.
    package init?(authority: some StringProtocol) {
        guard authority.utf8.allSatisfy({ Self.allowed.contains($0) }) else { return nil }
        let authority = authority.lowercased()
        var host = authority[...]
        var port: Substring?
        let bracket = authority.lastIndex(of: "]")
        if let colon = authority.lastIndex(of: ":"), bracket.map({ colon > $0 }) ?? true {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        // A host of `a:1` would be another host and a port when it is read again.
        let isIPv6 = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isIPv6 ? host.dropFirst().dropLast() : host
        guard !name.isEmpty, !name.contains(where: (isIPv6 ? "[]" : ":[]").contains) else { return nil }
        self.host = String(host)
        guard let port, !port.isEmpty else {
            self.port = nil
            return
        }
        guard let number = UInt16(port), number > 0, !port.hasPrefix("+") else { return nil }
        self.port = number == 443 ? nil : number
    }

    /// - Parameter plain: `https://HOST[:PORT][/PATH]`.
    /// - Returns: nil for another scheme, a login, a query, a fragment, an escape (`%`), or a character that a URL cannot
    ///   have; else as `init(authority:)`.
    package init?(plain url: String) {
        guard url.hasPrefix("https://"), Self.hasURLCharacters(url, without: "?#@%") else { return nil }
        self.init(url: url)
    }

    /// Whether each character may stand in a URL (RFC 3986), and is none of `others`.
    package static func hasURLCharacters(_ url: String, without others: String) -> Bool {
        url.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7f && !#""<>\^`{|}"#.utf8.contains($0) && !others.utf8.contains($0)
        }
    }

    /// - Parameter url: any URL.
    /// - Returns: nil for another scheme than `https`, written in any case; else as `init(authority:)`.
    package init?(url: some StringProtocol) {
        guard let colon = url.firstIndex(of: ":"), url[..<colon].lowercased() == "https",
            let authority = Self.authority(of: url)
        else { return nil }
        self.init(authority: authority)
    }

    /// The text between `SCHEME://` and the path, unchanged; nil if `url` has no `://`.
    package static func authority<Text: StringProtocol>(of url: Text) -> Text.SubSequence? {
        guard let colon = url.firstIndex(of: ":") else { return nil }
        let rest = url[url.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        return rest.dropFirst(2).prefix { !"/?#".contains($0) }
    }
}
