import CommandLine
import Console
import Encodings
import Keystore
import SecureMemory
import Threema
import ThreemaKeeping

extension ThreemaMessenger {
    /// Prints the API secret of a Gateway ID.
    /// - Throws: `NoGatewaySecret`; `KeystoreError`.
    static func revealGatewaySecret(of owner: Owner, in keystore: OpenKeystore, _ session: Session) throws {
        guard let id = id(of: owner), let secret = try keeper(of: keystore, session).codes.gatewaySecret(of: id) else {
            throw NoGatewaySecret(name: owner.name)
        }
        let marks = SecretMarks()
        let isJSON = session.output.isJSON
        try session.output.reveal(
            [marks[0]], json: .result("id show", [("id", .string(id.text)), ("gateway_secret", .string(marks[0]))]),
            marks, secrets: 1
        ) { _, text in append(secret, escaped: isJSON, to: &text) }
    }

    private static func append(_ secret: borrowing GatewaySecret, escaped: Bool, to text: inout SecureBuffer) {
        secret.bytes.withBytes { secret in
            for index in secret.indices {
                // JSON writes these two with a backslash; the secret has no other characters that it cannot have.
                if escaped, [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(secret[index]) {
                    text.append(UInt8(ascii: "\\"))
                }
                text.append(secret[index])
            }
        }
    }
}

/// The keystore has no API secret of this identity.
struct NoGatewaySecret: Error {
    let name: String
}
