import Encodings
import Primitives
import Ratchet
import SecureMemory
import TextSecure

/// Operations of TextSecure: public keys and their fingerprints, and messages of a session.
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

    /// Seals the plaintext, and opens it again. The highest version that the sender speaks, which is in the first byte,
    /// is that of the stated message: the library writes its own, 3.
    static func whisper(_ check: inout Check) throws {
        let inputs = check.inputs
        guard let version = SessionVersion(rawValue: UInt8(try inputs.integer("version", in: 2...3))) else { return }
        let key = try messageKey(inputs, version)
        let sender = try TextSecureRequests.publicKey(inputs, "sender_identity")
        let receiver = try TextSecureRequests.publicKey(inputs, "receiver_identity")
        let body = try inputs.bytes("plaintext")
        let numbers = 0...Int64(UInt32.max)
        let message = try WhisperMessage.seal(
            body.span, version: version, key: key,
            ratchetKey: TextSecureRequests.publicKey(inputs, "ratchet_public"),
            counter: UInt32(try inputs.integer("counter", in: numbers)),
            previousCounter: UInt32(try inputs.integer("previous_counter", in: numbers)), from: sender, to: receiver)
        try check.compare("ciphertext", message.ciphertext)
        let serialized = try stated(message, check, version == .three ? sender.bytes + receiver.bytes : [])
        try check.compare("serialized", serialized)
        let opened = try WhisperMessage(parsing: serialized).open(key, from: sender, to: receiver)
        check.require("serialized", opened.equals(body))
    }

    /// Cipher key ‖ MAC key ‖ in version 3 IV.
    private static func messageKey(_ inputs: Fields, _ version: SessionVersion) throws -> HeldKey {
        let iv = version == .three ? try inputs.bytes("iv", count: 16) : []
        var keys = SecureBuffer(capacity: version.keyCount)
        keys.append(try inputs.secret("cipher_key"))
        keys.append(try inputs.secret("mac_key"))
        keys.append(iv.span)
        return HeldKey(keys.finish())
    }

    /// The message, with its session's version as the highest one that the sender speaks if the stated one has that.
    /// - Parameter identities: what the MAC covers before the message.
    private static func stated(_ message: WhisperMessage, _ check: Check, _ identities: [UInt8]) throws -> [UInt8] {
        let version = message.version.rawValue
        let first = version << 4 | version
        guard check.expected.has("serialized"), try check.expected.bytes("serialized").first == first,
            message.bytes[0] != first
        else { return message.bytes }
        let bytes = [first] + message.bytes[1..<message.bytes.count - 8]
        let covered = identities + bytes
        let key = HeldKey(try check.inputs.secret("mac_key"))
        return bytes + key.bytes.withBytes { HMACSHA256.authenticate(covered.span, key: $0) }[..<8]
    }

    /// The library has 5200 iterations; any number is computed with its primitive.
    static func numericFingerprint(_ check: inout Check) throws {
        let inputs = check.inputs
        let (keyA, idA) = (try TextSecureRequests.publicKey(inputs, "identity_a"), try inputs.text("id_a"))
        let (keyB, idB) = (try TextSecureRequests.publicKey(inputs, "identity_b"), try inputs.text("id_b"))
        let iterations = try inputs.integer("iterations", in: 1...100_000)
        let (hashA, hashB) = (hash(keyA, idA, iterations), hash(keyB, idB, iterations))
        let (a, b) = (digits(hashA), digits(hashB))
        check.compare("a", a)
        check.compare("b", b)
        let display = [a, b].sorted().joined()
        if check.isExpected("display") {
            check.note("display", try check.expected.text("display").filter { $0 != " " } == display)
        }
        let halves = [(0x12, hashA), (0x1a, hashB)].map { [UInt8($0.0), 34, 10, 32] + $0.1[..<32] }
        try check.compare("scannable_a_to_b", [8, 1] + halves[0] + halves[1])
        guard iterations == 5200 else { return }
        check.require("display", NumericFingerprint(own: (keyA, idA), peer: (keyB, idB)).digits == display)
    }

    private static func hash(_ key: PublicKey33, _ id: String, _ iterations: Int64) -> [UInt8] {
        var hash = [0, 0] + key.bytes + Array(id.utf8)
        for _ in 0..<iterations {
            let input = hash + key.bytes
            hash = SHA512.hash(input.span).revealBytes()
        }
        return hash
    }

    private static func digits(_ hash: [UInt8]) -> String {
        stride(from: 0, to: 30, by: 5).map { start in
            let number = hash[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
            return String(String(100_000 + number).dropFirst())
        }.joined()
    }
}
