import KeyWrapping
import Primitives
import SecureMemory
import Threema

/// Areas of the files in which the apps keep their keys.
enum KeyFiles {
    /// `key.dat` of the Android app before 6.2: protection (1) ‖ key, masked (32) ‖ salt (8) ‖ check value (4).
    static func version1(_ check: inout Check) throws {
        let file = try check.inputs.bytes("file_hex")
        let wrapped = try WrappedKey(SecureBytes(copying: file.span))
        let key = try open(wrapped, check.inputs)
        try check.compare("master_key", key.bytes)
        try check.compare("verification", Array(key.bytes.withBytes { Legacy.SHA1.hash($0) }.prefix(4)))
        check.compare("protection", wrapped.protection == .none ? 0 : 2)
        guard file.count == 45 else { throw CheckError.malformed("input file_hex", "45 bytes") }
        let salt = Array(file[33..<41])
        try check.compare("salt", salt)
        guard check.isExpected("protected_key") else { return }
        let phrase = Array(try check.inputs.text("passphrase").utf8)
        let pad = try Scrypt.deriveKey(
            password: phrase.span, salt: salt.span, cost: 65_536, blockSize: 8, parallelism: 1, count: MasterKey.count
        ).revealBytes()
        try check.compare("protected_key", zip(key.bytes.revealBytes(), pad).map { $0 ^ $1 })
    }

    /// `master_key.dat` of the Android app since 6.2; what a remote secret protects is computed with the primitives.
    static func version2(_ check: inout Check) throws {
        let inputs = check.inputs
        if inputs.has("remote_secret_hex") { return try remoteField(&check) }
        let wrapped: WrappedKey
        do {
            wrapped = try WrappedKey(try inputs.secret("file_hex", count: nil))
        } catch KeyFileError.remoteSecret where inputs.has("remote_secret") {
            let hash = try Primitive.derive(try inputs.secret("remote_secret"), "rsh", "3ma-rs")
            return try check.compare("remote_secret_hash", hash)
        }
        try check.compare("master_key", try open(wrapped, inputs).bytes)
        guard check.isExpected("secret_key"), case .argon2id(let cost) = wrapped.protection else { return }
        let (phrase, salt) = (Array(try inputs.text("passphrase").utf8), try inputs.bytes("salt", count: 16))
        try check.compare(
            "secret_key",
            Argon2id.deriveKey(
                password: phrase.span, salt: salt, memoryKiB: cost.memoryKiB, iterations: cost.iterations, count: 32))
    }

    /// `keystorage.pb3` of the Desktop app, or only the key that opens it.
    static func desktop(_ check: inout Check) throws {
        let inputs = check.inputs
        if inputs.has("file_hex") {
            let file = try inputs.bytes("file_hex")
            _ = try DesktopKeyStorage.cost(of: file.span)
            let password = Array(try inputs.text("password").utf8)
            let storage = try DesktopKeyStorage(opening: file.span, password: SecureBytes(copying: password.span))
            check.compare("identity", storage.id)
            return try check.compare("client_key", storage.clientKey)
        }
        let (password, salt) = (Array(try inputs.text("password").utf8), try inputs.bytes("salt", count: 16))
        let memory = try inputs.integer("memory_bytes", in: 8192...1 << 30)
        guard memory % 1024 == 0 else { throw CheckError.malformed("input memory_bytes", "a multiple of 1024") }
        let key = try Argon2id.deriveKey(
            password: password.span, salt: salt, memoryKiB: UInt32(memory / 1024),
            iterations: UInt32(try inputs.integer("iterations", in: 1...1000)),
            lanes: UInt32(try inputs.integer("parallelism", in: 1...memory / 8192)), count: 32)
        try check.compare("key", key)
    }

    /// A message of Protocol Buffers: field 1 is the nonce (24 bytes), field 2 the box (XChaCha20-Poly1305).
    private static func remoteField(_ check: inout Check) throws {
        let secret = try check.inputs.secret("remote_secret_hex", count: nil)
        guard (1...64).contains(secret.count) else {
            throw CheckError.malformed("input remote_secret_hex", "1 to 64 bytes")
        }
        let key = try Primitive.derive(secret, "rssk-a", "3ma-rs")
        try check.compare("rssk", key)
        let nonce = try check.inputs.bytes("nonce", count: XChaChaPoly.nonceCount)
        let plaintext = try check.inputs.bytes("plaintext_hex")
        guard plaintext.count < 112 else { throw CheckError.malformed("input plaintext_hex", "at most 111 bytes") }
        let box = XChaChaPoly.seal(plaintext.span, nonce: nonce, key: key, additionalData: [])
        try check.compare(
            "encrypted_field", [0x0a, UInt8(nonce.count)] + nonce + [0x12, UInt8(box.count)] + box)
    }

    private static func open(_ wrapped: borrowing WrappedKey, _ inputs: Fields) throws -> MasterKey {
        guard inputs.has("passphrase") else { return try wrapped.open() }
        let phrase = Array(try inputs.text("passphrase").utf8)
        return try wrapped.open(passphrase: SecureBytes(copying: phrase.span))
    }
}
