internal import Encodings
internal import Primitives
internal import SecureMemory

// C2SP age, "The scrypt recipient type". It is the only stanza of its header, so that the passphrase authenticates the
// file.
//
//   -> scrypt SALT WORKFACTOR⏎      16 bytes; the binary logarithm of N, decimal
//   WRAPPED⏎                        the file key under the wrap key, 32 bytes
//
//   wrap key = scrypt(passphrase, salt `age-encryption.org/v1/scrypt` ‖ SALT, N, r 8, p 1)

/// The file key, wrapped under a passphrase.
struct ScryptStanza {
    static let type = "scrypt"
    static let saltCount = 16
    private static let blockSize: UInt32 = 8

    private let salt: [UInt8]
    /// The binary logarithm of N, from 1; `Int.max` if it does not fit. Not limited yet.
    let workFactor: Int
    private let wrapped: [UInt8]

    /// - Throws: `.header(.scrypt)` for wrong arguments or a body of another length.
    init(_ stanza: Stanza) throws(AgeError) {
        guard stanza.arguments.count == 3,
            let salt = Base64.decodePublic(Array(stanza.arguments[1].utf8).span, isPadded: false),
            salt.count == Self.saltCount, stanza.body.count == AgeFileKey.wrappedCount,
            let workFactor = Self.workFactor(of: stanza.arguments[2])
        else { throw .header(.scrypt) }
        self.salt = salt
        self.workFactor = workFactor
        wrapped = stanza.body
    }

    /// Wraps a file key.
    /// - Parameter salt: 16 random bytes, never used before.
    /// - Throws: `.derivation`.
    static func wrap(
        _ fileKey: borrowing AgeFileKey, passphrase: borrowing SecureBytes, salt: [UInt8], workFactor: Int
    ) throws(AgeError) -> Stanza {
        precondition(salt.count == saltCount)
        let key = try wrapKey(passphrase, salt, workFactor)
        return Stanza(
            arguments: [type, Base64.encodeUnpadded(salt.span), String(workFactor)],
            body: fileKey.wrapped(under: key))
    }

    /// - Returns: nil if the passphrase is another one.
    /// - Throws: `.workFactor` before anything is derived; `.derivation`.
    func unwrap(_ passphrase: borrowing SecureBytes, maxWorkFactor: Int) throws(AgeError) -> AgeFileKey? {
        guard workFactor <= maxWorkFactor else { throw .workFactor(workFactor, limit: maxWorkFactor) }
        return AgeFileKey.unwrap(wrapped, under: try Self.wrapKey(passphrase, salt, workFactor))
    }

    /// The memory that scrypt takes, in bytes; `Int.max` if it does not fit. Below 0 the shift is to the right.
    static func memory(workFactor: Int) -> Int {
        let block = 128 * Int(blockSize)
        return workFactor < block.leadingZeroBitCount ? block << workFactor : Int.max
    }

    /// Digits without a sign and without leading zeros.
    private static func workFactor(of text: String) -> Int? {
        guard text.utf8.first != UInt8(ascii: "0"), !text.isEmpty,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text) ?? Int.max
    }

    private static func wrapKey(
        _ passphrase: borrowing SecureBytes, _ salt: [UInt8], _ workFactor: Int
    ) throws(AgeError) -> SecureBytes {
        guard passphrase.count > 0 else { throw .emptyPassphrase }
        let salt = Array("\(AgeHeader.version)/\(type)".utf8) + salt
        do {
            return try passphrase.withBytes { (passphrase) throws(KeyDerivationError) in
                try Scrypt.deriveKey(
                    password: passphrase, salt: salt.span, cost: 1 << UInt64(workFactor), blockSize: blockSize,
                    parallelism: 1, count: ChaChaPoly.keyCount)
            }
        } catch {
            throw .derivation(error)
        }
    }
}
