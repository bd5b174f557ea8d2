import Console
import HTTP

extension PublicKeyPin {
    /// That a server has another public key than those that are accepted there.
    /// - Parameters:
    ///   - expected: empty if a provisioning file accepts none.
    ///   - offered: nil if the server's key could not be read.
    static func mismatch(of server: String, _ expected: [PublicKeyPin], _ offered: PublicKeyPin?) -> String {
        guard !expected.isEmpty else { return "the provisioning file accepts no public key of \(server)" }
        return "\(server) has another public key than the pinned one: " + (offered?.text ?? "it could not be read")
            + ", not " + expected.map(\.text).joined(separator: ", ")
    }
}

extension Hint {
    /// For a server whose pins nobody types.
    static let newerProvisioningFile: Hint = "a newer provisioning file may accept it: keytool onprem import"
}
