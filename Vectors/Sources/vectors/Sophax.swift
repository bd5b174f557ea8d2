import Encodings
import Foundation
import Primitives
import Ratchet
import SecureMemory
import SophaxChat
import SophaxMesh
import SophaxStorage

/// Operations of SophaxChat. What the library only seals with random numbers of its own, is computed with its
/// primitives, and then opened.
enum Sophax {
    // MARK: Identities

    static func peerID(_ check: inout Check) throws {
        let identity = try identity(check.inputs)
        try check.compare("fingerprint", identity.fingerprint)
        check.compare("peer_id_16", identity.peerID.description)
        check.compare("peer_id_8", identity.shortPeerID.description)
    }

    static func safetyNumber(_ check: inout Check) throws {
        let domain: PublicIdentity.SafetyDomain
        switch try check.inputs.text("domain") {
        case "": domain = .none
        case "SophaxChat_SafetyNumber_v1": domain = .version1
        default: throw CheckError.notInAPI("another domain")
        }
        check.compare("safety_number", try identity(check.inputs).safetyNumber(domain))
    }

    static func signedPrekey(_ check: inout Check) throws {
        let key = try check.inputs.bytes("signed_prekey_public", count: 32)
        let seed = try check.inputs.secret("signing_seed")
        try check.compare("signature", seed.withBytes { Ed25519.sign(key.span, seed: $0) })
    }

    static func sealedSender(_ check: inout Check) throws {
        let inputs = check.inputs
        let recipient = try inputs.bytes("recipient_public", count: 32)
        let ephemeral = try inputs.secret("ephemeral_private")
        try check.compare("ephemeral_public", ephemeral.withBytes { X25519.publicKey(of: $0) })
        let key = try agreedKey(ephemeral, recipient, "SophaxChat_SealedSender_v1")
        try check.compare("sealing_key", key)
        let (nonce, inner) = (try inputs.bytes("nonce", count: 12), try inputs.bytes("inner"))
        try check.compare(
            "encrypted_payload", nonce + ChaChaPoly.seal(inner.span, nonce: nonce, key: key, additionalData: []))
    }

    // MARK: Wire

    /// - Parameter check: its timestamp is text as it is signed, or seconds since 2001.
    static func wireSignature(_ check: inout Check) throws {
        let inputs = check.inputs
        var time = inputs["timestamp"]?.string
        if case .number(let literal)? = inputs["timestamp"], let seconds = Double(literal) {
            time = AppTime(seconds: seconds)?.timestamp.rfc3339
        }
        guard let time else { throw CheckError.malformed("input timestamp", "a time") }
        let bytes =
            Array(try inputs.text("type").utf8) + (try inputs.bytes("payload"))
            + Array(try inputs.text("sender_id").utf8) + Array(time.utf8)
        try check.compare("signing_bytes", bytes)
        let seed = try inputs.secret("signing_seed")
        try check.compare("signature", seed.withBytes { Ed25519.sign(bytes.span, seed: $0) })
        guard inputs.has("signing_public") else { return }
        check.require(
            "signing_public",
            try seed.withBytes { Ed25519.publicKey(of: $0) } == inputs.bytes("signing_public", count: 32))
    }

    /// A frame whose payload is one byte, repeated: `payload_byte`, or zero.
    static func frame(_ check: inout Check) throws {
        let inputs = check.inputs
        let count = Int(try inputs.integer("payload_length", in: 0...4_194_304))
        let byte = inputs.has("payload_byte") ? try Self.byte(inputs, "payload_byte") : 0
        let content = [UInt8](repeating: byte, count: count)
        if inputs.has("payload_sha256") || !inputs.has("payload_byte") {
            check.require("payload_sha256", SHA256.hash(content.span) == (try inputs.bytes("payload_sha256")))
        }
        guard let frame = FrameReader.frame(content) else { throw CheckError.notInAPI("a longer frame") }
        try check.compare("prefix", Array(frame[..<4]))
        try check.compare("frame_sha256", SHA256.hash(frame.span))
    }

    static func frameLimit(_ check: inout Check) throws {
        let prefix = try check.inputs.bytes("prefix", count: 4)
        var reader = FrameReader()
        let isRefused = (try? reader.read(prefix.span)) == nil
        check.note("result", try check.expected.text("result").hasPrefix(isRefused ? "reject" : "wait"))
    }

    // MARK: Stored things

