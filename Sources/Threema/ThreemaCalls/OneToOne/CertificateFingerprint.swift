internal import Encodings
internal import Primitives
internal import SecureMemory

// The certificates of DTLS sign themselves. They belong to the people who talk because their fingerprints are in the
// offer and the answer, which came in sealed messages:
//
//     a=fingerprint:sha-256 AA:BB:…     32 bytes, hexadecimal, between colons (RFC 8122, 5)

/// The fingerprint of a DTLS certificate: SHA-256 of its DER form.
public struct CertificateFingerprint: Equatable, Sendable {
    /// Length in bytes.
    public static let count = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter bytes: 32 bytes.
    public init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.count)
        self.bytes = bytes
    }

    /// Reads the fingerprint in a session description, which has to come from a message that was opened.
    /// - Throws: `.noFingerprint`; `.badFingerprint` if sections have different ones; `.tooLong`, `.lineTooLong`,
    ///   `.malformed`.
    public init(of description: String) throws(SDPError) {
        var found: [UInt8]?
        for section in try SessionDescription(description).sections {
            for line in section.lines {
                guard let value = SessionDescription.value("fingerprint", of: line) else { continue }
                let words = value.split(separator: " ")
                // Others may stand beside it; this library trusts SHA-256 only.
                guard words.first?.lowercased() == "sha-256" else { continue }
                guard words.count == 2, let bytes = Self.bytes(words[1]), found == nil || found == bytes else {
                    throw .badFingerprint
                }
                found = bytes
            }
        }
        guard let found else { throw .noFingerprint }
        bytes = found
    }

    /// Whether this is the fingerprint of the certificate that the DTLS connection shows. End the call if it is not.
    /// - Parameter certificate: in DER.
    public func matches(_ certificate: Span<UInt8>) -> Bool {
        ConstantTime.areEqual(SHA256.hash(certificate).span, bytes.span)
    }

    /// The line of a session description, without its end.
    public var line: String {
        "a=fingerprint:sha-256 " + bytes.map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count == count else { return nil }
        let bytes = pairs.compactMap { $0.utf8.count == 2 ? Hex.decode(String($0)).map { $0[0] } : nil }
        return bytes.count == count ? bytes : nil
    }
}
