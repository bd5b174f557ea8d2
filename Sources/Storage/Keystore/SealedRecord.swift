package import KeyWrapping
internal import Primitives
package import SecureMemory

// A record file:
//
//   offset  length  meaning
//        0       4  "KTR2"
//        4      24  nonce, random
//       28       n  ciphertext, XChaCha20-Poly1305
//   28 + n      16  tag
//
//   key              BLAKE2b-256(key: master key, salt: record name, personal: "keytool-record-1")
//   additional data  "KTR2", then messenger, ID, place and file name, each with its length in one byte before it.
//                    The place is empty for what belongs to none, and messenger and ID are for the keystore's own
//                    record. The file name is the record name except in the history.
//
// A record of version 1 began with "KTR1". It is not read.

/// The name of a record, which is also its file name: 1 to 16 lower-case letters. It includes the place of the record.
public struct RecordName: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name alone, without the place.
    package let text: String
    /// Nil for a record of the owner.
    package let place: PlaceName?

    /// Creates a name from a literal. The process ends if it is not 1 to 16 lower-case letters.
    public init(stringLiteral text: StaticString) {
        self.text = text.description
        place = nil
        precondition(Self.isRecordName(Array(self.text.utf8)))
    }

    private init(_ text: String, _ place: PlaceName?) {
        self.text = text
        self.place = place
    }

    /// - Returns: nil for anything but 1 to 16 lower-case letters.
    package init?(_ text: [UInt8]) {
        guard Self.isRecordName(text) else { return nil }
        self.init(String(decoding: text, as: UTF8.self), nil)
    }

    /// The record of this name at a place.
    /// - Parameter place: nil for the owner's own record.
    public func at(_ place: PlaceName?) -> RecordName { RecordName(text, place) }

    static func isRecordName(_ name: [UInt8]) -> Bool {
        (1...16).contains(name.count) && name.allSatisfy { (97...122).contains($0) }
    }
}

/// Seals and opens record files.
package enum SealedRecord {
    private static let magic = Array("KTR2".utf8)
    private static let personal = "keytool-record-1"
    static let overhead = magic.count + XChaChaPoly.nonceCount + XChaChaPoly.tagCount

    /// Whether a file begins with "KTR2". This authenticates nothing.
    static func isSealed(_ record: Span<UInt8>) -> Bool { hasPrefix(magic, record) }

    /// Whether a file begins with "KTR1".
    static func isSealedInVersion1(_ record: Span<UInt8>) -> Bool { hasPrefix(Array("KTR1".utf8), record) }

    /// The version of a file that begins with "KTR" and a digit above 2: of a version that is still to come.
    static func laterVersion(_ record: Span<UInt8>) -> UInt8? {
        guard hasPrefix(Array("KTR".utf8), record), record.count > 3,
            (UInt8(ascii: "3")...UInt8(ascii: "9")).contains(record[3])
        else { return nil }
        return record[3] - UInt8(ascii: "0")
    }

    static func hasPrefix(_ magic: [UInt8], _ record: Span<UInt8>) -> Bool {
        record.count >= magic.count && magic.indices.allSatisfy { record[$0] == magic[$0] }
    }

    /// Seals a record under a random nonce. The record is bound to owner, place and file name: it does not open if it
    /// is moved.
    /// - Parameters:
    ///   - owner: nil for the keystore's own record.
    ///   - fileName: nil for the record's name.
    /// - Returns: "KTR2" ‖ nonce ‖ ciphertext ‖ tag, 44 bytes longer than `plaintext`.
    static func seal(
        _ plaintext: Span<UInt8>, of owner: Owner?, _ name: RecordName, fileName: String? = nil,
        key: borrowing MasterKey
    ) -> [UInt8] {
        seal(plaintext, of: owner, name, fileName: fileName, key: key, nonce: randomNonce())
    }

    static func randomNonce() -> [UInt8] { Random.bytes(XChaChaPoly.nonceCount) }

    /// Seals a record under a given nonce.
    /// - Parameter nonce: 24 bytes, never used twice with one master key and record name.
    /// - Returns: "KTR2" ‖ nonce ‖ ciphertext ‖ tag, 44 bytes longer than `plaintext`.
    package static func seal(
        _ plaintext: Span<UInt8>, of owner: Owner?, _ name: RecordName, fileName: String?,
        key: borrowing MasterKey, nonce: [UInt8]
    ) -> [UInt8] {
        let sealed = XChaChaPoly.seal(
            plaintext, nonce: nonce, key: recordKey(name, key),
            additionalData: additionalData(owner, name.place, fileName ?? name.text))
        return magic + nonce + sealed
    }

    /// Opens a record.
    /// - Throws: `.damaged` if it was not sealed with this key for this owner, place, name and file name.
    static func open(
        _ record: Span<UInt8>, of owner: Owner?, _ name: RecordName, fileName: String? = nil,
        key: borrowing MasterKey
    ) throws(KeystoreError) -> SecureBytes {
        let damaged = KeystoreError.damaged(record: name.text, owner: owner)
        guard isSealed(record), record.count >= overhead else { throw damaged }
        let nonceEnd = magic.count + XChaChaPoly.nonceCount
        let nonce = record.extracting(magic.count..<nonceEnd).revealBytes()
        do {
            return try XChaChaPoly.open(
                record.extracting(nonceEnd..<record.count), nonce: nonce, key: recordKey(name, key),
                additionalData: additionalData(owner, name.place, fileName ?? name.text))
        } catch {
            throw damaged
        }
    }

    /// Derives the key of all records of one name, or of one purpose.
    /// - Returns: 32 bytes.
    package static func recordKey(_ name: RecordName, _ key: borrowing MasterKey) -> SecureBytes {
        BLAKE2b.deriveKey(from: key.bytes, salt: name.text, personal: personal)
    }

    private static func additionalData(_ owner: Owner?, _ place: PlaceName?, _ fileName: String) -> [UInt8] {
        magic + Owner.lengthPrefixed([owner?.messenger ?? "", owner?.id ?? "", place?.text ?? "", fileName])
    }
}

extension Owner {
    /// Each text as UTF-8 with its length in one byte before it.
    static func lengthPrefixed(_ texts: [String]) -> [UInt8] {
        texts.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }
}
