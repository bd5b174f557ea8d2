import Encodings
import Primitives
import Ratchet
import SecureMemory
import SophaxChat
import TextSecure

/// Operations of ratchets: of TextSecure's sessions, and of SophaxChat's sessions and groups.
enum RatchetKeys {
    // MARK: TextSecure

    static func hkdf2(_ check: inout Check) throws {
        let secret = try check.inputs.secret("ikm", count: nil)
        let salt = try check.inputs.bytes("salt")
        let info = try check.inputs.bytes("info")
        let count = Int(try check.inputs.integer("length", in: 1...8160))
        let key = secret.withBytes {
            HKDFSHA256.deriveKey(from: $0, salt: salt.span, info: info.span, count: count, firstBlock: 0)
        }
        try check.compare("okm", key)
    }

    static func initialRoot(_ check: inout Check) throws {
        let inputs = check.inputs
        let suite = try textSecure(inputs)
        let identity = HeldKey(try inputs.secret("alice_identity_private"))
        let ephemeral = HeldKey(try inputs.secret("alice_ephemeral_private"))
        let keys = FirstSecret.ResponderKeys(
            identity: try inputs.bytes("bob_identity_public", count: 32),
            prekey: try inputs.bytes("bob_prekey_public", count: 32))
        let secret = try FirstSecret.initiate(
            suite, identity: identity.bytes, ephemeral: ephemeral.bytes, with: keys)
        // The parts, by the primitives; then the library's own agreement has to be the same.
        var master = SecureBuffer(capacity: 4 * 32)
        let prefix = [UInt8](repeating: 0xff, count: suite.agreement.hasPrefix ? 32 : 0)
        master.append(prefix.span)
        master.append(try agree(identity, keys.prekey))
        master.append(try agree(ephemeral, keys.identity))
        master.append(try agree(ephemeral, keys.prekey))
        let masterSecret = master.finish()
        try check.compare("master_secret", masterSecret)
        let salt = [UInt8](repeating: 0, count: 32)
        let derived = masterSecret.withBytes {
            HKDFSHA256.deriveKey(
                from: $0, salt: salt.span, info: suite.agreement.info.span, count: 64, firstBlock: suite.firstBlock)
        }
        try check.compare("root_key", part(derived, 0..<32))
        try check.compare("chain_key", part(derived, 32..<64))
        check.require("root_key", secret.equals(derived))
    }

    static func axolotlChain(_ check: inout Check) throws {
        let suite = try textSecure(check.inputs)
        let root = try check.inputs.secret("root_key")
        let own = HeldKey(try check.inputs.secret("ratchet_private"))
        let keys = suite.rootKeys(
            root: root, secret: try agree(own, try check.inputs.bytes("their_ratchet_public", count: 32)))
        try check.compare("new_root_key", part(keys, 0..<32))
        let chain = HeldKey(part(keys, 32..<64))
        try check.compare("chain_key", chain.bytes)
        let walk = HMACSHA256.walkChain(chain.bytes, steps: 1, output: 1, next: 2)
        try check.compare("next_chain_key", part(walk, 32..<64))
        // Version 2 takes 64 bytes, and 80 begin with the same.
        let seed = HeldKey(part(walk, 0..<32))
        let salt = [UInt8](repeating: 0, count: 32)
        let all = seed.bytes.withBytes {
            HKDFSHA256.deriveKey(
                from: $0, salt: salt.span, info: suite.expansion!.info.span, count: 80, firstBlock: suite.firstBlock)
        }
        try check.compare("message_cipher_key", part(all, 0..<32))
        try check.compare("message_mac_key", part(all, 32..<64))
        try check.compare("message_iv", part(all, 64..<80))
        let used = suite.messageKey(seed)
        check.require("message_cipher_key", used.bytes.equals(part(all, 0..<used.bytes.count)))
    }

    private static func textSecure(_ inputs: Fields) throws -> RatchetSuite {
        // The numbers are all that there are.
        SessionVersion(rawValue: UInt8(try inputs.integer("version", in: 2...3)))!.suite
    }

    // MARK: SophaxChat

    static func x3dh(_ check: inout Check) throws {
        let inputs = check.inputs
        let (identityA, ephemeral) = (try key(inputs, "ik_a_private"), try key(inputs, "ek_a_private"))
        let (identityB, prekey) = (try key(inputs, "ik_b_private"), try key(inputs, "spk_b_private"))
        let hasOneTime = inputs.has("opk_b_private") ? !(try inputs.text("opk_b_private").isEmpty) : false
        let oneTime = hasOneTime ? try key(inputs, "opk_b_private") : nil
        for (name, key) in [
            ("ik_a_public", identityA), ("ek_a_public", ephemeral), ("ik_b_public", identityB),
            ("spk_b_public", prekey),
        ] where inputs.has(name) {
            check.require(name, try inputs.bytes(name, count: 32) == publicKey(key))
        }
        let sent = try FirstSecret.initiate(
            .sophaxChat, identity: identityA.bytes, ephemeral: ephemeral.bytes,
            with: FirstSecret.ResponderKeys(
                identity: publicKey(identityB), prekey: publicKey(prekey), oneTime: oneTime.map(publicKey)))
        let received = try FirstSecret.respond(
            .sophaxChat, identity: identityB.bytes, prekey: prekey.bytes, oneTime: oneTime,
            initiator: publicKey(identityA), ephemeral: publicKey(ephemeral))
        if check.isExpected("shared_secret") {
            let wanted = try check.expected.secret("shared_secret", count: nil)
            let areEqual = (sent.equals(wanted), received.equals(wanted))
            check.note("shared_secret", areEqual == (true, true))
        }
        var concatenation = SecureBuffer(capacity: 4 * 32)
        concatenation.append(try agree(identityA, publicKey(prekey)))
        concatenation.append(try agree(ephemeral, publicKey(identityB)))
        concatenation.append(try agree(ephemeral, publicKey(prekey)))
        if let oneTime { concatenation.append(try agree(ephemeral, publicKey(oneTime))) }
        try check.compare("dh_concat", concatenation.finish())
    }

