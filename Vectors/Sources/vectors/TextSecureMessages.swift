import Encodings
import Ratchet
import SecureMemory
import TextSecure

/// Operations of TextSecure: public keys, and messages of a session.
enum TextSecureMessages {
    static func publicKey(_ check: inout Check) throws {
        guard let key = AgreementKey(try check.inputs.secret("private_key")) else { return }
        let publicKey = key.publicKey
        try check.compare("public_key", publicKey.point)
        try check.compare("serialized", publicKey.bytes)
        check.compare("base64_unpadded", publicKey.text)
        check.compare("fingerprint_hex", publicKey.fingerprint)
        check.require("serialized", PublicKey33(text: publicKey.text) == publicKey)
    }

    /// Seals the body, and opens it again.
    static func whisper(_ check: inout Check) throws {
        let inputs = check.inputs
        guard let version = SessionVersion(rawValue: UInt8(try inputs.integer("version", in: 2...3))) else { return }
        let key = HeldKey(try inputs.secret("message_key", count: version.keyCount))
        let (sender, receiver) = (try identity(inputs, "sender_identity"), try identity(inputs, "receiver_identity"))
        let body = try inputs.bytes("body")
        let numbers = 0...Int64(UInt32.max)
        let message = try WhisperMessage.seal(
            body.span, version: version, key: key, ratchetKey: identity(inputs, "ratchet_key"),
            counter: UInt32(try inputs.integer("counter", in: numbers)),
            previousCounter: UInt32(try inputs.integer("previous_counter", in: numbers)), from: sender, to: receiver)
        try check.compare("ciphertext", message.ciphertext)
        try check.compare("message", message.bytes)
        let opened = try WhisperMessage(parsing: message.bytes).open(key, from: sender, to: receiver)
        check.require("message", opened.equals(body))
    }

    private static func identity(_ inputs: Fields, _ name: String) throws -> PublicKey33 {
        guard let key = PublicKey33(try inputs.bytes(name, count: PublicKey33.count)) else {
            throw CheckError.malformed("input \(name)", "a public key")
        }
        return key
    }
}
