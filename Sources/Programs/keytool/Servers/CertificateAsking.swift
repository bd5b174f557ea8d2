import CommandLine
import Console
import HTTP
import SafeWire
import SecureMemory
import ThreemaKeeping

extension ControllingTerminal {
    /// Shows a certificate that nobody vouches for, and asks whether to trust it.
    /// - Returns: the server with this certificate as its only authority, and with its key as a pin if that was chosen;
    ///   nil if it is refused.
    func askTrust(in certificate: PresentedCertificate, of server: borrowing SafeEndpoint) throws -> SafeEndpoint? {
        let fingerprint = Fingerprint(certificate.fingerprint).lines
        for (name, text) in [
            ("subject", certificate.subject.printable), ("issuer", certificate.issuer.printable),
            ("valid from", certificate.validFrom.printable), ("valid until", certificate.validUntil.printable),
            ("SHA-256", fingerprint[0]), ("", fingerprint[1]), ("public key", certificate.pin.text),
        ] { try say("  " + name.padded(to: 13) + text) }
        try say("Compare the SHA-256 fingerprint, or the public key, with what the server's operator")
        try say("gives you; keytool-server prints the key behind --pin.")
        while true {
            switch try askText("Trust this certificate (t), trust it and pin its key (p), or refuse it (Enter)? ") {
            case "t": return server.copy.trusting(certificate.pem, pins: server.pins)
            case "p":
                let isPinned = server.pins.contains(certificate.pin)
                return server.copy.trusting(certificate.pem, pins: server.pins + (isPinned ? [] : [certificate.pin]))
            case nil, "": return nil
            default: try say("Type t or p, or press Enter.")
            }
        }
    }
}

extension Session {
    /// Asks a server for its config before a person types a secret for it; if nobody vouches for its certificate, shows
    /// that and asks whether to trust it.
    /// - Parameter servers: as for `connecting`.
    /// - Returns: the server, with what was answered; as it is if nobody can be asked.
    /// - Throws: why the server cannot be reached, or is not trusted.
    func askingToTrust(
        _ server: consuming SafeEndpoint, _ limits: TimeLimits, _ servers: OnPremServers?
    ) throws -> SafeEndpoint {
        guard dialog.canAsk, case .https = server.address else { return server }
        let connect = connecting(limits, servers)
        // No backup is asked for: any id does.
        let exchange = connect(server, BackupID(Random.bytes(BackupID.count).span))
        do {
            _ = try output.busy("testing the server") { try exchange.config() }
            return server
        } catch let error as SafeExchangeError {
            switch error {
            case .untrusted(_, .selfSigned), .untrusted(_, .unknownIssuer):
                return try trusted(server, try exchange.presentCertificate(), error)
            case .untrusted, .pinMismatch, .unavailable: throw error
            // It may give a backup nevertheless: reading that will tell.
            default: return server
            }
        }
    }

    private func trusted(
        _ server: borrowing SafeEndpoint, _ certificate: PresentedCertificate?, _ error: SafeExchangeError
    ) throws -> SafeEndpoint {
        if let flaw = certificate?.flaw { throw SafeExchangeError.untrusted(server.address.text, flaw) }
        guard let certificate, let terminal = ControllingTerminal() else { throw error }
        Failure(error).report()
        guard let trusted = try terminal.askTrust(in: certificate, of: server) else {
            throw CommandFailure(failure: Failure(error), isReported: true)
        }
        return trusted
    }
}
