// What a change of protections does, as a value. The keeper seals the new ones, proves that they open, and replaces the
// whole set in one step, so a crash leaves the old set or the new one.
//
//   change          refused if              afterwards                     needs a yes
//   protect pin     it is there             with pin, without clear        -
//   protect key     it is there, unless     with key, without clear        -
//                   it may be replaced
//   protect clear   it is there             with clear                     beside a real one
//   remove pin|key  it is not there         without it; clear if that      if it was the last real one
//                                           was the last real one
//   remove clear    it is not there, or     without clear                  -
//                   is the only one
//   passwd          there is no pin         the same, pin sealed again      -
//
// Sealing for a recipient does not show that anybody has its secret key. So a change that leaves nothing but the key
// protection needs a proof that a secret key opens it, or a yes: `protect key` if there is no PIN, and `remove pin`
// beside a key. `remove clear` always needs the proof.

/// A change of the protections of a MainKey.
package enum ProtectionChange: Hashable, Sendable {
    /// Adds this kind.
    /// - Parameter isReplacing: whether a key protection that is there may be replaced.
    case protect(ProtectionKinds, isReplacing: Bool = false)
    /// Removes this kind.
    case remove(ProtectionKinds)
    /// Seals the key under another PIN.
    case passwd
}

/// What a change does to a set of protections. One kind is changed at a time.
package struct ProtectionPlan: Equatable, Sendable {
    /// The kinds before.
    package let present: ProtectionKinds
    /// The kinds afterwards; never empty.
    package let result: ProtectionKinds
    /// The kinds that are sealed again. The others stay as they are, byte for byte.
    package let sealed: ProtectionKinds
    /// What the user has to agree to, unless it is proven (`consent(isProven:)`).
    package let consent: Consent?
    /// Whether one of the real protections that stay has to open now: the copy that goes is the one that certainly
    /// works.
    package let needsProof: Bool

    /// What is lost with a change.
    package enum Consent: Equatable, Sendable {
        /// The key will be in the clear, because the last real protection goes.
        case lastProtection
        /// The key will be in the clear beside a protection that it makes worthless.
        case clearCopy
        /// Only secret keys of the recipients will open the key, and none of them has opened it.
        case unprovenKey
        /// Only the PIN will open the key, and it has not opened it.
        case unprovenPIN
    }

    /// What the user has to agree to, if it is known what has opened.
    /// - Parameter isProven: whether the protection that is there afterwards opens.
    package func consent(isProven: Bool) -> Consent? {
        (consent == .unprovenKey || consent == .unprovenPIN) && isProven ? nil : consent
    }

    /// - Parameter present: the kinds that are there; not empty.
    /// - Throws: `ProtectionRefusal`.
    package init(_ change: ProtectionChange, of present: ProtectionKinds) throws(ProtectionRefusal) {
        self.present = present
        switch change {
        case .protect(let kind, let isReplacing):
            guard !present.contains(kind) || isReplacing && kind == .key else { throw .exists(kind) }
            result = kind == .clear ? present.union(.clear) : present.union(kind).subtracting(.clear)
            sealed = kind
            consent =
                if kind == .clear {
                    present.isDisjoint(with: .real) ? nil : .clearCopy
                } else {
                    result == .key ? .unprovenKey : nil
                }
            needsProof = false
        case .remove(let kind):
            guard present.contains(kind) else { throw .absent(kind) }
            let rest = present.subtracting(kind)
            if kind == .clear {
                guard !rest.isEmpty else { throw .onlyCopy }
                result = rest
                sealed = []
                consent = nil
            } else {
                let isLast = rest.isDisjoint(with: .real)
                result = isLast ? .clear : rest
                sealed = isLast && !present.contains(.clear) ? .clear : []
                consent = isLast ? .lastProtection : rest == .key ? .unprovenKey : rest == .pin ? .unprovenPIN : nil
            }
            needsProof = kind == .clear
        case .passwd:
            guard present.contains(.pin) else { throw .absent(.pin) }
            result = present
            sealed = .pin
            consent = nil
            needsProof = false
        }
    }
}

/// Why protections are not changed.
package enum ProtectionRefusal: Error, Equatable, Sendable {
    /// This kind is there already.
    case exists(ProtectionKinds)
    /// This kind is not there.
    case absent(ProtectionKinds)
    /// The copy in the clear is the only one.
    case onlyCopy
}
