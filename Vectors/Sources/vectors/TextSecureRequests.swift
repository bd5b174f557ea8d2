import Encodings
import Ratchet
import SecureMemory
import TextSecure

/// Operations of TextSecure's requests: what a client sends, as the library writes it.
enum TextSecureRequests {
    static func basicAuth(_ check: inout Check) throws {
        guard let number = AccountNumber(try check.inputs.text("number")) else {
            throw CheckError.malformed("input number", "a phone number")
        }
        let text = Array(try check.inputs.text("password").utf8)
        guard let password = AccountPassword(SecureBytes(copying: text.span)) else {
            throw CheckError.malformed("input password", "a password")
        }
        // Any request with the login; of the account it has nothing else.
        let account = try TextSecureAccount(
            number: number, password: password, signalingKey: SignalingKey(), identity: AgreementKey(),
            registrationID: 1, lastResort: LastResortPrekey(), prekeys: PrekeyPool(.textSecure), server: nil,
            relay: nil)
        let request = ServerRequest.attachment(1)
        let document = account.document(of: request, at: "https://server.example").revealBytes()
        let json = try JSONScanner.parse(document.span)
        check.compare("authorization", json["headers"]?["Authorization"]?.string)
    }

    static func signalingKeyText(_ check: inout Check) throws {
        let bytes = try check.inputs.secret("signaling_key", count: SignalingKey.count)
        guard let key = SignalingKey(bytes) else { return }
        let request = try ServerRequest.confirm(code: "0", signalingKey: key)
        let body = try body(request)
        check.compare("base64", try JSONScanner.parse(body.span)["signalingKey"]?.string)
        try check.compare("cipher_key", key.encryptionKey)
        try check.compare("mac_key", key.macKey)
    }

    /// - Parameter check: its prekeys are text, `id:key,id:key`, or a list of objects with `id` and `public`.
    static func prekeysJSON(_ check: inout Check) throws {
        let inputs = check.inputs
        let prekeys: [PublicPrekey]
        if let list = inputs["prekeys"]?.array {
            prekeys = try list.map { value in
                let fields = Fields(value: value, place: "input prekeys")
                return try prekey(try fields.integer("id"), try publicKey(fields, "public"))
            }
        } else {
            prekeys = try inputs.text("prekeys").split { ",;".contains($0) }.map { text in
                let parts = text.split(separator: ":")
                guard parts.count == 2, let id = Int64(parts[0]) else {
                    throw CheckError.malformed("input prekeys", "a list of prekeys")
                }
                let fields = Fields(value: .string(String(parts[1])), place: "input")
                return try prekey(id, try publicKey(fields, "prekeys"))
            }
        }
        let lastResort = try prekey(Int64(LastResortPrekey.id), try publicKey(inputs, "last_resort_public"))
        let request = try ServerRequest.upload(
            prekeys, lastResort: lastResort, identity: publicKey(inputs, "identity_public"))
        check.compare("json", String(decoding: try body(request), as: UTF8.self))
    }

    private static func body<Answer>(_ request: borrowing ServerRequest<Answer>) throws -> [UInt8] {
        switch request.body {
        case .some(let body): return body.revealBytes()
        case .none: throw CheckError.notInAPI("a request without a body")
        }
    }

    private static func prekey(_ id: Int64, _ key: PublicKey33) throws -> PublicPrekey {
        guard let id = UInt32(exactly: id), let prekey = PublicPrekey(id: id, key: key) else {
            throw CheckError.malformed("input prekeys", "a list of prekeys")
        }
        return prekey
    }

    /// A public key of 33 bytes, or its point, 32 bytes.
    static func publicKey(_ fields: Fields, _ name: String) throws -> PublicKey33 {
        let bytes = try fields.bytes(name)
        guard let key = PublicKey33(bytes) ?? PublicKey33(point: bytes) else {
            throw CheckError.malformed("\(fields.place) \(name)", "a public key")
        }
        return key
    }
}
