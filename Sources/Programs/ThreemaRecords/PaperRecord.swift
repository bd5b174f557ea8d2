package import Keystore
internal import SecureMemory
package import Threema

/// What a keystore remembers of the paper that restores the private key of an identity.
package protocol PaperRecord {
    /// The record's.
    static var name: RecordName { get }

    /// That of the private key.
    var publicKey: PublicKey { get }
    /// The bytes of the record.
    var encoded: [UInt8] { get }

    /// - Returns: nil for anything but what `encoded` makes.
    init?(decoding bytes: Span<UInt8>)

    /// What both know.
    /// - Returns: nil if they are of two private keys.
    func merged(with other: Self?) -> Self?
}

extension IdentityRecords {
    /// - Returns: nil if there is none. It may be about an earlier private key.
    /// - Throws: `KeystoreError.damaged`.
    package func paper<Record: PaperRecord>(_ type: Record.Type) throws -> Record? {
        guard let bytes = try read(type.name) else { return nil }
        guard let record = bytes.withBytes({ type.init(decoding: $0) }) else {
            throw KeystoreError.damaged(record: type.name.text, owner: owner)
        }
        return record
    }

    /// - Returns: nil if there is none, or if it is about another private key than this one.
    /// - Throws: `KeystoreError.damaged`.
    package func paper<Record: PaperRecord>(_ type: Record.Type, of publicKey: PublicKey) throws -> Record? {
        try paper(type).flatMap { $0.publicKey == publicKey ? $0 : nil }
    }
}
