import Encodings
import Primitives
import SecureMemory
import Telegram

/// Operations of keys under a password. What the library only reads is computed with the primitives, and then read.
enum TelegramKeyFiles {
    /// What vectors have as padding. Readers ignore it.
    private static let padding = [UInt8](repeating: 12, count: 12)

    static func literal(_ check: inout Check) throws {
        let key = LegacyKeyFile.literalKey(try password(check.inputs))
        if check.inputs.has("aes_key") {
            check.require("aes_key", key.equals(try check.inputs.bytes("aes_key")))
        }
        let iv = try check.inputs.bytes("iv", count: Legacy.AESCBC.ivCount)
        let plain = try plain(check.inputs)
        try check.compare("plaintext", plain)
        let isZero = iv.allSatisfy { $0 == 0 }
        try compare(&check, plain, key, iv, front: isZero ? [] : iv, isZero ? .literal : .literalWithIV)
    }

    static func openSSL(_ check: inout Check) throws {
        let iv = try check.inputs.bytes("iv", count: Legacy.AESCBC.ivCount)
        let key = LegacyKeyFile.openSSLKey(try password(check.inputs), iv: iv)
        try check.compare("aes_key", key)
        try compare(&check, try plain(check.inputs), key, iv, front: iv, .openSSL)
    }

    static func scrypt(_ check: inout Check) throws {
        let (iv, salt) = (
            try check.inputs.bytes("iv", count: Legacy.AESCBC.ivCount),
            try check.inputs.bytes("salt", count: LegacyKeyFile.saltCount)
        )
        guard try costs(check.inputs) == [32_768, 8, 1] else {
            throw CheckError.notInAPI("scrypt with other costs than N 32768, r 8, p 1")
        }
        let key = try LegacyKeyFile.scryptKey(try password(check.inputs), salt: salt)
        try check.compare("aes_key", key)
        try compare(&check, try plain(check.inputs), key, iv, front: salt + iv, .scrypt)
    }

    static func passcodeKey(_ check: inout Check) throws { try passcodeKey(&check, .current) }

    static func legacyPasscodeKey(_ check: inout Check) throws { try passcodeKey(&check, .legacy) }

    /// The library opens what the app encrypts. Its key is used as that of a packet from a server.
    static func encryptLocally(_ check: inout Check) throws {
        let inputs = check.inputs
        let (payload, padding) = (try inputs.bytes("payload"), try inputs.bytes("padding"))
        let count = 4 + payload.count
        guard padding.count == (16 - count % 16) % 16 else {
            throw CheckError.malformed("input padding", "the bytes that fill the last block")
        }
        let length = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        let plain = length + payload + padding
        let hash = Array(Legacy.SHA1.hash(plain.span).prefix(16))
        let keys = LegacyMTProto1.blockKeys(try TelegramKeys.key(inputs, "local_key"), messageKey: hash, .fromServer)
        let blob = hash + Legacy.AESIGE.encrypt(plain.span, key: keys.key, iv: keys.iv)
        try check.compare("blob", blob)
        let key = DesktopLocalKey(try inputs.secret("local_key", count: DesktopLocalKey.count))
        check.require("payload", try key.open(blob.span).equals(payload))
    }

    private static func passcodeKey(_ check: inout Check, _ derivation: DesktopLocalKey.Derivation) throws {
        let passcode = try check.inputs.secret("passcode", count: nil)
        let salt = try check.inputs.bytes("salt", count: DesktopLocalKey.saltCount)
        try check.compare("local_key", DesktopLocalKey(passcode: passcode, salt: salt, derivation).bytes)
    }

    private static func password(_ inputs: Fields) throws -> SecureBytes {
        let text = Array(try inputs.text("password").utf8)
        return SecureBytes(copying: text.span)
    }

    private static func plain(_ inputs: Fields) throws -> SecureBytes {
        var plain = SecureBuffer(capacity: LegacyKeyFile.hashedCount + padding.count)
        plain.append(LegacyKeyFile.hashed(try TelegramKeys.key(inputs, "auth_key")))
        plain.append(padding.span)
        return plain.finish()
    }

    /// Compares the ciphertext, and opens the file that has it.
    private static func compare(
        _ check: inout Check, _ plain: borrowing SecureBytes, _ key: borrowing SecureBytes, _ iv: [UInt8],
        front: [UInt8], _ form: LegacyKeyFile.Form
    ) throws {
        let ciphertext = plain.withBytes { Legacy.AESCBC.encrypt($0, key: key, iv: iv) }
        try check.compare("ciphertext", ciphertext)
        let file = front + ciphertext
        let opened = try LegacyKeyFile.open(file.span, password: try password(check.inputs))
        let wanted = try TelegramKeys.key(check.inputs, "auth_key")
        check.require("opened", opened.form == form && opened.held.key.equals(wanted))
    }

    /// N, r, p: members of an object, or the numbers of a text in this order.
    private static func costs(_ inputs: Fields) throws -> [Int64] {
        if let text = inputs["scrypt"]?.string {
            return text.split { !$0.isNumber }.compactMap { Int64($0) }
        }
        let fields = try inputs.fields("scrypt")
        return try [fields.has("N") ? "N" : "n", "r", "p"].map { try fields.integer($0) }
    }
}
