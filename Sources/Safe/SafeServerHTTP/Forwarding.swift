/// Which proxies are believed when they say who the client is, and by which header.
///
/// One header only: a proxy sets one of the two and passes the other on as the client has sent it, so a client could
/// choose its address by the other one.
package struct Forwarding: Equatable, Sendable {
    /// The header that the proxies set.
    package enum Header: String, Sendable {
        /// `X-Forwarded-For: 192.0.2.1, 198.51.100.7`, each proxy appends its peer.
        case xForwardedFor = "x-forwarded-for"
        /// `Forwarded: for=192.0.2.1;proto=https, for="[2001:db8::1]:4711"` (RFC 7239).
        case forwarded
    }

    private let proxies: [IPRange]
    private let header: Header
    /// Whether the peers of a Unix socket are proxies.
    package let trustsUnixSockets: Bool

    /// Longest list that is read; of a longer one, the end.
    private static let maxEntries = 32

    /// - Parameters:
    ///   - proxies: their addresses; empty for none.
    ///   - trustsUnixSockets: whether the peers of a Unix socket are proxies.
    package init(_ proxies: [IPRange] = [], trustsUnixSockets: Bool = false, by header: Header = .xForwardedFor) {
        self.proxies = proxies
        self.trustsUnixSockets = trustsUnixSockets
        self.header = header
    }

    /// Whether a peer is a proxy.
    /// - Parameter peer: nil for that of a Unix socket.
    func isProxy(_ peer: IPAddress?) -> Bool {
        guard let peer else { return trustsUnixSockets }
        return proxies.contains { $0.contains(peer) }
    }

    /// The client of a request: the last address in the header that is not a proxy's.
    /// - Parameters:
    ///   - peer: nil for that of a Unix socket.
    ///   - headers: of the request, in the order in which they were sent.
    /// - Returns: nil if the client is behind a Unix socket and nobody says who it is.
    package func client(peer: IPAddress?, headers: [(name: String, value: String)]) -> IPAddress? {
        guard isProxy(peer) else { return peer }
        var client = peer
        for entry in entries(headers).reversed() {
            // What does not name an address hides all before it.
            guard let entry else { break }
            client = entry
            if !isProxy(entry) { break }
        }
        return client
    }

    /// The addresses in order; nil for one that is not an address, for example `unknown`.
    private func entries(_ headers: [(name: String, value: String)]) -> [IPAddress?] {
        let values = headers.filter { $0.name.lowercased() == header.rawValue }.map(\.value)
        let elements = values.flatMap(elements).suffix(Self.maxEntries)
        return elements.map { element in
            switch header {
            case .xForwardedFor: return Self.address(element)
            case .forwarded:
                for pair in Self.split(element, at: UInt8(ascii: ";")) {
                    let parts = pair.split(separator: "=", maxSplits: 1)
                    if parts.count == 2, parts[0].lowercased() == "for" { return Self.address(String(parts[1])) }
                }
                return nil
            }
        }
    }

    /// The elements of a header. `X-Forwarded-For` has no quotes. In `Forwarded`, an open quote of a client must
    /// not swallow what the proxies have appended, so quotes count only if they are balanced. What a proxy appends has
    /// balanced ones, and no comma.
    private func elements(_ value: String) -> [String] {
        let isBalanced = value.utf8.count { $0 == UInt8(ascii: "\"") }.isMultiple(of: 2)
        return Self.split(value, at: UInt8(ascii: ","), hasQuotes: header == .forwarded && isBalanced)
    }

    /// The parts between separators that are not in quotes, without blanks around them.
    private static func split(_ text: String, at separator: UInt8, hasQuotes: Bool = true) -> [String] {
        var parts: [[UInt8]] = [[]]
        var isQuoted = false
        for byte in text.utf8 {
            if hasQuotes, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == separator && !isQuoted { parts.append([]) } else { parts[parts.count - 1].append(byte) }
        }
        return parts.map { part in
            var part = part[...]
            while part.first.map(isBlank) == true { part.removeFirst() }
            while part.last.map(isBlank) == true { part.removeLast() }
            return String(decoding: part, as: UTF8.self)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`, each also in quotes.
    private static func address(_ text: String) -> IPAddress? {
        var text = text[...]
        if text.utf8.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        if let address = IPAddress(String(text)) { return address }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? IPAddress(String(parts[0])) : nil
    }
}
