import Testing

@testable import MessengerKeeping

/// Every sequence of changes, with a crash before or after any of them, to depth 5.
@Suite struct ProtectionChangeTests {
    private static let changes: [ProtectionChange] = [
        .protect(.pin), .protect(.key), .protect(.key, isReplacing: true), .protect(.clear), .remove(.pin),
        .remove(.key), .remove(.clear), .passwd,
    ]

    /// The set on the disk, what the user has agreed to, and the sealed versions that can still be opened.
    private struct State: Hashable {
        var kinds: ProtectionKinds
        /// Whether the copy in the clear is there because the user said so.
        var isClearWanted: Bool
        /// Counts how often each kind was sealed, so that one that stays is known to be the same.
        var seals: [UInt8: Int]
        /// What certainly opens: a key protection only after a proof.
        var proven: ProtectionKinds
        /// Whether the user agreed to a key protection that nobody may be able to open.
        var isRiskWanted = false
    }

    private func start(_ kinds: ProtectionKinds) -> State {
        State(kinds: kinds, isClearWanted: kinds == .clear, seals: [:], proven: kinds)
    }

    /// The replacement of the record, all at once: a crash leaves `state` or what this returns.
    private func after(_ plan: ProtectionPlan, _ state: State, isProven: Bool) -> State {
        var state = state
        state.kinds = plan.result
        switch plan.consent(isProven: isProven) {
        case .lastProtection, .clearCopy: state.isClearWanted = true
        case .unprovenKey, .unprovenPIN: state.isRiskWanted = true
        case nil: break
        }
        state.proven = state.proven.intersection(plan.result).subtracting(plan.sealed)
        state.proven.formUnion(plan.sealed.subtracting(.key))
        if plan.result.contains(.key), isProven || plan.needsProof && plan.result == .key {
            state.proven.insert(.key)
        }
        if !plan.result.contains(.clear) { state.isClearWanted = false }
        for kind in [ProtectionKinds.clear, .pin, .key] where plan.sealed.contains(kind) {
            state.seals[kind.rawValue, default: 0] += 1
        }
        return state
    }

    private func isAboutProof(_ plan: ProtectionPlan) -> Bool {
        plan.consent == .unprovenKey || plan.consent == .unprovenPIN
    }

    private func check(_ plan: ProtectionPlan, _ change: ProtectionChange, from state: State) {
        #expect(plan.present == state.kinds)
        #expect(!plan.result.isEmpty, "the key is lost by \(change)")
        #expect(plan.sealed.isSubset(of: plan.result))
        #expect(plan.result.subtracting(plan.sealed).isSubset(of: state.kinds), "nothing comes from nowhere")
        let isClearNew = plan.result.contains(.clear) && !state.kinds.contains(.clear)
        let asksForClear = plan.consent == .lastProtection || plan.consent == .clearCopy
        #expect(!isClearNew || asksForClear, "\(change) writes the key in the clear unasked")
        // Sealing proves nothing of the recipients.
        let leavesKeyOnly = plan.result == .key && (state.kinds != .key || !plan.sealed.isEmpty)
        #expect(leavesKeyOnly == (plan.consent == .unprovenKey || plan.needsProof && plan.result == .key))
        // A user who opens it by one of the two may have forgotten the other.
        #expect((plan.consent == .unprovenPIN) == (change == .remove(.key) && plan.result == .pin))
        #expect(plan.consent(isProven: true) == (isAboutProof(plan) ? nil : plan.consent))
        #expect(plan.consent(isProven: false) == plan.consent)
        let losesReal = !state.kinds.isDisjoint(with: .real) && plan.result.isDisjoint(with: .real)
        #expect(losesReal == (plan.consent == .lastProtection))
        // What goes is what works for certain: something that was proven to open has to stay.
        if state.kinds.contains(.clear), !plan.result.contains(.clear) {
            #expect(plan.needsProof || !plan.sealed.isDisjoint(with: .real))
        }
    }

