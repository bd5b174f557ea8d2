import Primitives
import SecureMemory

/// Seals a text under a passphrase, opens it again, and shows that changed bytes do not open.
///
///     echo 'PASSPHRASE' | seal-line TEXT
@main
struct SealLine {
    static func main() throws {
        guard CommandLine.arguments.count == 2, let line = readLine(), !line.isEmpty else {
            return print("usage: echo 'PASSPHRASE' | seal-line TEXT")
        }
        let passphrase = SecureBytes(copying: Array(line.utf8).span)
        let text = Array(CommandLine.arguments[1].utf8)

        var sealed = try seal(text.span, passphrase: passphrase)
        print("\(text.count) bytes sealed to \(sealed.count)")
        let opened = try open(sealed, passphrase: passphrase)
        print("opens to the same text: \(opened.withBytes { ConstantTime.areEqual($0, text.span) })")

        sealed[sealed.count - 1] ^= 1
        do {
            _ = try open(sealed, passphrase: passphrase)
        } catch AuthenticationError.notAuthentic {
            print("Changed bytes do not open.")
        }
    }

    static let saltCount = 16

    /// - Returns: salt (16 bytes) ‖ nonce (24) ‖ ciphertext ‖ tag (16).
    static func seal(_ text: Span<UInt8>, passphrase: borrowing SecureBytes) throws -> [UInt8] {
        let salt = Random.bytes(saltCount)
        let nonce = Random.bytes(XChaChaPoly.nonceCount)
        let key = try deriveKey(passphrase, salt)
        return salt + nonce + XChaChaPoly.seal(text, nonce: nonce, key: key, additionalData: salt)
    }

    /// - Throws: `AuthenticationError` for another passphrase or changed bytes.
    static func open(_ sealed: [UInt8], passphrase: borrowing SecureBytes) throws -> SecureBytes {
        let start = saltCount + XChaChaPoly.nonceCount
        guard sealed.count >= start else { throw AuthenticationError.notAuthentic }
        let salt = Array(sealed[..<saltCount])
        let nonce = Array(sealed[saltCount..<start])
        let key = try deriveKey(passphrase, salt)
        return try XChaChaPoly.open(
            sealed.span.extracting(start..<sealed.count), nonce: nonce, key: key, additionalData: salt)
    }

    /// Takes 64 MiB of memory and some tenths of a second.
    static func deriveKey(_ passphrase: borrowing SecureBytes, _ salt: [UInt8]) throws -> SecureBytes {
        try passphrase.withBytes {
            try Argon2id.deriveKey(
                password: $0, salt: salt, memoryKiB: 65_536, iterations: 3, count: XChaChaPoly.keyCount)
        }
    }
}
