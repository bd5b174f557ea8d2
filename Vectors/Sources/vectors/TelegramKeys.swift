import Primitives
import SecureMemory
import Telegram

/// Operations of AES-IGE and of authorization keys.
enum TelegramKeys {
    /// The number of the published sample, in which a key is created.
    private static let sampleNonce: [UInt8] = [
        0x31, 0x1c, 0x85, 0xdb, 0x23, 0x4a, 0xa2, 0x64, 0x0a, 0xfc, 0x4a, 0x76, 0xa7, 0x35, 0xcf, 0x5b,
        0x1f, 0x0f, 0xd6, 0x8b, 0xd1, 0x7f, 0xa1, 0x81, 0xe1, 0x22, 0x9a, 0xd8, 0x67, 0xcc, 0x02, 0x4d,
    ]

    static func encryptIGE(_ check: inout Check) throws {
        let plaintext = try blocks(check.inputs, "plaintext")
        let (key, iv) = (try HeldSecret(check.inputs, "key"), try HeldSecret(check.inputs, "iv"))
        try requireLengths(key, iv)
        try check.compare(
            "ciphertext", Legacy.AESIGE.encrypt(plaintext.span, key: key.bytes, iv: iv.bytes))
    }

    /// The plaintext may be an answer of the key exchange, with its SHA-1 in front and padding behind.
    static func decryptIGE(_ check: inout Check) throws {
        let ciphertext = try blocks(check.inputs, "ciphertext")
        let (key, iv) = (try HeldSecret(check.inputs, "key"), try HeldSecret(check.inputs, "iv"))
        try requireLengths(key, iv)
        let plaintext = Legacy.AESIGE.decrypt(ciphertext.span, key: key.bytes, iv: iv.bytes)
        try check.compare("plaintext", plaintext)
        guard check.isExpected("answer_length") || check.isExpected("answer_sha1") else { return }
        guard key.bytes.count == BlockKeys.keyCount else {
            throw CheckError.malformed("input key", "\(BlockKeys.keyCount) bytes")
        }
        let keys = BlockKeys(
            key: try check.inputs.secret("key", count: nil), iv: try check.inputs.secret("iv", count: nil))
        let answer = try KeyExchangeAnswer.open(ciphertext.span, keys: keys)
        check.compare("answer_length", answer.count)
        try check.compare("answer_sha1", answer.withBytes { Legacy.SHA1.hash($0) })
    }

    static func blockKeys(_ check: inout Check) throws {
        let inputs = check.inputs
        let keys = LegacyMTProto1.blockKeys(
            try key(inputs, "auth_key"), messageKey: try inputs.bytes("msg_key", count: LegacyMTProto1.messageKeyCount),
            try TelegramPackets.direction(inputs))
        try check.compare("aes_key", keys.key)
        try check.compare("aes_iv", keys.iv)
    }

    static func temporaryKeys(_ check: inout Check) throws {
        let nonce = NewNonce(try check.inputs.secret("new_nonce", count: NewNonce.count))
        let keys = nonce.temporaryKeys(
            serverNonce: try check.inputs.bytes("server_nonce", count: NewNonce.serverNonceCount))
        try check.compare("tmp_aes_key", keys.key)
        try check.compare("tmp_aes_iv", keys.iv)
    }

    static func id(_ check: inout Check) throws {
        let key = try key(check.inputs, "auth_key")
        try check.compare("key_id_bytes", key.id.bytes)
        // 64 bits may be more than a reader of JSON has, so the number may be text.
        if check.expected["key_id_int64_le"]?.string != nil {
            check.compare("key_id_int64_le", String(key.id.number))
        } else {
            check.compare("key_id_int64_le", key.id.number)
        }
        try check.compare("aux_hash", key.auxiliaryHash)
        guard check.isExpected("new_nonce_hash1") else { return }
        let secret =
            check.inputs.has("new_nonce")
            ? try check.inputs.secret("new_nonce", count: NewNonce.count) : SecureBytes(copying: sampleNonce.span)
        try check.compare("new_nonce_hash1", NewNonce(secret).hash(.created, of: key))
    }

    /// An authorization key of 256 bytes.
    static func key(_ fields: Fields, _ name: String) throws -> AuthorizationKey {
        try AuthorizationKey(try fields.secret(name, count: AuthorizationKey.count))
    }

    private static func blocks(_ fields: Fields, _ name: String) throws -> [UInt8] {
        let bytes = try fields.bytes(name)
        guard bytes.count.isMultiple(of: Legacy.AESIGE.blockCount) else {
            throw CheckError.malformed("input \(name)", "a multiple of \(Legacy.AESIGE.blockCount) bytes")
        }
        return bytes
    }

    private static func requireLengths(_ key: HeldSecret, _ iv: HeldSecret) throws {
        guard [16, 24, 32].contains(key.bytes.count) else {
            throw CheckError.malformed("input key", "16, 24 or 32 bytes")
        }
        guard iv.bytes.count == Legacy.AESIGE.ivCount else {
            throw CheckError.malformed("input iv", "\(Legacy.AESIGE.ivCount) bytes")
        }
    }
}

/// A secret of any length, behind a reference.
final class HeldSecret {
    let bytes: SecureBytes

    init(_ fields: Fields, _ name: String) throws { bytes = try fields.secret(name, count: nil) }
}
