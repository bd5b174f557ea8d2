import Encodings
import Primitives
import SecureMemory

/// Operations of system `primitives`: ciphers, keys and signatures as standards define them. Hashes and derivations are in
/// `StandardHashes`.
enum Standards {
    /// Opens the sealed bytes, and seals what comes out again.
    static func aesGCM(_ check: inout Check) throws {
        let message = try SealedMessage(check.inputs, nonceCount: AES256GCM.nonceCount)
        let cipher = AES256GCM(key: try check.inputs.secret("key", count: AES256GCM.keyCount))
        let opened = try cipher.open(message.sealed.span, nonce: message.nonce, additionalData: message.data)
        let again = opened.withBytes { cipher.seal($0, nonce: message.nonce, additionalData: message.data) }
        try compare(opened, again, message, &check)
    }

    static func chaChaPoly(_ check: inout Check) throws {
        let message = try SealedMessage(check.inputs, nonceCount: ChaChaPoly.nonceCount)
        let key = try check.inputs.secret("key", count: ChaChaPoly.keyCount)
        let opened = try ChaChaPoly.open(
            message.sealed.span, nonce: message.nonce, key: key, additionalData: message.data)
        let again = opened.withBytes {
            ChaChaPoly.seal($0, nonce: message.nonce, key: key, additionalData: message.data)
        }
        try compare(opened, again, message, &check)
    }

    static func xChaChaPoly(_ check: inout Check) throws {
        let message = try SealedMessage(check.inputs, nonceCount: XChaChaPoly.nonceCount)
        let key = try check.inputs.secret("key", count: XChaChaPoly.keyCount)
        let opened = try XChaChaPoly.open(
            message.sealed.span, nonce: message.nonce, key: key, additionalData: message.data)
        let again = opened.withBytes {
            XChaChaPoly.seal($0, nonce: message.nonce, key: key, additionalData: message.data)
        }
        try compare(opened, again, message, &check)
    }

    /// Whole blocks, without padding, in both directions.
    static func aesCBC(_ check: inout Check) throws {
        let iv = try check.inputs.bytes("iv", count: Legacy.AESCBC.ivCount)
        let ciphertext = try check.inputs.bytes("ciphertext")
        let key = try check.inputs.secret("key", count: nil)
        guard [16, 24, 32].contains(key.count) else {
            throw CheckError.malformed("input key", "16, 24 or 32 bytes")
        }
        guard ciphertext.count.isMultiple(of: Legacy.AESCBC.blockCount) else {
            throw CheckError.malformed("input ciphertext", "whole blocks")
        }
        let opened = Legacy.AESCBC.decrypt(ciphertext.span, key: key, iv: iv)
        let again = opened.withBytes { Legacy.AESCBC.encrypt($0, key: key, iv: iv) }
        try check.compare("plaintext", opened)
        check.require("ciphertext", again == ciphertext)
    }

    static func x25519(_ check: inout Check) throws {
        let peer = try check.inputs.bytes("publicKey", count: X25519.count)
        let shared = try check.inputs.secret("privateKey", count: X25519.count).withBytes {
            try X25519.sharedSecret(privateKey: $0, publicKey: peer.span)
        }
        try check.compare("shared", shared)
    }

    static func ed25519Sign(_ check: inout Check) throws {
        let message = try check.inputs.bytes("message")
        let seed = try check.inputs.secret("seed", count: Ed25519.keyCount)
        let signature = seed.withBytes { Ed25519.sign(message.span, seed: $0) }
        let publicKey = seed.withBytes { Ed25519.publicKey(of: $0) }
        try check.compare("signature", signature)
        try check.compare("publicKey", publicKey)
        check.require("valid", Ed25519.isValid(signature, of: message.span, publicKey: publicKey))
    }

    static func ed25519Verify(_ check: inout Check) throws {
        let message = try check.inputs.bytes("message")
        let isValid = Ed25519.isValid(
            try check.inputs.bytes("signature"), of: message.span, publicKey: try check.inputs.bytes("publicKey"))
        check.compare("valid", JSONValue.bool(isValid))
    }

    private static func compare(
        _ opened: borrowing SecureBytes, _ again: [UInt8], _ message: SealedMessage, _ check: inout Check
    ) throws {
        try check.compare("plaintext", opened)
        check.require("sealed", again == message.sealed)
    }
}

/// What an authenticated cipher opens.
private struct SealedMessage {
    let nonce: [UInt8]
    let data: [UInt8]
    /// Ciphertext ‖ tag.
    let sealed: [UInt8]

    init(_ inputs: Fields, nonceCount: Int) throws {
        nonce = try inputs.bytes("nonce", count: nonceCount)
        data = try inputs.bytes("additionalData")
        sealed = try inputs.bytes("sealed")
    }
}
