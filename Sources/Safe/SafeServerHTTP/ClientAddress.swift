internal import Glibc

/// An IP address, as 16 bytes; an IPv4 address is `::ffff:a.b.c.d`.
package struct IPAddress: Equatable, Sendable {
    let bytes: [UInt8]

    private static let ipv4Prefix = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]

    /// - Parameter bytes: 4 or 16 bytes in network order.
    init(_ bytes: [UInt8]) { self.bytes = bytes.count == 4 ? Self.ipv4Prefix + bytes : bytes }

    /// - Returns: nil if the text is not an address: `192.0.2.1`, `2001:db8::1`.
    package init?(_ text: String) {
        guard text.utf8.count <= 45 else { return nil }
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if unsafe inet_pton(AF_INET, text, &ipv4) == 1 {
            self.init(unsafe withUnsafeBytes(of: &ipv4) { unsafe Array($0) })
        } else if unsafe inet_pton(AF_INET6, text, &ipv6) == 1 {
            self.init(unsafe withUnsafeBytes(of: &ipv6) { unsafe Array($0) })
        } else {
            return nil
        }
    }

    /// Whether this is an IPv4 address.
    var isIPv4: Bool { bytes.starts(with: Self.ipv4Prefix) }

    /// Whether packets to this address never leave the machine.
    package var isLoopback: Bool {
        isIPv4 ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    /// What the requests of a client are counted by: the IPv4 address, or the first 64 bits of an IPv6 address, because
    /// a household has so many.
    package var client: String {
        if isIPv4 { return bytes[12...].map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]) }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }
}

/// A range of addresses: `192.0.2.0/24`, `2001:db8::/32`, or one address.
package struct IPRange: Equatable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// - Returns: nil if the text is not a range.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
        let width = address.isIPv4 ? 32 : 128
        var bits = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let given = Int(parts[1]), given <= width
            else { return nil }
            bits = given
        }
        self.address = address
        self.bits = bits + 128 - width
    }

    func contains(_ other: IPAddress) -> Bool {
        guard address.isIPv4 == other.isIPv4 else { return false }
        return (0..<16).allSatisfy { index in
            let counted = min(max(bits - 8 * index, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xff00 >> counted)
            return address.bytes[index] & mask == other.bytes[index] & mask
        }
    }
}
