package import Keystore
internal import SecureMemory
internal import SophaxChat
internal import SophaxStorage

extension SophaxKeeper {
    /// Checks records before they are stored that this keystore has not sealed itself.
    /// - Throws: `RecordProblem` for the first wrong record.
    package static func check(_ records: RecordSet) throws(RecordProblem) {
        guard let id = records.owner.sophaxChat else { throw .owner }
        let known = [identity, prekeys, pin] + transientRecords
        if let name = records.names.first(where: { !known.contains($0) }) { throw .unknown(name) }
        guard records.count(of: identity) != nil else { throw .missing(identity) }
        guard records.withRecord(identity, { isIdentity($0, id) }) else { throw .malformed(identity) }
        try check(prekeys, in: records) { (try? PrekeyStore(decoding: $0)) != nil }
        try check(pin, in: records) { PINLock(decoding: $0.revealBytes()) != nil }
        try check(attempts, in: records) { PINAttempts(decoding: $0.revealBytes()) != nil }
        for name in [pinChanges, clearings] {
            try check(name, in: records) { PINAllowance(decoding: $0.revealBytes()) != nil }
        }
    }

    private static func check(
        _ name: RecordName, in records: RecordSet, _ isGood: (Span<UInt8>) -> Bool
    ) throws(RecordProblem) {
        guard records.count(of: name) != nil else { return }
        guard records.withRecord(name, isGood) else { throw .malformed(name) }
    }

    /// Whether a text is that of this identity, without prekeys: those have a record of their own.
    private static func isIdentity(_ text: Span<UInt8>, _ id: PeerID) -> Bool {
        do throws(BackupError) {
            let account = try SophaxAccount(decoding: text)
            guard account.peerID == id else { return false }
            switch account.prekeys {
            case .some: return false
            case .none: return true
            }
        } catch {
            return false
        }
    }
}