    @Test(arguments: [ProtectionKinds.clear, .pin, .key])
    func everySequence(first: ProtectionKinds) {
        var seen = 0
        func go(_ state: State, _ depth: Int) {
            #expect(!state.kinds.isEmpty)
            #expect(!state.kinds.hasNeedlessClearCopy || state.isClearWanted)
            #expect(!state.proven.isEmpty || state.isRiskWanted, "nobody may be able to open the key")
            guard depth < 5 else { return }
            for change in Self.changes {
                guard let plan = try? ProtectionPlan(change, of: state.kinds) else { continue }
                check(plan, change, from: state)
                seen += 1
                for isProven in isAboutProof(plan) ? [true, false] : [false] {
                    go(after(plan, state, isProven: isProven), depth + 1)
                }
                // A crash before the replacement, or a no: nothing has changed, and the next change meets the same set.
                if depth < 4 { go(state, depth + 2) }
            }
        }
        go(start(first), 0)
        #expect(seen > 1000)
    }

    @Test func refusals() {
        func refusal(_ change: ProtectionChange, _ kinds: ProtectionKinds) -> ProtectionRefusal? {
            do throws(ProtectionRefusal) {
                _ = try ProtectionPlan(change, of: kinds)
                return nil
            } catch { return error }
        }
        #expect(refusal(.protect(.pin), [.pin, .key]) == .exists(.pin))
        #expect(refusal(.protect(.key), .key) == .exists(.key))
        #expect(refusal(.protect(.key, isReplacing: true), .key) == nil)
        #expect(refusal(.protect(.pin, isReplacing: true), .pin) == .exists(.pin), "passwd changes a PIN")
        #expect(refusal(.protect(.clear), [.clear, .pin]) == .exists(.clear))
        #expect(refusal(.remove(.key), .pin) == .absent(.key))
        #expect(refusal(.remove(.clear), .pin) == .absent(.clear))
        #expect(refusal(.remove(.clear), .clear) == .onlyCopy)
        #expect(refusal(.passwd, [.clear, .key]) == .absent(.pin))
    }

    @Test func plans() throws {
        let first = try ProtectionPlan(.protect(.pin), of: .clear)
        #expect((first.result, first.sealed, first.consent, first.needsProof) == (.pin, .pin, nil, false))
        let second = try ProtectionPlan(.protect(.key), of: [.clear, .pin])
        #expect((second.result, second.sealed) == ([.pin, .key], .key))
        let last = try ProtectionPlan(.remove(.pin), of: .pin)
        #expect((last.result, last.sealed, last.consent) == (.clear, .clear, .lastProtection))
        let beside = try ProtectionPlan(.remove(.pin), of: [.clear, .pin])
        #expect((beside.result, beside.sealed, beside.consent) == (.clear, [], .lastProtection))
        let one = try ProtectionPlan(.remove(.pin), of: [.pin, .key])
        #expect((one.result, one.sealed, one.consent) == (.key, [], .unprovenKey))
        let only = try ProtectionPlan(.protect(.key), of: .clear)
        #expect((only.result, only.sealed, only.consent) == (.key, .key, .unprovenKey))
        let another = try ProtectionPlan(.protect(.key, isReplacing: true), of: .key)
        #expect((another.result, another.sealed, another.consent) == (.key, .key, .unprovenKey))
        let clear = try ProtectionPlan(.protect(.clear), of: .key)
        #expect((clear.result, clear.sealed, clear.consent) == ([.clear, .key], .clear, .clearCopy))
        let proven = try ProtectionPlan(.remove(.clear), of: [.clear, .key])
        #expect((proven.result, proven.sealed, proven.needsProof) == (.key, [], true))
        let passwd = try ProtectionPlan(.passwd, of: [.clear, .pin])
        #expect((passwd.result, passwd.sealed) == ([.clear, .pin], .pin))
    }
}
