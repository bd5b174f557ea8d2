internal import KeyWrapping
internal import Primitives
internal import SecureMemory

// A record file:
//
//   offset  length  meaning
//        0       4  "KTR1"
//        4      24  nonce, random
//       28       n  ciphertext, XChaCha20-Poly1305
//   28 + n      16  tag
//
//   key              BLAKE2b-256(key: master key, salt: record name, personal: "keytool-record-1")
//   additional data  "KTR1" ‖ ID (8 bytes) ‖ file name, which is the record name except in the history

/// The name of a record: 1 to 16 lower-case letters, which is also its file name.
public struct RecordName: Equatable, Sendable, ExpressibleByStringLiteral {
    let text: String

    /// A name that is not 1 to 16 lower-case letters is a mistake in the program and ends it.
    public init(stringLiteral text: StaticString) {
        self.text = text.description
        precondition(Self.isRecordName(Array(self.text.utf8)))
    }

    static func isRecordName(_ name: [UInt8]) -> Bool {
        (1...16).contains(name.count) && name.allSatisfy { (97...122).contains($0) }
    }
}

enum SealedRecord {
    private static let magic = Array("KTR1".utf8)
    private static let personal = "keytool-record-1"
    static let overhead = magic.count + XChaChaPoly.nonceCount + XChaChaPoly.tagCount

    /// Whether bytes begin as a record does; nothing is proven by it.
    static func isSealed(_ record: Span<UInt8>) -> Bool {
        record.count >= magic.count && magic.indices.allSatisfy { record[$0] == magic[$0] }
    }

    /// The record is bound to the ID and to its file name: put elsewhere, it does not open.
    /// - Parameter fileName: nil for the record's name.
    static func seal(
        _ plaintext: Span<UInt8>, id: String, name: RecordName, fileName: String? = nil, key: borrowing MasterKey
    ) -> [UInt8] {
        let nonce = Random.bytes(XChaChaPoly.nonceCount)
        let sealed = XChaChaPoly.seal(
            plaintext, nonce: nonce, key: recordKey(name, key),
            additionalData: additionalData(id, fileName ?? name.text))
        return magic + nonce + sealed
    }

    /// - Throws: `.damaged` where it is not a record sealed with this key under this ID, name and file name.
    static func open(
        _ record: Span<UInt8>, id: String, name: RecordName, fileName: String? = nil, key: borrowing MasterKey
    ) throws(KeystoreError) -> SecureBytes {
        let damaged = KeystoreError.damaged(record: name.text, id: id)
        guard record.count >= overhead, isSealed(record) else { throw damaged }
        let nonceEnd = magic.count + XChaChaPoly.nonceCount
        let nonce = (magic.count..<nonceEnd).map { record[$0] }
        do {
            return try XChaChaPoly.open(
                record.extracting(nonceEnd..<record.count), nonce: nonce, key: recordKey(name, key),
                additionalData: additionalData(id, fileName ?? name.text))
        } catch {
            throw damaged
        }
    }

    /// The key of one kind of record, or of one purpose.
    static func recordKey(_ name: RecordName, _ key: borrowing MasterKey) -> SecureBytes {
        BLAKE2b.deriveKey(from: key.bytes, salt: name.text, personal: personal)
    }

    private static func additionalData(_ id: String, _ fileName: String) -> [UInt8] {
        magic + Array(id.utf8) + Array(fileName.utf8)
    }
}
