import Primitives
import SecureMemory
import Threema

/// Operations of one primitive.
enum Primitive {
    static func blake2b512(_ check: inout Check) throws {
        let data = try check.inputs.bytes("data")
        let key = check.inputs.has("key") ? try check.inputs.secret("key", count: nil) : SecureBytes(count: 0) { _ in }
        guard key.count <= 64 else { throw CheckError.malformed("input key", "at most 64 bytes") }
        let digest = key.withBytes { BLAKE2b.hash512(data.span, key: $0) }
        try check.compare("digest", digest)
    }

    static func blake2bKDF(_ check: inout Check) throws {
        let key = try key(check.inputs, "key")
        let salt = try check.inputs.bytes("salt")
        let personal = try check.inputs.bytes("personal")
        guard salt.count <= 16, personal.count <= 16 else {
            throw CheckError.malformed("input salt or personal", "at most 16 bytes")
        }
        try check.compare("derived", BLAKE2b.deriveKey(from: key, salt: salt, personal: personal))
    }

    /// One key for each salt, under the salt's name.
    static func deviceGroupKeys(_ check: inout Check) throws {
        let key = try check.inputs.secret("dgk", count: DeviceGroupKey.count)
        let personal = try check.inputs.text("personal")
        let salts = try check.inputs.fields("salts")
        for member in salts.value.members ?? [] {
            try check.compare(member.name, try derive(key, try salts.text(member.name), personal))
        }
    }

    static func derivePublicKey(_ check: inout Check) throws {
        try check.compare("publicKey", try check.inputs.clientKey("secretKey").publicKey.bytes)
    }

    static func mixEntropy(_ check: inout Check) throws {
        let seed = try check.inputs.bytes("userSeed")
        let random = try check.inputs.secret("systemRandom", count: ClientKey.count)
        let key = ClientKey.mixing(random, with: seed.span)
        try check.compare("seedSha256", SHA256.hash(seed.span))
        try check.compare("secretKey", key.bytes)
        try check.compare("publicKey", key.publicKey.bytes)
    }

    static func sharedSecret(_ check: inout Check) throws {
        try check.compare("sharedSecret", try sharedKey(check.inputs, "secretKey", "publicKey"))
    }

    static func box(_ check: inout Check) throws { try box(&check, "box") }

    /// `secretKey` is the private key of the public box, and the key of the secret one.
    static func desktopBoxes(_ check: inout Check) throws {
        try box(&check, "publicBox")
        let (plaintext, nonce) = try message(check.inputs)
        let sealed = try check.inputs.secret("secretKey").withBytes {
            SecretBox.seal(plaintext.span, nonce: nonce, key: $0)
        }
        try check.compare("secretBox", sealed)
    }

    static func secretBoxDetached(_ check: inout Check) throws {
        let (plaintext, nonce) = try message(check.inputs)
        let key = try check.inputs.secret("key", count: SecretBox.keyCount)
        let sealed = key.withBytes { SecretBox.seal(plaintext.span, nonce: nonce, key: $0) }
        let opened = try key.withBytes { try SecretBox.open(sealed.span, nonce: nonce, key: $0) }
        try check.compare("ciphertext", Array(sealed.dropFirst(SecretBox.tagCount)))
        try check.compare("tag", Array(sealed.prefix(SecretBox.tagCount)))
        if !opened.equals(plaintext) { check.require("plaintext", false) }
    }

    /// NaCl's precomputed key of two sides.
    /// - Throws: `SharedKeyError` for a public key of small order.
    static func sharedKey(_ fields: Fields, _ secretKey: String, _ publicKey: String) throws -> SecureBytes {
        let publicKey = try fields.bytes(publicKey, count: Box.keyCount)
        return try fields.secret(secretKey, count: Box.keyCount).withBytes {
            try Box.sharedKey(privateKey: $0, publicKey: publicKey.span)
        }
    }

    /// A key derived under a salt.
    /// - Parameters: `salt` and `personal` have at most 16 bytes.
    static func derive(_ key: borrowing SecureBytes, _ salt: String, _ personal: String) throws -> SecureBytes {
        guard salt.utf8.count <= 16 else { throw CheckError.malformed("input salt", "at most 16 bytes") }
        guard personal.utf8.count <= 16 else { throw CheckError.malformed("input personal", "at most 16 bytes") }
        return BLAKE2b.deriveKey(from: key, salt: salt, personal: personal)
    }

    private static func key(_ fields: Fields, _ name: String) throws -> SecureBytes {
        let key = try fields.secret(name, count: nil)
        guard (1...64).contains(key.count) else { throw CheckError.malformed("input \(name)", "1 to 64 bytes") }
        return key
    }

    private static func message(_ fields: Fields) throws -> (plaintext: [UInt8], nonce: [UInt8]) {
        (try fields.bytes("plaintext"), try fields.bytes("nonce", count: Box.nonceCount))
    }

    private static func box(_ check: inout Check, _ name: String) throws {
        let (plaintext, nonce) = try message(check.inputs)
        let shared = try sharedKey(check.inputs, "secretKey", "publicKey")
        let sealed = Box.seal(plaintext.span, nonce: nonce, sharedKey: shared)
        try check.compare(name, sealed)
        if !(try Box.open(sealed.span, nonce: nonce, sharedKey: shared).equals(plaintext)) {
            check.require("plaintext", false)
        }
    }
}
