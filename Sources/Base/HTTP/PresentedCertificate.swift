/// The certificate that a server shows, whoever issued it: what a person needs to decide whether to trust it. All texts
/// are the server's own words.
public struct PresentedCertificate: Equatable, Sendable {
    /// The distinguished name of its owner.
    public let subject: String
    /// The distinguished name of who signed it.
    public let issuer: String
    /// When it begins, as the certificate has it.
    public let validFrom: String
    /// When it ends, as the certificate has it.
    public let validUntil: String
    /// SHA-256 over the certificate in DER, 32 bytes.
    public let fingerprint: [UInt8]
    /// The certificate in PEM, to be trusted as `HTTPEndpoint.authority`.
    public let pem: [UInt8]
    /// SHA-256 over its public key.
    public let pin: PublicKeyPin
    /// What is wrong with it even if it is trusted, for example that it has expired; nil if nothing is.
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
