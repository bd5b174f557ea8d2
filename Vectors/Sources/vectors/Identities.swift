import Encodings
import Foundation
import Primitives
import SecureMemory
import Threema
import ThreemaDirectory
import ThreemaWeb

/// Areas of identities: IDs, keys, and the codes that carry them.
enum Identities {
    static func id(_ check: inout Check) throws {
        check.compare("valid", .bool((try? ThreemaID(check.inputs.text("identity"))) != nil))
    }

    static func keyPair(_ check: inout Check) throws {
        try check.compare("public_key", check.inputs.clientKey("client_key").publicKey.bytes)
    }

    static func backup(_ check: inout Check) throws {
        let password = try check.password()
        let text = try check.inputs.text("backup")
        let code = try GroupedCode(parsing: text)
        let identity = try password.withBytes { try IDBackup.open(code, password: $0) }
        let isLegacy = try IDBackup.scheme(of: code) == .pbkdf2
        check.compare("scheme", isLegacy ? "legacy" : "argon_chacha_poly_v1")
        check.compare("identity", identity.id.text)
        try check.compare("client_key", identity.clientKey.bytes)
        try check.compare("public_key", identity.clientKey.publicKey.bytes)
        guard check.inputs.has("backup_raw_hex") else { return }
        let raw = try check.inputs.bytes("backup_raw_hex")
        // Five bytes are eight characters.
        check.require("backup_raw_hex", raw.count % 5 == 0 && GroupedCode(encoding: raw.span) == code)
        // A version is in front of the salt of the newer scheme.
        try check.compare("salt", Array(raw.dropFirst(isLegacy ? 0 : 1).prefix(8)))
    }

    static func revocation(_ check: inout Check) throws {
        let password = try check.password()
        let key = password.withBytes { RevocationKey(password: $0) }
        try check.compare("sha256", password.withBytes { SHA256.hash($0) })
        try check.compare("key_hex", key.bytes)
        check.compare("key_base64", Data(key.bytes).base64EncodedString())
    }

    /// Parses a content, or makes one of an ID and a key.
    static func contact(_ check: inout Check) throws {
        let inputs = check.inputs
        guard inputs.has("content") else {
            let code = ContactCode(id: try inputs.id("identity"), publicKey: try inputs.publicKey("public_key"))
            return check.compare("content", code.text)
        }
        let code = try ContactCode(parsing: inputs.text("content"))
        check.compare("identity", code.id.text)
        try check.compare("public_key", code.publicKey.bytes)
        check.compare("expiration", code.expires.map { JSONValue.number($0.milliseconds / 1000) } ?? .null)
    }

    static func display(_ check: inout Check) throws {
        let lines = try check.inputs.publicKey("public_key").lines
        check.compare("lines", .array(lines.map { .string($0) }))
        check.compare("desktop_lines", .array(lines.map { .string($0.map(String.init).joined(separator: " ")) }))
    }

    static func pairing(_ check: inout Check) throws {
        let code = Array(try check.inputs.text("base64").utf8)
        let payload = try PairingPayload(code: code.span)
        check.require("base64", payload.code.equals(code))
        check.compare("version", payload.version)
        check.compare("options", payload.options.rawValue)
        check.compare("self_hosted", .bool(payload.options.contains(.selfHosted)))
        check.compare("permanent", .bool(payload.options.contains(.permanent)))
        try check.compare("initiator_public_key", payload.initiatorKey.bytes)
        try check.compare("auth_token", payload.token.bytes)
        check.compare("server_public_key", payload.server.key?.hex)
        check.compare("port", payload.server.port)
        check.compare("host", payload.server.host)
    }

    static func directory(_ check: inout Check) throws {
        let inputs = check.inputs
        let challenge = Challenge(
            kind: .consumer, token: try inputs.bytes("token"), publicKey: try inputs.publicKey("token_resp_key_pub"))
        let response = try challenge.response(of: try inputs.clientKey("client_key"))
        let shared = try Primitive.sharedKey(inputs, "client_key", "token_resp_key_pub")
        try check.compare("shared_secret", shared)
        try check.compare("response_key", try Primitive.derive(shared, challenge.kind.rawValue, "3ma-csp"))
        try check.compare("response", response)
        check.compare("response_base64", Data(response).base64EncodedString())
    }
}

extension Check {
    /// The password in UTF-8: text, or hexadecimal digits as `password_utf8_hex`. Both have to be the same.
    mutating func password() throws -> SecureBytes {
        let name = "password_utf8_hex"
        guard inputs.has("password") || !inputs.has(name) else { return try inputs.secret(name, count: nil) }
        let text = Array(try inputs.text("password").utf8)
        if inputs.has(name) { require(name, try inputs.bytes(name) == text) }
        return SecureBytes(copying: text.span)
    }
}
