import CommandLine
import Console
import HTTP
import SafeWire
import SecureMemory

extension ServerOptions {
    /// Most certificates of a chain that an error names.
    private static var mostShown: Int { 4 }

    /// Whether a fingerprint says whom to trust. Then no person is asked.
    var hasFingerprint: Bool { !caFingerprint.isEmpty }

    /// The server, trusting those certificates that `--ca-fingerprint` names, of those that it sends now. No request is
    /// sent.
    /// - Returns: the server as it is if there is no such option, or if it is known whom to trust.
    /// - Throws: why the server cannot be reached, or that it sends no such certificate.
    func trustingFingerprint(
        _ server: borrowing SafeEndpoint, _ limits: TimeLimits, _ session: Session
    ) throws -> SafeEndpoint {
        guard hasFingerprint, server.authority == nil else { return server.copy }
        try requireHTTPS(server.address, "--ca-fingerprint")
        // No backup is asked for: any id does.
        let exchange = session.connecting(limits)(server, BackupID(Random.bytes(BackupID.count).span))
        let chain = try session.output.busy("testing the server") { try exchange.presentChain() }
        let trusted = chain.filter { caFingerprint.contains(Fingerprint($0.fingerprint)) }
        let authority = Array(trusted.map { $0.pem + [UInt8(ascii: "\n")] }.joined())
        guard !authority.isEmpty, authority.count <= SafeEndpoint.maxAuthorityBytes else {
            throw Self.missing(in: chain, of: server.address)
        }
        return server.copy.trusting(authority, pins: server.pins)
    }

    private static func missing(in chain: [PresentedCertificate], of address: SafeServerAddress) -> Failure {
        let sent = chain.prefix(mostShown).map { certificate -> Hint in
            "it sends \(certificate.subject.printable), \(Fingerprint(certificate.fingerprint).word)"
        }
        return Failure(
            .untrustedServer, "\(address.text) does not send a certificate with this --ca-fingerprint",
            hints: sent + [
                "if the server sends its own certificate only, use its authority's file: --ca-file", "nothing was sent",
            ])
    }
}
