internal import Encodings
package import Keystore
package import TextSecure

extension TextSecureKeeper {
    /// Checks records before they are stored that this keystore has not sealed itself.
    /// - Returns: the public identity key.
    /// - Throws: `RecordProblem` for the first wrong record.
    package static func check(_ records: RecordSet) throws(RecordProblem) -> PublicKey33 {
        guard let number = records.owner.textSecure else { throw .owner }
        if let name = records.names.first(where: { $0 != recordName }) { throw .unknown(name) }
        guard records.count(of: recordName) != nil else { throw .missing(recordName) }
        // When the prekeys were stored does not matter for the check.
        let key = records.withRecord(recordName) { Self.key(in: $0, of: number) }
        guard let key else { throw .malformed(recordName) }
        return key
    }

    private static func key(in text: Span<UInt8>, of number: AccountNumber) -> PublicKey33? {
        do {
            let account = try TextSecureAccount(decoding: text, at: Timestamp(milliseconds: 0))
            return account.number == number ? account.identity.publicKey : nil
        } catch {
            return nil
        }
    }
}
