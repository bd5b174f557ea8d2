internal import Encodings
internal import Primitives
internal import SecureMemory

// Three messages inside each other, each behind a version number (the Android app since 6.2):
//
//   offset  length  meaning
//        0       2  outer version: 0
//        2       2  0a 28: field 1, plaintext intermediate, 40 bytes
//        4       2  intermediate version: 0
//        6       2  0a 24: field 1, plaintext inner, 36 bytes
//        8       2  inner version: 0
//       10       2  0a 20: field 1, master key, 32 bytes
//       12      32  master key
//
// Field 2 instead of 1 means, in the outer message, a passphrase: an `Argon2idMessage` whose field 6 is a
// message of nonce (field 1, 24 bytes) and ciphertext with tag (field 2), XChaCha20-Poly1305 of the whole
// intermediate, without additional data. In the intermediate message it means a remote secret, which is
// recognised and not opened.

/// The Android app's second key file layout.
enum AndroidKeyFileV2 {
    private static let versionCount = 2
    private static let plaintextField = 1
    private static let protectedField = 2
    private static let nonceField = 1
    private static let ciphertextField = 2
    /// Length of the salt that is written, in bytes.
    static let saltCount = 16

    // MARK: Writing

    /// Encodes a key without protection.
    /// - Returns: 44 bytes.
    static func encode(_ key: borrowing MasterKey) -> SecureBytes {
        intermediate(key).withBytes { wrap($0, plaintextField) }
    }

    /// Protects a key by a passphrase, at the cost that the app has: 128 MiB, 8 passes.
    /// - Parameters:
    ///   - salt: 16 bytes.
    ///   - nonce: 24 bytes.
    /// - Returns: 136 bytes.
    /// - Throws: `.derivation` if the system refuses the memory.
    static func encode(
        _ key: borrowing MasterKey, passphrase: borrowing SecureBytes, salt: [UInt8], nonce: [UInt8]
    ) throws(KeyFileError) -> SecureBytes {
        precondition(salt.count == saltCount)
        let cost = Argon2idCost.android
        let secretKey = try cost.deriveKey(passphrase: passphrase, salt: salt)
        let sealed = intermediate(key).withBytes {
            XChaChaPoly.seal($0, nonce: nonce, key: secretKey, additionalData: [])
        }
        let encrypted = message([(nonceField, nonce), (ciphertextField, sealed)])

        let memory = UInt64(cost.memoryKiB)
        let iterations = UInt64(cost.iterations)
        var argon = SecureBuffer(
            capacity: ProtobufWire.encodedCount(number: 2, count: salt.count)
                + ProtobufWire.encodedCount(number: 3, value: memory)
                + ProtobufWire.encodedCount(number: 4, value: iterations)
                + ProtobufWire.encodedCount(number: 5, value: 1)
                + ProtobufWire.encodedCount(number: 6, count: encrypted.count))
        // Version 0 is the default, which the app does not write.
        ProtobufWire.append(salt.span, number: 2, to: &argon)
        ProtobufWire.append(memory, number: 3, to: &argon)
        ProtobufWire.append(iterations, number: 4, to: &argon)
        ProtobufWire.append(1, number: 5, to: &argon)
        encrypted.withBytes { ProtobufWire.append($0, number: 6, to: &argon) }
        return argon.finish().withBytes { wrap($0, protectedField) }
    }

    /// The intermediate message with its version: 40 bytes.
    private static func intermediate(_ key: borrowing MasterKey) -> SecureBytes {
        let inner = key.bytes.withBytes { wrap($0, plaintextField) }
        return inner.withBytes { wrap($0, plaintextField) }
    }

    /// A message of one field, behind version 0.
    private static func wrap(_ content: Span<UInt8>, _ field: Int) -> SecureBytes {
        let count = ProtobufWire.encodedCount(number: field, count: content.count)
        var outer = SecureBuffer(capacity: versionCount + count)
        outer.append(0)
        outer.append(0)
        ProtobufWire.append(content, number: field, to: &outer)
        return outer.finish()
    }

