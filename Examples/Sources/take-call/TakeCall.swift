import ThreemaCalls

/// Reads the session description of an offer as the app that takes the call does: rewrites it, and compares the
/// certificate that DTLS shows with the one that the description names.
///
///     take-call < DESCRIPTION
@main
struct TakeCall {
    static func main() throws {
        var offer = ""
        while let line = readLine(strippingNewline: false) { offer += line }

        let description = try SDPPolicy.patch(offer)
        let fingerprint = try CertificateFingerprint(of: offer)
        print(description.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("a=fmtp") }.joined(separator: "\n"))

        let shown: [UInt8] = [1, 2, 3]
        print(fingerprint.matches(shown.span) ? "The certificate is the caller's." : "Somebody else is on the line.")
    }
}
