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

    /// - Parameters:
    ///   - address: of the start message.
    ///   - suffixes: names that the directory has named: the host has to be one of them or to end with one, after a
    ///     dot.
    /// - Throws: `.badURL` for another scheme than `https`, a login, a query, a fragment, or characters that a URL
    ///   cannot have; `.notAllowed`.
    public init(_ address: String, suffixes: [String]) throws(CallServerError) {
        guard address.utf8.count < Self.maxURLBytes, address.hasPrefix("https://"),
            let origin = HTTPOrigin(url: address),
            address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !#""<>\^`{|}?#@%"#.utf8.contains($0) })
        else { throw .badURL }
        guard suffixes.contains(where: { Self.isAllowed(origin.host, $0) }) else { throw .notAllowed }
        url = address.hasSuffix("/") ? address : address + "/"
    }

    /// By whole labels: `evil-threema.ch` does not end with `threema.ch`.
    private static func isAllowed(_ host: String, _ suffix: String) -> Bool {
        let name = suffix.lowercased().drop { $0 == "." }
        guard !name.isEmpty else { return false }
        return host == name && !suffix.hasPrefix(".") || host.hasSuffix("." + name)
    }

    package var endpoint: HTTPEndpoint { HTTPEndpoint(url: SecureBytes(copying: Array(url.utf8).span)) }
}

/// Why an address is not that of a server of group calls.
public enum CallServerError: Error, Equatable, Sendable {
    case badURL
    /// The directory does not name it.
    case notAllowed
}
