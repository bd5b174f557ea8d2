/// A certificate that a server shows, trusted or not, for a person who decides whether to trust it. An attacker may
/// have written all its texts.
public struct PresentedCertificate: Equatable, Sendable {
    /// The distinguished name of its subject.
    public let subject: String
    /// The distinguished name of its issuer.
    public let issuer: String
    /// The first day on which it is valid, in the certificate's words.
    public let validFrom: String
    /// The last day on which it is valid, in the certificate's words.
    public let validUntil: String
    /// SHA-256 over the certificate in DER, 32 bytes.
    public let fingerprint: [UInt8]
    /// The certificate in PEM, to be trusted as `HTTPEndpoint.authority`.
    public let pem: [UInt8]
    /// SHA-256 over its public key.
    public let pin: PublicKeyPin
    /// The failure that remains if it is trusted, for example that it has expired; nil if it would be accepted.
    public var flaw: CertificateFailure?

    /// - Parameter fingerprint: 32 bytes.
    public init(
        subject: String, issuer: String, validFrom: String, validUntil: String, fingerprint: [UInt8], pem: [UInt8],
        pin: PublicKeyPin, flaw: CertificateFailure? = nil
    ) {
        self.subject = subject
        self.issuer = issuer
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.fingerprint = fingerprint
        self.pem = pem
        self.pin = pin
        self.flaw = flaw
    }
}
