import Primitives
import SecureMemory

/// What is computed with keys, and the checks of authentication codes.
enum CipherCases {
    static var all: [Case] {
        [
            ("x25519", x25519), ("ed25519", ed25519), ("hmac", hmac), ("hkdf", hkdf), ("pbkdf2", pbkdf2),
            ("secretbox", secretBox), ("box", box), ("chachapoly", chaChaPoly), ("aes-gcm", aesGCM),
        ]
    }

    private static let key = EncodingCases.key
    private static let other = [UInt8](repeating: 9, count: 32)
    private static let message = Array("a message of more than 16 bytes".utf8)

    private static func x25519() throws {
        let alice = Hidden.secret(key)
        let bob = Hidden.secret(other)
        let own = alice.withBytes { X25519.publicKey(of: $0) }.shown()
        let peer = bob.withBytes { X25519.publicKey(of: $0) }.shown()
        let one = try alice.withBytes { (key) throws(SharedKeyError) in
            try X25519.sharedSecret(privateKey: key, publicKey: peer.span)
        }
        let two = try bob.withBytes { (key) throws(SharedKeyError) in
            try X25519.sharedSecret(privateKey: key, publicKey: own.span)
        }
        try expect(one.shown() == two.shown(), "the shared secret")
    }

    private static func ed25519() throws {
        let seed = Hidden.secret(key)
        let publicKey = seed.withBytes { Ed25519.publicKey(of: $0) }.shown()
        let signature = seed.withBytes { Ed25519.sign(message.span, seed: $0) }.shown()
        try expect(Ed25519.isValid(signature, of: message.span, publicKey: publicKey), "the signature")
    }

    private static func hmac() throws {
        let secret = Hidden.secret(key)
        let code = secret.withBytes { HMACSHA256.authenticate(message.span, key: $0) }
        var stream = HMACSHA256Stream(key: secret)
        stream.update(message.span)
        let again = stream.finish()
        try expect(ConstantTime.areEqual(code.span, again.span), "the code")
        try expect(!ConstantTime.areEqual(code.span, other.span), "another code")
    }

    private static func hkdf() throws {
        let secret = Hidden.secret(key)
        let derived = secret.withBytes {
            HKDFSHA256.deriveKey(from: $0, salt: other.span, info: message.span, count: 80)
        }
        try expect(derived.shown().count == 80, "its length")
    }

    private static func pbkdf2() throws {
        let password = Hidden.secret(Array("password".utf8))
        let derived = password.withBytes { PBKDF2.deriveKey(password: $0, salt: [1], iterations: 3, count: 32) }
        try expect(derived.shown().count == 32, "its length")
    }

    private static func secretBox() throws {
        let secret = Hidden.secret(key)
        let nonce = [UInt8](repeating: 1, count: SecretBox.nonceCount)
        let box = secret.withBytes { SecretBox.seal(message.span, nonce: nonce, key: $0) }
        let opened = try secret.withBytes { (key) throws(AuthenticationError) in
            try SecretBox.open(box.span, nonce: nonce, key: key)
        }
        try expect(opened.shown() == message, "the message")
        try expect(isRefused { _ = try SecretBox.open(box.span, nonce: nonce, key: other.span) }, "another key")
    }

    private static func box() throws {
        let secret = Hidden.secret(key)
        let peer = X25519.publicKey(of: other.span)
        let shared = try secret.withBytes { (key) throws(SharedKeyError) in
            try Box.sharedKey(privateKey: key, publicKey: peer.span)
        }
        let nonce = [UInt8](repeating: 1, count: SecretBox.nonceCount)
        let box = Box.seal(message.span, nonce: nonce, sharedKey: shared)
        try expect(try Box.open(box.span, nonce: nonce, sharedKey: shared).shown() == message, "the message")
    }

    private static func chaChaPoly() throws {
        let secret = Hidden.secret(key)
        let nonce = [UInt8](repeating: 1, count: ChaChaPoly.nonceCount)
        let sealed = ChaChaPoly.seal(message.span, nonce: nonce, key: secret, additionalData: [2])
        let opened = try ChaChaPoly.open(sealed.span, nonce: nonce, key: secret, additionalData: [2])
        try expect(opened.shown() == message, "the message")
        let isRefused = isRefused {
            _ = try ChaChaPoly.open(sealed.span, nonce: nonce, key: secret, additionalData: [3])
        }
        try expect(isRefused, "other data")
        let long = [UInt8](repeating: 1, count: XChaChaPoly.nonceCount)
        let other = XChaChaPoly.seal(message.span, nonce: long, key: secret, additionalData: [])
        let same = try XChaChaPoly.open(other.span, nonce: long, key: secret, additionalData: [])
        try expect(same.shown() == message, "the message under a long nonce")
    }

    /// By libsodium: OpenSSL's functions for processors without instructions for AES use tables.
    private static func aesGCM() throws {
        try expect(AES256GCM.bestLibrary == .sodium, "valgrind's processor has instructions for AES")
        let secret = Hidden.secret(key)
        let cipher = AES256GCM(key: secret, library: .sodium)
        let nonce = [UInt8](repeating: 1, count: AES256GCM.nonceCount)
        let sealed = cipher.seal(message.span, nonce: nonce, additionalData: [2])
        let opened = try cipher.open(sealed.span, nonce: nonce, additionalData: [2])
        try expect(opened.shown() == message, "the message")
        try expect(isRefused { _ = try cipher.open(sealed.span, nonce: nonce, additionalData: [3]) }, "other data")
    }

    private static func isRefused(_ open: () throws -> Void) -> Bool {
        do {
            try open()
            return false
        } catch {
            return true
        }
    }
}
