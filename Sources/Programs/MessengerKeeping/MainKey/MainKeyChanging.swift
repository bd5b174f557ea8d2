internal import Keystore
package import ProtonMainKey
internal import SecureMemory

/// A change of the protections of a MainKey, planned on those that were there. It is carried out on the same ones only:
/// the same kinds are not enough, because another process may have sealed the key under another PIN meanwhile.
package struct PlannedChange: ~Copyable {
    package let id: CheckValue
    package let change: ProtectionChange
    /// What the change does.
    package let plan: ProtectionPlan
    /// The record of the protections that the plan is about.
    fileprivate let present: SecureBytes

    fileprivate init(_ change: ProtectionChange, of id: CheckValue, _ set: borrowing ProtectionSet) throws {
        self.id = id
        self.change = change
        do throws(ProtectionRefusal) {
            plan = try ProtectionPlan(change, of: set.kinds)
        } catch {
            throw MainKeyKeepingError.refused(id, error)
        }
        present = set.encoded()
    }

    /// Whether these are the protections that the plan is about.
    fileprivate borrowing func isAbout(_ set: borrowing ProtectionSet) -> Bool {
        let record = set.encoded()
        return record.withBytes { record in present.withBytes { ConstantTime.areEqual(record, $0) } }
    }
}

extension MainKeyKeeper {
    /// What a change would do now, to refuse it or to ask before secrets are asked for.
    /// - Throws: `.refused`; `.noKey`.
    package func plan(_ change: ProtectionChange, of id: CheckValue) throws -> PlannedChange {
        try PlannedChange(change, of: id, records(of: id).protections())
    }

    /// Changes the protections of a key in one step. What is sealed again was read back before that, with its file key.
    /// - Parameters:
    ///   - planned: what was shown to the user and agreed to, or proven.
    ///   - key: the opened key.
    ///   - isProven: whether a real protection has opened it in this command.
    ///   - protection: the new protection, for changes that seal one; else `.clear`.
    /// - Throws: `.changed` if other protections are there by now; `.unproven`; `.otherKey`; `AgeError`; `FileError`.
    ///   Nothing was changed then.
    package func change(
        _ planned: borrowing PlannedChange, holding key: borrowing MainKey, isProven: Bool,
        _ protection: borrowing NewProtection = .clear
    ) throws {
        let id = planned.id
        let plan = planned.plan
        guard key.checkValue == id else { throw MainKeyKeepingError.otherKey(id) }
        guard !plan.needsProof || isProven else { throw MainKeyKeepingError.unproven }
        try locked(id) { identity in
            var set = try identity.records.protections()
            guard planned.isAbout(set) else { throw MainKeyKeepingError.changed(id) }
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
