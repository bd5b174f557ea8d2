/// What DTLS has agreed upon for a call, and that it may be used: version 1.2, a suite and a profile of the lists, and
/// the certificate that the other side has named in a sealed message, or a call's server in its answer to join.
public struct CallSecurity: Equatable, Sendable {
    /// DTLS 1.2, as it is written in its messages. No other version is used.
    public static let version: UInt16 = 0xfefd

    /// Protects what DTLS carries.
    public let suite: DTLSCipherSuite
    /// Protects the media.
    public let profile: SRTPProfile

    /// Checks a finished handshake, before any media is sent or played. End the call if it throws.
    /// - Parameters:
    ///   - version: as the ServerHello has it.
    ///   - suite: as the ServerHello has it.
    ///   - profile: of the extension `use_srtp` of the ServerHello; nil if it has none.
    ///   - certificate: that the other side has shown and proven, in DER.
    ///   - fingerprint: of the description that came in a message, or of `CallJoin`.
    /// - Throws: the first thing that differs.
    public init(
        version: UInt16, suite: UInt16, profile: UInt16?, certificate: Span<UInt8>,
        expecting fingerprint: CertificateFingerprint
    ) throws(CallSecurityError) {
        guard version == Self.version else { throw .otherVersion(version) }
        guard let suite = DTLSCipherSuite(rawValue: suite) else { throw .otherSuite(suite) }
        guard let number = profile else { throw .noProfile }
        guard let profile = SRTPProfile(rawValue: number) else { throw .otherProfile(number) }
        guard fingerprint.matches(certificate) else { throw .otherCertificate }
        self.suite = suite
        self.profile = profile
    }
}

/// Why a connection must not carry a call.
public enum CallSecurityError: Error, Equatable, Sendable {
    /// Not DTLS 1.2. DTLS 1.0 is 0xfeff.
    case otherVersion(UInt16)
    /// A cipher suite outside of the list.
    case otherSuite(UInt16)
    /// No keys for media were agreed upon.
    case noProfile
    /// A profile of media outside of the list.
    case otherProfile(UInt16)
    /// Somebody else is on the line: the certificate is not the one that was named.
    case otherCertificate
}