    private static func message(_ fields: [(number: Int, bytes: [UInt8])]) -> SecureBytes {
        let count = fields.reduce(0) { $0 + ProtobufWire.encodedCount(number: $1.number, count: $1.bytes.count) }
        var message = SecureBuffer(capacity: count)
        for field in fields { ProtobufWire.append(field.bytes.span, number: field.number, to: &message) }
        return message.finish()
    }

    // MARK: Reading

    // Stricter than a Protocol Buffers parser: each wrapping message must have exactly one field, so that a damaged
    // file is not read as another valid one.

    /// The protection of a file's key.
    /// - Throws: `.malformed`, `.unknownVersion`, `.cost`, `.remoteSecret`.
    static func protection(of file: Span<UInt8>) throws(KeyFileError) -> WrappedKey.Protection {
        let (field, content) = try content(of: file)
        let message = file.extracting(content)
        guard field == plaintextField else {
            return .argon2id(try Argon2idMessage(message, memoryUnit: 1).cost)
        }
        _ = try masterKey(inIntermediate: message)
        return .none
    }

    /// Opens a file without protection.
    /// - Throws: `.malformed`, `.unknownVersion`, `.remoteSecret`.
    static func open(_ file: Span<UInt8>) throws(KeyFileError) -> MasterKey {
        let (field, content) = try content(of: file)
        guard field == plaintextField else { throw .protected }
        return try masterKey(inIntermediate: file.extracting(content))
    }

    /// Opens a file that a passphrase protects.
    /// - Throws: `.notOpened`; `.malformed`, `.unknownVersion`, `.cost`, `.remoteSecret`, `.derivation`.
    static func open(_ file: Span<UInt8>, passphrase: borrowing SecureBytes) throws(KeyFileError) -> MasterKey {
        let (field, content) = try content(of: file)
        guard field == protectedField else { throw .malformed }
        let message = file.extracting(content)
        let argon = try Argon2idMessage(message, memoryUnit: 1)
        guard let place = argon.content else { throw .malformed }
        let (nonce, ciphertext) = try encrypted(message.extracting(place))
        let secretKey = try argon.cost.deriveKey(passphrase: passphrase, salt: argon.salt)
        let intermediate: SecureBytes
        do {
            let ciphertext = message.extracting(place).extracting(ciphertext)
            intermediate = try XChaChaPoly.open(ciphertext, nonce: nonce, key: secretKey, additionalData: [])
        } catch {
            throw .notOpened
        }
        return try intermediate.withBytes { (bytes) throws(KeyFileError) in try masterKey(inIntermediate: bytes) }
    }

    private static func encrypted(_ message: Span<UInt8>) throws(KeyFileError) -> (nonce: [UInt8], Range<Int>) {
        var position = 0
        guard case .bytes(nonceField, let nonce)? = try ProtobufWire.field(message, at: &position),
            case .bytes(ciphertextField, let ciphertext)? = try ProtobufWire.field(message, at: &position),
            position == message.count, nonce.count == XChaChaPoly.nonceCount
        else { throw .malformed }
        return (message.extracting(nonce).revealBytes(), ciphertext)
    }

    private static func masterKey(inIntermediate message: Span<UInt8>) throws(KeyFileError) -> MasterKey {
        let (field, inner) = try content(of: message)
        guard field == plaintextField else { throw .remoteSecret }
        let bytes = message.extracting(inner)
        let (innerField, key) = try content(of: bytes)
        guard innerField == plaintextField, key.count == MasterKey.count else { throw .malformed }
        return MasterKey(SecureBytes(copying: bytes.extracting(key)))
    }

    /// The only field, number 1 or 2, of a message behind its version, and the range of its bytes.
    private static func content(of message: Span<UInt8>) throws(KeyFileError) -> (field: Int, Range<Int>) {
        guard message.count > versionCount else { throw .malformed }
        // The app writes this number little endian and reads it big endian; only 0 is the same in both.
        let version = UInt64(message[0]) | UInt64(message[1]) << 8
        guard version == 0 else { throw .unknownVersion(version) }
        var position = versionCount
        guard case .bytes(let number, let place)? = try ProtobufWire.field(message, at: &position),
            number == plaintextField || number == protectedField, position == message.count
        else { throw .malformed }
        return (number, place)
    }
}
