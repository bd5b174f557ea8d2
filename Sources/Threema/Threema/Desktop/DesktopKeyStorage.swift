internal import Encodings
public import KeyWrapping
internal import Primitives
public import SecureMemory

// The Desktop app's `data/keystorage.pb3`, a message:
//
//   field  type    meaning
//       1  bytes   nonce (24) ‖ XSalsa20-Poly1305 of the content
//       2  bytes   an `Argon2idMessage`, its memory in bytes
//       3  varint  schema version: 0 or 1, which are read alike
//
// Its content, also a message; other fields are ignored:
//
//   field  type    meaning
//       1  bytes   the identity: 1 ID (text), 2 client key (32), 3 server group as a number (schema 0 and 1),
//                  4 server group as two hexadecimal digits
//       2  bytes   device group key (32)
//       3  bytes   database key (32)
//       5  varint  schema version: 0 to 2

/// The identity in a Desktop app's key storage.
public struct DesktopKeyStorage: ~Copyable, Sendable {
    /// The ID as the file has it, unchecked: it may be no `ThreemaID`.
    public let id: String
    /// The private key, 32 bytes.
    public let clientKey: SecureBytes
    /// The group of chat servers: two hexadecimal digits.
    public let serverGroup: String

    private static let maxSchema: UInt64 = 1
    private static let maxContentSchema: UInt64 = 2
    private static let keyCount = 32

    /// The cost of opening a file.
    /// - Throws: `.malformed`, `.unknownVersion`, `.cost`.
    public static func cost(of file: Span<UInt8>) throws(KeyFileError) -> Argon2idCost {
        try Outer(file).derivation.cost
    }

    /// Decrypts a key storage.
    /// - Throws: `.notOpened` for a wrong password or a damaged file; `.malformed`, `.unknownVersion`, `.cost`,
    ///   `.derivation`.
    public init(opening file: Span<UInt8>, password: borrowing SecureBytes) throws(KeyFileError) {
        let outer = try Outer(file)
        let key = try outer.derivation.cost.deriveKey(passphrase: password, salt: outer.derivation.salt)
        let sealed = file.extracting(outer.encrypted)
        guard sealed.count >= SecretBox.nonceCount + SecretBox.tagCount else { throw .malformed }
        let nonce = sealed.extracting(0..<SecretBox.nonceCount).revealBytes()
        let content: SecureBytes
        do {
            content = try key.withBytes { (key) throws(AuthenticationError) in
                try SecretBox.open(sealed.extracting(SecretBox.nonceCount..<sealed.count), nonce: nonce, key: key)
            }
        } catch {
            throw .notOpened
        }
        self = try content.withBytes { (content) throws(KeyFileError) in try Self(parsing: content) }
    }

    private init(parsing content: Span<UInt8>) throws(KeyFileError) {
        let fields = try MessageFields(content)
        let schema = fields.number(5)
        guard schema <= Self.maxContentSchema else { throw .unknownVersion(schema) }
        guard let place = fields.places[1], fields.places[2]?.count == Self.keyCount,
            fields.places[3]?.count == Self.keyCount
        else { throw .malformed }
        let identity = content.extracting(place)
        let members = try MessageFields(identity)
        guard let id = members.places[1], let key = members.places[2], key.count == Self.keyCount else {
            throw .malformed
        }
        // Since schema 2 the group is text; before, it was a number.
        let group: String
        if schema < 2 {
            guard let number = UInt8(exactly: members.number(3)) else { throw .malformed }
            group = Hex.encode([number].span)
        } else {
            group = members.places[4].map { Self.text(identity.extracting($0)) } ?? ""
        }
        guard let value = UInt8(group, radix: 16), group.utf8.count == 2 else { throw .malformed }
        self.id = Self.text(identity.extracting(id))
        clientKey = SecureBytes(copying: identity.extracting(key))
        serverGroup = Hex.encode([value].span)
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        bytes.revealText()
    }

    private struct Outer {
        let encrypted: Range<Int>
        let derivation: Argon2idMessage

        init(_ file: Span<UInt8>) throws(KeyFileError) {
            let fields = try MessageFields(file)
            let schema = fields.number(3)
            guard schema <= maxSchema else { throw .unknownVersion(schema) }
            guard let encrypted = fields.places[1], let derivation = fields.places[2] else { throw .malformed }
            self.encrypted = encrypted
            self.derivation = try Argon2idMessage(file.extracting(derivation), memoryUnit: 1024)
        }
    }
}