    static func rootStep(_ check: inout Check) throws {
        let (root, secret) = (try key(check.inputs, "root_key"), try key(check.inputs, "dh_output"))
        let keys = RatchetSuite.sophaxChat.rootKeys(root: root.bytes, secret: secret.bytes)
        try check.compare("new_root_key", part(keys, 0..<32))
        try check.compare("chain_key", part(keys, 32..<64))
        try check.compare("next_header_key", part(keys, 64..<96))
    }

    static func headerKeys(_ check: inout Check) throws {
        let secret = FirstSecret(try check.inputs.secret("shared_secret"), suite: .sophaxChat)
        guard let keys = RatchetSuite.sophaxChat.firstHeaderKeys(secret) else { return }
        try check.compare("hk_alice", keys.initiator.bytes)
        try check.compare("nhk_bob", keys.responder.bytes)
    }

    static func chainSteps(_ check: inout Check) throws { try walk(&check, "steps") { "chain_key_\($0)" } }

    static func senderChain(_ check: inout Check) throws { try walk(&check, "iterations") { "chain_key_\($0)" } }

    /// Message keys and chain keys, as lists, and the last chain key under its own name.
    private static func walk(_ check: inout Check, _ count: String, _ name: (Int) -> String) throws {
        let start = try key(check.inputs, "chain_key")
        let steps = Int(try check.inputs.integer(count, in: 0...10_000))
        let keys = HMACSHA256.walkChain(start.bytes, steps: steps, output: 1, next: 2)
        let messageKeys = (0..<steps).map { HeldKey(part(keys, 32 * $0..<32 * ($0 + 1))) }
        try compare(&check, "message_keys", messageKeys)
        let chains = (0..<steps).map { number in
            HeldKey(
                part(
                    HMACSHA256.walkChain(start.bytes, steps: number + 1, output: 1, next: 2),
                    32 * (number + 1)..<32 * (number + 2)))
        }
        try compare(&check, "chain_keys", chains)
        try check.compare(name(steps), part(keys, 32 * steps..<32 * (steps + 1)))
    }

    static func senderSeal(_ check: inout Check) throws {
        let start = try key(check.inputs, "chain_key_0")
        let number = Int(try check.inputs.integer("iteration", in: 0...10_000))
        let keys = HMACSHA256.walkChain(start.bytes, steps: number + 1, output: 1, next: 2)
        let nonce = try check.inputs.bytes("nonce", count: ChaChaPoly.nonceCount)
        let text = try check.inputs.secret("plaintext", count: nil)
        let messageKey = part(keys, 32 * number..<32 * (number + 1))
        let box = text.withBytes { ChaChaPoly.seal($0, nonce: nonce, key: messageKey, additionalData: []) }
        try check.compare("box", nonce + box)
    }

    // MARK: Pieces

    private static func key(_ fields: Fields, _ name: String) throws -> HeldKey { HeldKey(try fields.secret(name)) }

    private static func publicKey(_ key: HeldKey) -> [UInt8] { key.bytes.withBytes { X25519.publicKey(of: $0) } }

    private static func agree(_ key: HeldKey, _ other: [UInt8]) throws -> SecureBytes {
        try key.bytes.withBytes { try X25519.sharedSecret(privateKey: $0, publicKey: other.span) }
    }

    private static func part(_ bytes: borrowing SecureBytes, _ range: Range<Int>) -> SecureBytes {
        bytes.withBytes { SecureBytes(copying: $0.extracting(range)) }
    }

    /// Compares a list, which is an array of hexadecimal texts, or one text with commas.
    private static func compare(_ check: inout Check, _ name: String, _ keys: [HeldKey]) throws {
        guard check.isExpected(name) else { return }
        let wanted =
            try check.expected[name]?.array == nil
            ? check.expected.text(name).split(separator: ",").map(String.init) : check.expected.texts(name)
        let isEqual = zip(wanted, keys).allSatisfy { wanted, key in
            let fields = Fields(value: .string(wanted), place: "expected")
            guard let bytes = try? fields.secret(name) else { return false }
            return key.bytes.equals(bytes)
        }
        check.note(name, isEqual && wanted.count == keys.count)
    }
}
