import SecureMemory
import ThreemaForwardSecurity
import ThreemaMessages

extension Model {
    /// A text that is equal for states that can do the same: sessions by the rank of their IDs, chains by their
    /// distance to the other side's, and envelopes by what they will mean to their receiver.
    func describe(_ state: ModelState) throws -> String {
        var ids: Set<SessionID> = []
        for place in 0..<2 {
            let sessions = try state.sessions(place)
            for id in [sessions.local.id, sessions.remote.id] { if let id { ids.insert(id) } }
            for envelope in state.wire[place] { ids.insert(envelope.session) }
        }
        let order = ids.sorted()
        func rank(_ id: SessionID?) -> String { id.flatMap { order.firstIndex(of: $0) }.map { "\($0)" } ?? "-" }

        var parts: [String] = []
        for place in 0..<2 {
            let sessions = try state.sessions(place)
            parts.append("\(rank(sessions.local.id)) \(sessions.local.state?.rawValue ?? "")")
            parts.append("\(rank(sessions.remote.id)) \(sessions.remote.state?.rawValue ?? "")")
            var trial = state
            for envelope in state.wire[place] {
                trial.wire = [[], []]
                trial.wire[place] = [envelope]
                // What it means now. Later it may mean something else, but then by what is described here as well.
                var copy = trial
                let event = try copy.take(.deliver, place, self)
                parts.append("\(rank(envelope.session)) \(kind(envelope)) \(try distance(state, place, envelope))")
                parts.append(event.map(name) ?? "")
            }
            parts.append("|")
        }
        return (parts + (try agreements(state, order))).joined(separator: ",")
    }

    private func kind(_ envelope: Envelope) -> String {
        switch envelope.content {
        case .initiate: "I"
        case .accept: "A"
        case .reject(let rejection): "R\(rejection.cause.rawValue)"
        case .terminate(let cause): "T\(cause.rawValue)"
        case .encapsulated(let message): "M\(message.mode.rawValue)"
        }
    }

    private func name(_ event: SessionEvent) -> String {
        switch event {
        case .message(let mode, let skipped): "m\(mode.rawValue) \(skipped)"
        case .began(_, let replacing): "b\(replacing)"
        case .agreed: "a"
        case .rejected(let rejection): "r\(rejection.cause.rawValue)"
        case .ended(let cause): "e\(cause.rawValue)"
        case .refused(let cause): "f\(cause.rawValue)"
        case .refusedSession(let cause): "s\(cause.rawValue)"
        case .ignored(let reason): "i\(reason)"
        }
    }

    /// How far a message is ahead of its receiver's chain.
    private func distance(_ state: ModelState, _ place: Int, _ envelope: Envelope) throws -> String {
        guard case .encapsulated(let message) = envelope.content else { return "" }
        let sessions = try state.sessions(place)
        func next(_ session: borrowing Session) -> UInt64? {
            message.mode == .fourDH ? session.incoming4.counter : session.chain2.counter
        }
        let counter: UInt64? =
            sessions.local.id == envelope.session
            ? sessions.local.lend(next) ?? nil
            : sessions.remote.id == envelope.session ? sessions.remote.lend(next) ?? nil : nil
        return counter.map { "\(Int(message.counter) - Int($0))" } ?? "none"
    }

    /// Of each session that both sides have: how far each sender is ahead, and whether both have the same keys.
    private func agreements(_ state: ModelState, _ order: [SessionID]) throws -> [String] {
        try order.enumerated().map { rank, id in
            let chains = try [0, 1].map { place in
                let sessions = try state.sessions(place)
                return sessions.local.id == id
                    ? sessions.local.lend(Chains.init)
                    : sessions.remote.id == id ? sessions.remote.lend(Chains.init) : nil
            }
            guard let first = chains[0], let second = chains[1] else { return "\(rank):" }
            return "\(rank):\(first.compare(second)) \(second.compare(first)) \(first.isInitiator)"
        }
    }

    /// A session's chains, in ordinary memory.
    private final class Chains {
        let isInitiator: Bool
        private let chains: [(counter: UInt64?, key: (UInt64) -> [UInt8]?)]

        init(_ session: borrowing Session) {
            isInitiator = session.isInitiator
            func copy(_ chain: borrowing Chain?) -> (counter: UInt64?, key: (UInt64) -> [UInt8]?) {
                let counter = chain.counter
                let key = counter.flatMap { chain.key(at: $0) }
                return (
                    counter,
                    { target in
                        guard let counter, let key, target >= counter else { return nil }
                        return Chain?.some(Chain(key: SecureBytes(copying: key.span), counter: counter)).key(at: target)
                    }
                )
            }
            chains = [copy(session.chain2), copy(session.outgoing4), copy(session.incoming4)]
        }

        /// The own sending chains against the other side's receiving ones.
        func compare(_ other: Chains) -> String {
            var text = relation(chains[1], other.chains[2])
            if isInitiator { text += relation(chains[0], other.chains[0]) }
            return text
        }

        private func relation(
            _ sending: (counter: UInt64?, key: (UInt64) -> [UInt8]?),
            _ receiving: (counter: UInt64?, key: (UInt64) -> [UInt8]?)
        ) -> String {
            guard let sent = sending.counter, let received = receiving.counter else { return "-" }
            let later = max(sent, received)
            return "\(Int(sent) - Int(received))\(sending.key(later) == receiving.key(later))"
        }
    }
}
