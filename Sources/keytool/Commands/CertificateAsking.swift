import Encodings
import SafeWire

extension ControllingTerminal {
    /// Shows a certificate that nobody vouches for, and asks whether to trust it.
    /// - Returns: the server with this certificate as its only authority, and with its key as a pin if that was chosen;
    ///   nil if it is refused.
    func askTrust(in certificate: PresentedCertificate, of server: borrowing SafeServer) throws -> SafeServer? {
        let fingerprint = certificate.fingerprint.map { Hex.encode([$0]).uppercased() }
        for (name, text) in [
            ("subject", certificate.subject.printable), ("issuer", certificate.issuer.printable),
            ("valid from", certificate.validFrom.printable), ("valid until", certificate.validUntil.printable),
            ("SHA-256", fingerprint.prefix(16).joined(separator: ":")),
            ("", fingerprint.dropFirst(16).joined(separator: ":")), ("public key", certificate.pin.text),
        ] { try say("  " + name + String(repeating: " ", count: 13 - name.count) + text) }
        try say("Compare the SHA-256 fingerprint with the one that the server's operator gives you.")
        while true {
            switch try askText("Trust this certificate (t), trust it and pin its key (p), or refuse it (Enter)? ") {
            case "t": return server.copy.trusting(certificate.pem, pins: server.pins)
            case "p":
                let isPinned = server.pins.contains(certificate.pin)
                return server.copy.trusting(certificate.pem, pins: server.pins + (isPinned ? [] : [certificate.pin]))
            case nil, "": return nil
            default: try say("Answer t, p or nothing.")
            }
        }
    }
}
