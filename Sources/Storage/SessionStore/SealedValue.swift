internal import Primitives
internal import SecureMemory

// A value in the column `sealed`:
//
//   offset  length  meaning
//        0       4  "KTS2"
//        4      24  nonce, random
//       28       n  ciphertext, XChaCha20-Poly1305: length of the name in one byte, the name, the value
//   28 + n      16  tag
//
//   key              BLAKE2b-256(key: the store's, data: messenger and ID, salt: "value", personal: "keytool-session1")
//   additional data  "KTS2", then messenger, ID and kind, each with its length in one byte before it
//
// The column `name` is BLAKE2b-128 of the name under the key with the salt "name", so that the file does not reveal to
// whom an owner writes. The name is sealed with the value: values of two names with one digest do not open as each
// other, and an export finds the names.

/// The kind of a value: 1 to 16 lower-case letters. The file stores it in plain.
public struct ValueKind: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String
    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")

    /// Creates a kind from a literal. The process ends if it is not 1 to 16 lower-case letters.
    public init(stringLiteral text: StaticString) {
        self.text = text.description
        precondition(Self(Array(self.text.utf8)) != nil)
    }

    /// - Returns: nil for anything but 1 to 16 lower-case letters.
    init?(_ text: [UInt8]) {
        guard (1...16).contains(text.count), text.allSatisfy(Self.letters.contains) else { return nil }
        self.text = String(decoding: text, as: UTF8.self)
    }
}

/// The keys and the owner of a store.
struct ValueSealer: ~Copyable {
    private static let magic = Array("KTS2".utf8)
    private static let personal = "keytool-session1"
    private static let nameCount = 16
    private static let nonceEnd = magic.count + XChaChaPoly.nonceCount
    private static let overhead = nonceEnd + XChaChaPoly.tagCount

    private let valueKey: SecureBytes
    private let nameKey: SecureBytes
    /// Messenger and ID, each with its length before it.
    private let owner: [UInt8]

    /// - Parameters:
    ///   - messenger: 1 to 255 bytes.
    ///   - id: 1 to 255 bytes.
    ///   - key: 32 bytes, the key of all stores of a keystore.
    init(messenger: String, id: String, key: borrowing SecureBytes) {
        let owner = Self.lengthPrefixed(Array(messenger.utf8)) + Self.lengthPrefixed(Array(id.utf8))
        self.owner = owner
        valueKey = BLAKE2b.deriveKey(from: key, data: owner.span, salt: "value", personal: Self.personal)
        nameKey = BLAKE2b.deriveKey(from: key, data: owner.span, salt: "name", personal: Self.personal)
    }

    /// The digest that stands for a name in the file, 16 bytes.
    func digest(of name: [UInt8]) -> [UInt8] { BLAKE2b.authenticate(name.span, key: nameKey, count: Self.nameCount) }

    func seal(_ value: Span<UInt8>, _ kind: ValueKind, _ name: [UInt8]) -> [UInt8] {
        seal(value, kind, name, nonce: Random.bytes(XChaChaPoly.nonceCount))
    }

    /// - Parameter nonce: 24 bytes, never used twice with one key.
    func seal(_ value: Span<UInt8>, _ kind: ValueKind, _ name: [UInt8], nonce: [UInt8]) -> [UInt8] {
        var content = SecureBuffer(capacity: 1 + name.count + value.count)
        content.append(Self.lengthPrefixed(name).span)
        content.append(value)
        let named = content.finish()
        return named.withBytes {
            Self.magic + nonce
                + XChaChaPoly.seal($0, nonce: nonce, key: valueKey, additionalData: additionalData(kind))
        }
    }

    /// - Throws: `.notAuthentic` unless `seal` made the bytes for this owner, kind and name.
    func open(_ sealed: [UInt8], _ kind: ValueKind, _ name: [UInt8]) throws(AuthenticationError) -> SecureBytes {
        let prefixed = Self.lengthPrefixed(name)
        return try open(sealed, kind).withBytes { (named) throws(AuthenticationError) in
            guard named.count >= prefixed.count,
                ConstantTime.areEqual(named.extracting(first: prefixed.count), prefixed.span)
            else { throw .notAuthentic }
            return SecureBytes(copying: named.extracting(prefixed.count..<named.count))
        }
    }

    /// Opens a value without its name.
    /// - Returns: length of the name (1 byte), the name, the value. The caller compares the name's digest.
    /// - Throws: `.notAuthentic` unless `seal` made the bytes for this owner and kind.
    func open(_ sealed: [UInt8], _ kind: ValueKind) throws(AuthenticationError) -> SecureBytes {
        guard sealed.count >= Self.overhead, sealed.starts(with: Self.magic) else { throw .notAuthentic }
        return try XChaChaPoly.open(
            sealed.span.extracting(Self.nonceEnd..<sealed.count),
            nonce: Array(sealed[Self.magic.count..<Self.nonceEnd]), key: valueKey, additionalData: additionalData(kind))
    }

    private func additionalData(_ kind: ValueKind) -> [UInt8] {
        Self.magic + owner + Self.lengthPrefixed(Array(kind.text.utf8))
    }

    private static func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] {
        precondition((1...255).contains(bytes.count))
        return [UInt8(bytes.count)] + bytes
    }
}
