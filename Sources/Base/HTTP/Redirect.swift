/// Where a redirect leads, by what stands in `Location` (RFC 9110, 10.2.2): hostile text.
package struct Redirect {
    private let location: String
    /// The URL that was asked for, of our own making or from an earlier redirect on the same origin.
    private let url: String

    /// - Parameters:
    ///   - location: the header's value.
    ///   - url: the one that was asked for, absolute.
    package init(to location: String, from url: String) {
        self.location = location.hasPrefix("//") ? "https:" + location : location
        self.url = url
    }

    /// The next URL; nil for another scheme, host or port.
    package var sameOrigin: String? {
        if location.hasPrefix("/") { return origin + location }
        guard !location.isEmpty else { return nil }
        guard scheme != nil else {
            let path = url.prefix { $0 != "?" }
            if location.hasPrefix("?") { return path + location }
            return path[...(path.lastIndex(of: "/") ?? path.startIndex)] + location
        }
        guard let authority = HTTPOrigin.authority(of: location), let there = HTTPOrigin(url: location),
            there == HTTPOrigin(url: url)
        else { return nil }
        return origin + location[authority.endIndex...]
    }

    /// The host that it leads to, for people: with its port, without a login, and with the scheme if that is not https.
    package var host: String {
        guard !location.isEmpty else { return "an empty address" }
        guard let scheme else { return HTTPOrigin.authority(of: url).map(Self.withoutLogin) ?? "" }
        guard let authority = HTTPOrigin.authority(of: location), !authority.isEmpty else {
            return "a \(scheme): address"
        }
        let host = Self.withoutLogin(authority)
        return scheme == "https" ? host : "\(scheme)://\(host)"
    }

    private static func withoutLogin(_ authority: Substring) -> String {
        String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority)
    }

    /// In lower case; nil for a relative location.
    private var scheme: String? {
        let beginning = location.prefix { !"/?#:".contains($0) }
        guard location[beginning.endIndex...].hasPrefix(":") else { return nil }
        return beginning.lowercased()
    }

    private var origin: String { "https://" + (HTTPOrigin.authority(of: url) ?? "") }
}
