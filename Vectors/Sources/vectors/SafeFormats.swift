import Encodings
import Foundation
import Primitives
import SafeWire
import SecureMemory
import Threema
import ThreemaSafe

/// Areas of Threema Safe. The public functions draw their nonces, so backups are sealed with the primitives, and then
/// opened.
enum SafeFormats {
    /// The salt is the ID. The library takes valid IDs only; for other text the primitive derives the master key.
    static func keys(_ check: inout Check) throws {
        let password = try check.password()
        let text = try check.inputs.text("identity")
        let keys: SafeKeys
        if let id = try? ThreemaID(text) {
            keys = try password.withBytes { try SafeKeys(password: $0, id: id) }
        } else {
            let salt = Array(text.utf8)
            keys = SafeKeys(
                masterKey: try password.withBytes {
                    try Scrypt.deriveKey(
                        password: $0, salt: salt.span, cost: 65_536, blockSize: 8, parallelism: 1,
                        count: SafeKeys.masterKeyCount)
                })
        }
        try check.compare("master_key", keys.masterKey)
        check.compare("backup_id", keys.backupID.hex)
        try check.compare("encryption_key", encryptionKey(keys))
        let base = try officialBase(keys)
        check.compare("default_url", base + "backups/" + keys.backupID.hex)
        check.compare("config_url", base + "config")
    }

    /// Without a gzip member, one of stored blocks is sealed. Results that are null are not compared.
    static func seal(_ check: inout Check) throws {
        let inputs = check.inputs
        let json = try inputs.bytes("json_utf8_hex")
        let nonce = try inputs.bytes("nonce", count: SecretBox.nonceCount)
        let keys = try keys(inputs)
        let isGiven = inputs.has("gzip_hex") && inputs["gzip_hex"] != .null
        let key = encryptionKey(keys)
        let blobs = (isGiven ? [try inputs.bytes("gzip_hex")] : StoredGzip.members(json)).map { member in
            nonce + key.withBytes { SecretBox.seal(member.span, nonce: nonce, key: $0) }
        }
        let digest = check.isExpected("blob_sha256") ? try check.expected.bytes("blob_sha256") : []
        let blob = blobs.first { SHA256.hash($0.span) == digest } ?? blobs[0]
        if check.expected["blob_hex"] != .null { try check.compare("blob_hex", blob) }
        check.compare("blob_len", blob.count)
        try check.compare("blob_sha256", SHA256.hash(blob.span))
        try check.compare("json_sha1", Legacy.SHA1.hash(json.span))
        if check.expected["json"] != .null { check.compare("json", String(decoding: json, as: UTF8.self)) }
        let opened = try SafeBackup.open(blob.span, keys: keys).revealDocument()
        check.require("opened", try isSame(opened, json))
    }

    static func open(_ check: inout Check) throws {
        let blob = try check.inputs.bytes("blob_hex")
        let opened = try SafeBackup.open(blob.span, keys: try keys(check.inputs)).revealDocument()
        guard check.isExpected("json") else { return }
        check.note("json", try isSame(opened, Array(try check.expected.text("json").utf8)))
    }

    /// Reads a document, writes a private key into one, or writes numbers as documents have them.
    static func json(_ check: inout Check) throws {
        let inputs = check.inputs
        if inputs.has("json") {
            let text = Array(try inputs.text("json").utf8)
            let document = try SafeDocument(try JSONScanner.parse(text.span))
            check.compare("nickname", document.nickname)
            let encoded = document.encoded
            check.compare("version", try JSONScanner.parse(encoded.span)["info"]?["version"] ?? .null)
        } else if inputs.has("private_key_hex") {
            let backup = SafeBackup(
                clientKey: try inputs.clientKey("private_key_hex"), profile: .empty, writerInfo: nil)
            let json = try backup.revealDocument().withBytes { try JSONScanner.parse($0) }
            check.compare("privatekey_base64", json["user"]?["privatekey"]?.string)
        } else {
            let names = ["group_id_u64", "distribution_list_id_u64"].filter { inputs.has($0) }
            guard !names.isEmpty else {
                throw CheckError.missing("input json, private_key_hex or group_id_u64")
            }
            for name in names { check.compare("id_hex", .array(try numbers(inputs, name).map { .string($0) })) }
        }
    }

    /// The library takes 180 days for a retention that is out of range, as Android does.
    static func config(_ check: inout Check) throws {
        let body = Array(try check.inputs.text("body").utf8)
        let limits = try ServerLimits(config: body.span)
        check.compare("maxBackupBytes", limits.maxBackupBytes)
        let stated = try JSONScanner.parse(body.span)["retentionDays"] ?? .null
        let isInRange = stated.integer.map { (1...3650).contains($0) } ?? false
        check.compare("retentionDays", isInRange ? .number(limits.retentionDays) : stated)
        check.compare("effective_retention_days_android", limits.retentionDays)
    }

    private static func keys(_ inputs: Fields) throws -> SafeKeys {
        SafeKeys(masterKey: try inputs.secret("master_key", count: SafeKeys.masterKeyCount))
    }

    private static func encryptionKey(_ keys: borrowing SafeKeys) -> SecureBytes {
        keys.masterKey.withBytes { SecureBytes(copying: $0.extracting(BackupID.count..<SafeKeys.masterKeyCount)) }
    }

    private static func isSame(_ document: borrowing SecureBytes, _ json: [UInt8]) throws -> Bool {
        try document.withBytes { try JSONScanner.parse($0) }.sorted == JSONScanner.parse(json.span).sorted
    }

    /// 64 bits in little endian as the documents have them, hexadecimal.
    private static func numbers(_ inputs: Fields, _ name: String) throws -> [String] {
        try (inputs[name]?.array ?? []).map { value in
            guard case .number(let literal) = value, let number = UInt64(literal) else {
                throw CheckError.malformed("input \(name)", "a list of numbers of 64 bits")
            }
            return (0..<8).map { index in
                let byte = UInt8(truncatingIfNeeded: number >> (8 * index))
                return (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
        }
    }
}
