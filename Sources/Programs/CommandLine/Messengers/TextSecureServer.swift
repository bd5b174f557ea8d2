import ArgumentParser

/// The address of a TextSecure server, to which the paths of requests are appended.
package struct TextSecureServer: ExpressibleByArgument {
    /// Without a slash at its end.
    package let address: String

    /// Only this machine may be without TLS: each request has the password.
    private static let schemes = ["https://", "http://localhost", "http://127.0.0.1", "http://[::1]"]

    package init?(argument: String) {
        let text = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
        guard let scheme = Self.schemes.first(where: { text.hasPrefix($0) }),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"?#\"\\@".utf8.contains($0) })
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard scheme == "https://" ? !rest.isEmpty && !rest.hasPrefix("/") : rest.isEmpty || ":/".contains(rest.first!)
        else { return nil }
        address = text
    }
}
