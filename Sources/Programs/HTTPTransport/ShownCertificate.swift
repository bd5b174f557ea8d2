internal import Encodings
internal import HTTP
internal import Primitives
internal import SecureMemory

/// The fields of a server's certificate, from libcurl's lines of `NAME:TEXT`.
struct ShownCertificate {
    private let lines: [String]

    // OpenSSL's X509_V_ERR_…. libcurl returns one of the first two if only the host name does not fit.
    private static let notVerified = 0
    private static let notYetVerified = 1
    private static let notYetValid = 9
    private static let expired = 10
    private static let selfSigned = 18
    private static let unknownIssuers = [19, 20, 21]

    init(_ lines: [String]) { self.lines = lines }

    /// - Parameter verification: OpenSSL's code for the certificate.
    func failure(_ verification: Int) -> CertificateFailure? {
        switch verification {
        case Self.expired: .expired(value("Expire date") ?? "")
        case Self.notYetValid: .notYetValid(value("Start date") ?? "")
        case Self.selfSigned: .selfSigned
        case let code where Self.unknownIssuers.contains(code): .unknownIssuer(value("Issuer") ?? "")
        case Self.notVerified, Self.notYetVerified: .otherHost(names)
        default: nil
        }
    }

    /// SHA-256 of the public key.
    var pin: PublicKeyPin? { presented?.pin }

    /// The certificate for a person; nil if it cannot be parsed.
    var presented: PresentedCertificate? {
        guard let pem = value("Cert") else { return nil }
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let text = Array(base64.utf8)
        guard let certificate = Base64.decode(text.span) else { return nil }
        return certificate.withBytes { certificate in
            guard let key = Self.publicKey(in: certificate),
                let pin = PublicKeyPin(digest: SHA256.hash(certificate.extracting(key)))
            else { return nil }
            return PresentedCertificate(
                subject: value("Subject") ?? "", issuer: value("Issuer") ?? "", validFrom: value("Start date") ?? "",
                validUntil: value("Expire date") ?? "", fingerprint: SHA256.hash(certificate), pem: Array(pem.utf8),
                pin: pin)
        }
    }

    /// The names that the certificate was issued for; its subject if it has none.
    private var names: [String] {
        let alternatives = value("X509v3 Subject Alternative Name").map { text in
            text.split(separator: ",").map { $0.drop { $0 == " " } }
                .map { $0.split(separator: ":", maxSplits: 1).last.map(String.init) ?? "" }
        }
        return alternatives ?? value("Subject").map { [$0] } ?? []
    }

    private func value(_ name: String) -> String? {
        lines.first { $0.hasPrefix(name + ":") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The place of the SubjectPublicKeyInfo in a DER certificate (RFC 5280, 4.1): in the first element of the outer
    /// sequence, the sixth element behind the version, which may be missing.
    static func publicKey(in certificate: Span<UInt8>) -> Range<Int>? {
        guard let outer = element(certificate, 0), let inside = element(certificate, outer.content.lowerBound) else {
            return nil
        }
        var position = inside.content.lowerBound
        let explicitVersion: UInt8 = 0xa0
        if position < certificate.count, certificate[position] == explicitVersion {
            guard let version = element(certificate, position) else { return nil }
            position = version.content.upperBound
        }
        // Serial number, signature algorithm, issuer, validity, subject.
        for _ in 0..<5 {
            guard let skipped = element(certificate, position) else { return nil }
            position = skipped.content.upperBound
        }
        guard let key = element(certificate, position), key.content.upperBound <= inside.content.upperBound else {
            return nil
        }
        return position..<key.content.upperBound
    }

    /// The DER element at `position`; nil if it exceeds the bytes.
    private static func element(_ bytes: Span<UInt8>, _ position: Int) -> (tag: UInt8, content: Range<Int>)? {
        guard position >= 0, position + 2 <= bytes.count else { return nil }
        var length = Int(bytes[position + 1])
        var start = position + 2
        if length >= 0x80 {
            let digits = length & 0x7f
            guard (1...3).contains(digits), start + digits <= bytes.count else { return nil }
            length = 0
            for index in start..<start + digits { length = length << 8 | Int(bytes[index]) }
            start += digits
        }
        guard length <= bytes.count - start else { return nil }
        return (bytes[position], start..<start + length)
    }
}
