package import Keystore
internal import ProtonMainKey

extension MainKeyKeeper {
    /// Checks records before they are stored that this keystore has not sealed itself. Whether a protected key is the
    /// one that the owner names is seen only when a protection opens.
    /// - Throws: `RecordProblem` for the first wrong record.
    package static func check(_ records: RecordSet) throws(RecordProblem) {
        guard let id = records.owner.mainKey else { throw .owner }
        if let name = records.names.first(where: { $0 != protections && $0 != autolock }) { throw .unknown(name) }
        guard records.count(of: protections) != nil else { throw .missing(protections) }
        guard records.withRecord(protections, { isSet($0, of: id) }) else { throw .malformed(protections) }
        guard records.count(of: autolock) != nil else { return }
        guard records.withRecord(autolock, { AutolockSetting($0) != nil }) else { throw .malformed(autolock) }
    }

    private static func isSet(_ record: Span<UInt8>, of id: CheckValue) -> Bool {
        do throws(ProtectionSetError) {
            let set = try ProtectionSet(record)
            switch set.clear {
            case .some(let key): return key.checkValue == id
            case .none: return true
            }
        } catch {
            return false
        }
    }
}
