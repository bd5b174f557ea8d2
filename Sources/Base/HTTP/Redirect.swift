/// The target of a redirect that is not followed.
public enum RedirectTarget: Equatable, Sendable {
    /// Another host: `HOST[:PORT]` without a login; with `SCHEME://` in front if the scheme is not https. The server
    /// chose this text.
    case host(String)
    /// A URL that names no host, for example `mailto:`. The server chose the scheme.
    case scheme(String)
    /// An empty `Location`.
    case empty
    /// A `Location` that is not a URL.
    case malformed
    /// The same server, too many times in a row.
    case circle
}

/// Reads the header `Location` of a redirect (RFC 9110, 10.2.2). An attacker may have written it.
package struct Redirect {
    private let location: String
    /// The requested URL: our own, or that of an earlier redirect on the same origin.
    private let url: String

    /// - Parameters:
    ///   - location: the header's value.
    ///   - url: the requested URL, absolute.
    package init(to location: String, from url: String) {
        self.location = location.hasPrefix("//") ? "https:" + location : location
        self.url = url
    }

    /// The URL to request next; nil if scheme, host or port differ from those of `url`.
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

    /// Where the redirect leads, to be named in an error. A relative `Location` leads to the host of `url`.
    package var target: RedirectTarget {
        guard !location.isEmpty else { return .empty }
        guard let scheme else { return .host(HTTPOrigin.authority(of: url).map(Self.withoutLogin) ?? "") }
        guard let authority = HTTPOrigin.authority(of: location), !authority.isEmpty else { return .scheme(scheme) }
        let host = Self.withoutLogin(authority)
        return .host(scheme == "https" ? host : "\(scheme)://\(host)")
    }

    private static func withoutLogin(_ authority: Substring) -> String {
        String(authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority)
    }

    /// The scheme in lower case; nil if `location` is relative.
    private var scheme: String? {
        let beginning = location.prefix { !"/?#:".contains($0) }
        guard location[beginning.endIndex...].hasPrefix(":") else { return nil }
        return beginning.lowercased()
    }

    private var origin: String { "https://" + (HTTPOrigin.authority(of: url) ?? "") }
}
