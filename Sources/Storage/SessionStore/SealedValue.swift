internal import Primitives
internal import SecureMemory

// A value in the column `sealed`:
//
//   offset  length  meaning
//        0       4  "KTS1"
//        4      24  nonce, random
//       28       n  ciphertext, XChaCha20-Poly1305
//   28 + n      16  tag
//
//   key              BLAKE2b-256(key: the store's, data: messenger and ID, salt: "value", personal: "keytool-session1")
//   additional data  "KTS1", then messenger, ID, kind and name, each with its length in one byte before it
//
// The column `name` is BLAKE2b-128 of the name under the key with the salt "name", so that the file does not reveal to
// whom an owner writes. The additional data contain the name itself, so values of two names with one digest do not open
// as each other.

/// The kind of a value: 1 to 16 lower-case letters. The file stores it in plain.
public struct ValueKind: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    /// Creates a kind from a literal. The process ends if it is not 1 to 16 lower-case letters.
    public init(stringLiteral text: StaticString) {
        self.text = text.description
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        precondition((1...16).contains(self.text.utf8.count) && self.text.utf8.allSatisfy(letters.contains))
    }
}

/// The keys and the owner of a store.
struct ValueSealer: ~Copyable {
    private static let magic = Array("KTS1".utf8)
    private static let personal = "keytool-session1"
    private static let nameCount = 16
    static let overhead = magic.count + XChaChaPoly.nonceCount + XChaChaPoly.tagCount

    private let valueKey: SecureBytes
    private let nameKey: SecureBytes
    /// "KTS1", messenger and ID.
    private let beginning: [UInt8]

    /// - Parameters:
    ///   - messenger: 1 to 255 bytes.
    ///   - id: 1 to 255 bytes.
    ///   - key: 32 bytes, the key of all stores of a keystore.
    init(messenger: String, id: String, key: borrowing SecureBytes) {
        let owner = Self.lengthPrefixed(Array(messenger.utf8)) + Self.lengthPrefixed(Array(id.utf8))
        valueKey = BLAKE2b.deriveKey(from: key, data: owner.span, salt: "value", personal: Self.personal)
        nameKey = BLAKE2b.deriveKey(from: key, data: owner.span, salt: "name", personal: Self.personal)
        beginning = Self.magic + owner
    }

    /// The digest that stands for a name in the file, 16 bytes.
    func digest(of name: [UInt8]) -> [UInt8] { BLAKE2b.authenticate(name.span, key: nameKey, count: Self.nameCount) }

    func seal(_ value: Span<UInt8>, _ kind: ValueKind, _ name: [UInt8]) -> [UInt8] {
        seal(value, kind, name, nonce: Random.bytes(XChaChaPoly.nonceCount))
    }

    /// - Parameter nonce: 24 bytes, never used twice with one key.
    func seal(_ value: Span<UInt8>, _ kind: ValueKind, _ name: [UInt8], nonce: [UInt8]) -> [UInt8] {
        Self.magic + nonce
            + XChaChaPoly.seal(value, nonce: nonce, key: valueKey, additionalData: additionalData(kind, name))
    }

    /// - Throws: `.notAuthentic` unless `seal` made the bytes for this owner, kind and name.
    func open(_ sealed: [UInt8], _ kind: ValueKind, _ name: [UInt8]) throws(AuthenticationError) -> SecureBytes {
        guard sealed.count >= Self.overhead, sealed.starts(with: Self.magic) else { throw .notAuthentic }
        let nonceEnd = Self.magic.count + XChaChaPoly.nonceCount
        return try XChaChaPoly.open(
            sealed.span.extracting(nonceEnd..<sealed.count), nonce: Array(sealed[Self.magic.count..<nonceEnd]),
            key: valueKey, additionalData: additionalData(kind, name))
    }

    private func additionalData(_ kind: ValueKind, _ name: [UInt8]) -> [UInt8] {
        beginning + Self.lengthPrefixed(Array(kind.text.utf8)) + Self.lengthPrefixed(name)
    }

    private static func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] {
        precondition((1...255).contains(bytes.count))
        return [UInt8(bytes.count)] + bytes
    }
}
