#if Server
package import Encodings

/// A certificate that a server makes for itself, and that of an authority of its own, which issues it. A client trusts
/// the authority, which outlives many certificates. Both have one key, which stays, too, and with it the pin.
package struct SelfSigned {
    /// PEM.
    package let authority: [UInt8]
    /// PEM.
    package let certificate: [UInt8]
    /// PEM.
    package let key: [UInt8]

    /// How long an authority is valid.
    private static let authorityTerm = Duration.days(10_950)
    /// How long a certificate is valid. Apple's systems accept no longer term.
    private static let term = Duration.days(825)
    /// A certificate with less time left is renewed.
    private static let reserve = Duration.days(300)
    /// A clock of a client may be behind.
    private static let lead = Duration.days(1)

    /// - Parameters:
    ///   - names: host names and IP addresses, at least one. One that is repeated counts once.
    ///   - authority: the present one, PEM. One that begins later is kept: this clock may be wrong. One that ends is not.
    ///   - key: the present one, PEM; nil for a new one.
    /// - Throws: `SelfSignedError`.
    package init(
        names: [String], authority present: [UInt8]?, key pem: [UInt8]?, now: Timestamp
    ) throws(SelfSignedError) {
        let names = try Self.subjects(names)
        let own = if let pem { try Self.parse(pem) } else { try SigningKey() }
        let begin = now + (.zero - Self.lead)
        let new = try IssuedCertificate.authority("keytool-server authority", begin, begin + Self.authorityTerm, own)
        let isGood = try present.map { pem throws(SelfSignedError) in
            try Self.parse(authority: pem, of: own).ends(after: now + Self.reserve)
        }
        authority = if let present, isGood == true { present } else { try new.pem() }
        let issuer = try Self.parse(authority: authority, of: own)
        key = if let pem { pem } else { try own.revealPEM() }
        certificate = try IssuedCertificate.server(names, begin, begin + Self.term, by: issuer, own).pem()
    }

    /// Whether a certificate is one of this key and all these names, and valid for long enough, as its authority.
    /// If both begin later, they are good, too: this clock is wrong.
    /// - Parameters: `certificate`, `key` and `authority` in PEM.
    /// - Throws: `SelfSignedError` if the key or the authority is damaged, or if the key is not that of the authority.
    package static func isGood(
        _ certificate: [UInt8], key: [UInt8], authority: [UInt8], names: [String], now: Timestamp
    ) throws(SelfSignedError) -> Bool {
        let own = try parse(key)
        let issuer = try parse(authority: authority, of: own)
        guard let certificate = IssuedCertificate(pem: certificate), let names = try? subjects(names)
        else { return false }
        return certificate.isOf(own) && certificate.isOf(names)
            && (issuer.begins(after: now) || !certificate.begins(after: now))
            && issuer.ends(after: now + reserve) && certificate.ends(after: now + reserve)
    }

    private static func subjects(_ names: [String]) throws(SelfSignedError) -> [SubjectName] {
        if let name = names.isEmpty ? "" : names.first(where: { SubjectName($0) == nil }) { throw .name(name) }
        return names.compactMap { SubjectName($0) }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func parse(_ pem: [UInt8]) throws(SelfSignedError) -> SigningKey {
        guard let key = SigningKey(pem: pem) else { throw .key }
        return key
    }

    private static func parse(
        authority pem: [UInt8], of key: borrowing SigningKey
    ) throws(SelfSignedError) -> IssuedCertificate {
        guard let authority = IssuedCertificate(pem: pem) else { throw .authority }
        guard authority.isOf(key) else { throw .otherKey }
        return authority
    }
}

/// What a certificate says whose it is. Two spellings of an address are equal.
enum SubjectName: Equatable {
    /// Lower case.
    case host(String)
    /// The text of an IPv4 or IPv6 address, and its 4 or 16 bytes.
    case address(String, [UInt8])

    /// - Returns: nil if the text is neither an address nor a host name.
    init?(_ name: String) {
        if let address = IPAddress(name) {
            guard address.isIPv4 else {
                self = .address(name, address.bytes)
                return
            }
            // An IPv4 address may be written as an IPv6 one.
            let bytes = Array(address.bytes[12...])
            self = .address(bytes.map(String.init).joined(separator: "."), bytes)
            return
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, labels.allSatisfy(Self.isLabel) else { return nil }
        self = .host(name.lowercased())
    }

    static func == (left: SubjectName, right: SubjectName) -> Bool {
        switch (left, right) {
        case (.host(let left), .host(let right)): left == right
        case (.address(_, let left), .address(_, let right)): left == right
        case (.host, .address), (.address, .host): false
        }
    }

    /// The name itself.
    var text: String {
        switch self {
        case .host(let name), .address(let name, _): name
        }
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "-")
            }
    }
}

/// Why no certificate was made.
package enum SelfSignedError: Error, Equatable, Sendable {
    /// A name is neither an address nor a host name.
    case name(String)
    /// The present key is damaged, or of another kind.
    case key
    /// There is an authority or a certificate, but not their key.
    case missingKey
    /// The present authority is damaged.
    case authority
    /// The present key is not that of the present authority.
    case otherKey
    /// OpenSSL has failed: it has no memory or no random numbers.
    case library
}
#endif
