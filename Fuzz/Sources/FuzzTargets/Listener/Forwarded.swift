@testable import SafeServerHTTP

/// The header by which a proxy says who its client is. The client has sent what stands before the proxy's part.
enum Forwarded {
    private static let address = "198.51.100.7"

    /// Lines of the client. Whatever they are, the client is the address that the proxy has appended, to the last line or
    /// as a line of its own.
    static func client(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
        check(.xForwardedFor, lines, address)
        check(.forwarded, lines, "for=\(address)")
    }

    private static func check(_ header: Forwarding.Header, _ lines: [String], _ appended: String) {
        let forwarding = Forwarding(trustsUnixSockets: true, by: header)
        let before = lines.map { (name: header.rawValue, value: $0) }
        _ = forwarding.client(peer: nil, headers: before)
        let own = before + [(header.rawValue, appended)]
        let last = before.dropLast() + [(header.rawValue, (lines.last.map { $0 + ", " } ?? "") + appended)]
        for headers in [own, Array(last)] {
            let client = forwarding.client(peer: nil, headers: headers)
            expect(client == IPAddress(address), "the client is the one that the proxy names")
        }
    }
}
