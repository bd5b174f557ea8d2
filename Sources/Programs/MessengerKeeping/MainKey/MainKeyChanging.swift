internal import Keystore
package import ProtonMainKey
internal import SecureMemory

extension MainKeyKeeper {
    /// What a change would do now, to refuse it or to ask before secrets are asked for.
    /// - Throws: `ProtectionRefusal`; `.noKey`.
    package func plan(_ change: ProtectionChange, of id: CheckValue) throws -> ProtectionPlan {
        try ProtectionPlan(change, of: records(of: id).protections().kinds)
    }

    /// Changes the protections of a key in one step. What is sealed again was read back before that, with its file key.
    /// - Parameters:
    ///   - plan: what was shown to the user and agreed to, or proven.
    ///   - key: the opened key.
    ///   - isProven: whether a real protection has opened it in this command.
    ///   - protection: the new protection, for changes that seal one; else `.clear`.
    /// - Throws: `.changed` if the plan is another one by now; `.unproven`; `.otherKey`; `AgeError`; `FileError`.
    ///   Nothing was changed then.
    package func change(
        _ change: ProtectionChange, _ plan: ProtectionPlan, of id: CheckValue, holding key: borrowing MainKey,
        isProven: Bool, _ protection: borrowing NewProtection = .clear
    ) throws {
        guard key.checkValue == id else { throw MainKeyKeepingError.otherKey(id) }
        guard !plan.needsProof || isProven else { throw MainKeyKeepingError.unproven }
        try locked(id) { identity in
            var set = try identity.records.protections()
            guard let now = try? ProtectionPlan(change, of: set.kinds), now == plan else {
                throw MainKeyKeepingError.changed(id)
            }
            if !plan.sealed.isEmpty {
                precondition(plan.sealed == protection.kind)
                try seal(key, protection, into: &set)
            }
            if !plan.result.contains(.clear) { set.clear = nil }
            if !plan.result.contains(.pin) { set.pin = nil }
            if !plan.result.contains(.key) { set.key = nil }
            precondition(set.kinds == plan.result)
            let record = set.encoded()
            try record.withBytes { try identity.write(Self.protections, $0) }
        }
    }
}
