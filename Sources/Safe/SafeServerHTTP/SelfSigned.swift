#if Server
internal import Crypto
package import Encodings
internal import FoundationEssentials
internal import SwiftASN1
internal import X509

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
    ///   - name: a host name or an IP address.
    ///   - authority: the present one, PEM; nil for a new one.
    ///   - key: the present one, PEM; nil for a new one.
    /// - Throws: `SelfSignedError`.
    package init(
        name: String, authority present: [UInt8]?, key pem: [UInt8]?, now: Timestamp
    ) throws(SelfSignedError) {
        guard let subject = Self.subjectAlternativeName(name) else { throw .name }
        let own = try pem.map(Self.parse) ?? P256.Signing.PrivateKey()
        if let present { try Self.compare(present, own) }
        key = pem ?? Array((own.pemRepresentation + "\n").utf8)
        do {
            let key = Certificate.PrivateKey(own)
            // RFC 7093: without it, an authority of the same name and another key would be taken for this one.
            let identifier = Array(SHA256.hash(data: own.publicKey.x963Representation)).prefix(20)
            authority = try present ?? Self.authority(key, identifier, now)
            certificate = try Self.certificate(subject, name, key, identifier, now)
        } catch {
            throw .name
        }
    }

    private static func authorityName() throws -> DistinguishedName {
        try DistinguishedName { CommonName("keytool-server authority") }
    }

    private static func authority(
        _ key: Certificate.PrivateKey, _ keyIdentifier: ArraySlice<UInt8>, _ now: Timestamp
    ) throws -> [UInt8] {
        try signed(
            authorityName(), key, from: now, for: authorityTerm,
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                SubjectKeyIdentifier(keyIdentifier: keyIdentifier)
            })
    }

    private static func certificate(
        _ name: GeneralName, _ text: String, _ key: Certificate.PrivateKey, _ keyIdentifier: ArraySlice<UInt8>,
        _ now: Timestamp
    ) throws -> [UInt8] {
        // A common name has 64 characters at most.
        try signed(
            DistinguishedName { CommonName(String(text.prefix(64))) }, key, from: now, for: term,
            Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([name])
                AuthorityKeyIdentifier(keyIdentifier: keyIdentifier)
            })
    }

    private static func signed(
        _ subject: DistinguishedName, _ key: Certificate.PrivateKey, from now: Timestamp, for term: Duration,
        _ extensions: Certificate.Extensions
    ) throws -> [UInt8] {
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: date(now + (.zero - lead)), notValidAfter: date(now + (term - lead)),
            issuer: authorityName(),
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: key)
        return Array((try certificate.serializeAsPEM().pemString + "\n").utf8)
    }

    private static func date(_ time: Timestamp) -> Date {
        Date(timeIntervalSince1970: Double(time.milliseconds / 1000))
    }

    private static func parse(_ key: [UInt8]) throws(SelfSignedError) -> P256.Signing.PrivateKey {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: key, as: UTF8.self))
        else { throw .key }
        return key
    }

    private static func parseCertificate(_ pem: [UInt8]) -> Certificate? {
        try? Certificate(pemEncoded: String(decoding: pem, as: UTF8.self))
    }

    private static func compare(
        _ authority: [UInt8], _ key: P256.Signing.PrivateKey
    ) throws(SelfSignedError) {
        guard let authority = parseCertificate(authority) else { throw .authority }
        guard authority.publicKey == Certificate.PrivateKey(key).publicKey else { throw .otherKey }
    }

    /// Whether a certificate is one of this key and name, and valid for long enough.
    /// - Parameters:
    ///   - certificate: PEM.
    ///   - key: PEM.
    ///   - authority: PEM.
    /// - Throws: `SelfSignedError` if the key or the authority is damaged, or if the key is not that of the authority.
    package static func isGood(
        _ certificate: [UInt8], key: [UInt8], authority: [UInt8], name: String, now: Timestamp
    ) throws(SelfSignedError) -> Bool {
        let own = try parse(key)
        try compare(authority, own)
        guard let certificate = parseCertificate(certificate),
            certificate.publicKey == Certificate.PrivateKey(own).publicKey,
            let subject = subjectAlternativeName(name),
            let names = try? certificate.extensions.subjectAlternativeNames
        else { return false }
        return names.contains(subject) && certificate.notValidBefore <= date(now)
            && certificate.notValidAfter >= date(now + reserve)
    }

    /// - Returns: nil if the text is neither an address nor a host name.
    private static func subjectAlternativeName(_ name: String) -> GeneralName? {
        if let address = IPAddress(name) {
            let bytes = address.isIPv4 ? address.bytes[12...] : address.bytes[...]
            return .ipAddress(ASN1OctetString(contentBytes: bytes))
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isHostName = name.utf8.count <= 253 && labels.allSatisfy(isLabel)
        return isHostName ? .dnsName(name.lowercased()) : nil
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
    /// The name is neither an address nor a host name.
    case name
    /// The present key is damaged, or of another kind.
    case key
    /// There is an authority or a certificate, but not their key.
    case missingKey
    /// The present authority is damaged.
    case authority
    /// The present key is not that of the present authority.
    case otherKey
}
#endif
