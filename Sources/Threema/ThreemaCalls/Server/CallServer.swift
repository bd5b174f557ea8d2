package import HTTP
internal import SecureMemory

// A server of group calls ("SFU"), at the address of the start message:
//
//     POST ADDRESS/v1/peek/CALL-ID     whether the call is under way, and its state
//     POST ADDRESS/v1/join/CALL-ID     begins or joins it
//
// CALL-ID is 64 lower-case hexadecimal digits.

/// A server of group calls whose name is one of those that the directory permits. Anybody in the group can send a start
/// message, so the address in it could be that of any server.
public struct CallServer: Equatable, Sendable {
    /// Longest address, in bytes.
    public static let maxURLBytes = 1024

    /// The server's URL, `https://HOST[:PORT]/[PATH/]`, with a slash at its end.
    public let url: String
    /// Certificates in PEM to trust instead of the system's; nil for the system's.
    public let authority: [UInt8]?

    /// - Parameters:
    ///   - address: of the start message.
    ///   - suffixes: names that the directory has named: the host has to be one of them or to end with one, after a
    ///     dot.
    ///   - authority: for a server that a company runs itself; nil for the system's.
    /// - Throws: `.badURL` for another scheme than `https`, a login, a query, a fragment, or characters that a URL
    ///   cannot have; `.notAllowed`.
    public init(_ address: String, suffixes: [String], authority: [UInt8]? = nil) throws(CallServerError) {
        guard address.utf8.count < Self.maxURLBytes, let origin = HTTPOrigin(plain: address) else { throw .badURL }
        guard suffixes.contains(where: { Self.isAllowed(origin.host, $0) }) else { throw .notAllowed }
        url = address.hasSuffix("/") ? address : address + "/"
        self.authority = authority
    }

    /// By whole labels: `evil-threema.ch` does not end with `threema.ch`.
    private static func isAllowed(_ host: String, _ suffix: String) -> Bool {
        let name = suffix.lowercased().drop { $0 == "." }
        guard !name.isEmpty else { return false }
        return host == name && !suffix.hasPrefix(".") || host.hasSuffix("." + name)
    }

    package var endpoint: HTTPEndpoint {
        HTTPEndpoint(url: SecureBytes(copying: Array(url.utf8).span), authority: authority)
    }
}

/// Why an address is not that of a server of group calls.
public enum CallServerError: Error, Equatable, Sendable {
    case badURL
    /// The directory does not name it.
    case notAllowed
}