    static func identityBackup(_ check: inout Check) throws {
        let file = try check.expected.bytes("file")
        let (iterations, salt) = (
            Int(try check.inputs.integer("iterations", in: 1...10_000_000)), try check.inputs.bytes("salt", count: 32)
        )
        let phrase = Array(try check.inputs.text("passphrase").utf8)
        let key = PBKDF2.deriveKey(password: phrase.span, salt: salt, iterations: iterations, count: 32)
        try check.compare("key", key)
        let nonce = try check.inputs.bytes("nonce", count: 12)
        let json = Array(try check.inputs.text("payload_json").utf8)
        let count = (0..<4).map { UInt8(truncatingIfNeeded: iterations >> (24 - 8 * $0)) }
        try check.compare(
            "file",
            Array("SXID".utf8) + [2] + count + salt + nonce
                + AES256GCM(key: key).seal(json.span, nonce: nonce, additionalData: []))
        guard IdentityBackup.iterations.contains(UInt32(iterations)), check.differences.isEmpty else { return }
        do {
            _ = try IdentityBackup(opening: file, passphrase: SecureBytes(copying: phrase.span))
        } catch {
            check.require("file", false)
        }
    }

    static func pinVersion1(_ check: inout Check) throws {
        let input = try check.inputs.bytes("salt", count: 16) + Array(try check.inputs.text("pin").utf8)
        try check.compare("hash", SHA256.hash(input.span))
    }

    static func pinVersion2(_ check: inout Check) throws {
        let pin = Array(try check.inputs.text("pin").utf8)
        try check.compare(
            "hash",
            PBKDF2.deriveKey(
                password: pin.span, salt: try check.inputs.bytes("salt", count: 32),
                iterations: Int(try check.inputs.integer("iterations", in: 1...10_000_000)), count: 32))
    }

    static func sessionMAC(_ check: inout Check) throws {
        let state = try check.inputs.bytes("state")
        try check.compare("blob", StoredSession.seal(state.span, key: check.inputs.secret("mac_key")))
    }

    static func store(_ check: inout Check) throws {
        let text = try check.inputs.bytes("plaintext")
        let nonce = try check.inputs.bytes("nonce", count: 12)
        let key = try check.inputs.secret("master_key")
        let blob = nonce + AES256GCM(key: key).seal(text.span, nonce: nonce, additionalData: [])
        try check.compare("blob", blob)
        check.require("blob", try StoredMessages.open(blob, key: key).equals(text))
    }

    /// The stated shares are read and joined.
    static func shares(_ check: inout Check) throws {
        let secret = try check.inputs.secret("secret", count: 64)
        let identity = SophaxIdentity(
            signing: secret.withBytes { SecureBytes(copying: $0.extracting(0..<32)) },
            agreement: secret.withBytes { SecureBytes(copying: $0.extracting(32..<64)) })!
        let threshold = Int(try check.inputs.integer("threshold", in: 2...255))
        let total = try check.inputs.integer("total", in: 2...255)
        let texts = try check.expected.text("shares").split(separator: ",")
        var shares: [IdentityShare] = []
        for text in texts {
            let parts = text.split(separator: ":")
            guard parts.count == 2 else { throw CheckError.malformed("expected shares", "a list of shares") }
            let bytes = try Fields(value: .string(String(parts[1])), place: "expected").bytes("shares", count: 64)
            let json =
                "{\"id\":\"00000000-0000-4000-8000-000000000000\",\"index\":\(parts[0]),\"threshold\":\(threshold),"
                + "\"total\":\(total),\"createdAt\":0,\"data\":\"\(base64(bytes))\"}"
            let encoded = Array(json.utf8)
            shares.append(try IdentityShare(parsing: encoded.span))
        }
        guard shares.count == total else { return check.note("shares", false) }
        var isRight = true
        for start in 0...shares.count - threshold {
            let joined = try IdentityShare.join(Array(shares[start..<start + threshold]))
            if joined.peerID != identity.peerID { isRight = false }
        }
        check.note("shares", isRight)
    }

    // MARK: Parts

    /// The key of two sides for the boxes with this label.
    static func agreedKey(_ own: borrowing SecureBytes, _ peer: [UInt8], _ label: String) throws -> SecureBytes {
        let shared = try own.withBytes { (own) throws(SharedKeyError) in
            try X25519.sharedSecret(privateKey: own, publicKey: peer.span)
        }
        let (salt, info): ([UInt8], [UInt8]) = ([], Array(label.utf8))
        return shared.withBytes { HKDFSHA256.deriveKey(from: $0, salt: salt.span, info: info.span, count: 32) }
    }

    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// A byte: a number, or two hexadecimal digits.
    private static func byte(_ fields: Fields, _ name: String) throws -> UInt8 {
        let byte: UInt8? =
            switch fields[name] {
            case .number(let literal)?: UInt8(literal)
            case .string(let text)? where text.utf8.count == 2 && text.allSatisfy(\.isHexDigit): UInt8(text, radix: 16)
            default: nil
            }
        guard let byte else { throw CheckError.malformed("\(fields.place) \(name)", "1 byte") }
        return byte
    }

    private static func identity(_ fields: Fields) throws -> PublicIdentity {
        guard
            let identity = PublicIdentity(
                signing: try fields.bytes("signing_public", count: 32),
                agreement: try fields.bytes("dh_public", count: 32))
        else { throw CheckError.malformed("input", "an identity") }
        return identity
    }
}
