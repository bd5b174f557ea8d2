import SecureMemory
import ThreemaForwardSecurity
import ThreemaMessages

extension Model {
    /// A text that is equal for states that can do the same: sessions by the rank of their IDs, chains by their
    /// distance to the other side's, and envelopes by what they will mean to their receiver.
    func describe(_ state: ModelState) throws -> String {
        let known = try [0, 1].map { try summary(state, $0) }
        var ids = Set(known.flatMap(\.chains).map(\.id))
        for envelope in state.wire[0] + state.wire[1] { ids.insert(envelope.session) }
        let order = ids.sorted()
        func rank(_ id: SessionID) -> String { order.firstIndex(of: id).map { "\($0)" } ?? "" }

        var parts: [String] = []
        for place in 0..<2 {
            parts += known[place].chains.map { "\(rank($0.id)) \($0.state)" }
            for envelope in state.wire[place] {
                parts.append(rank(envelope.session) + kind(envelope))
                parts.append(known[place].distance(envelope))
                parts.append(try meaning(state, place, envelope))
            }
            parts.append("|")
        }
        return (parts + order.map { known[0].agreement(known[1], $0) }).joined(separator: ",")
    }

    private func summary(_ state: ModelState, _ place: Int) throws -> Summary {
        if let known = summaries[state.records[place]] { return known }
        let sessions = try state.sessions(place)
        let summary = Summary(sessions)
        summaries[state.records[place]] = summary
        return summary
    }

    /// What an envelope means now. Later it may mean something else, but then by what is described as well.
    private func meaning(_ state: ModelState, _ place: Int, _ envelope: Envelope) throws -> String {
        let key = Meaning(place: place, record: state.records[place], envelope: envelope.encoded)
        if let known = meanings[key] { return known }
        var trial = state
        trial.wire = [[], []]
        trial.wire[place] = [envelope]
        let event = try trial.take(.deliver, place, self)
        let meaning = event.map(name) ?? ""
        meanings[key] = meaning
        return meaning
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
}

/// An envelope before a record.
struct Meaning: Hashable {
    let place: Int
    let record: [UInt8]
    let envelope: [UInt8]
}

/// What of a record tells states apart.
final class Summary {
    fileprivate let chains: [Chains]

    init(_ sessions: borrowing SessionSet) {
        chains = [sessions.local.lend(Chains.init), sessions.remote.lend(Chains.init)].compactMap { $0 }
    }

    /// How far a message is ahead of its receiver's chain.
    func distance(_ envelope: Envelope) -> String {
        guard case .encapsulated(let message) = envelope.content else { return "" }
        let session = chains.first { $0.id == envelope.session }
        let chain = message.mode == .fourDH ? session?.incoming4 : session?.chain2
        return chain.map { "\(Int(message.counter) - Int($0.counter))" } ?? "none"
    }

    /// Of a session that both sides have: how far each sender is ahead, and whether both have the same keys.
    func agreement(_ other: Summary, _ id: SessionID) -> String {
        guard let first = chains.first(where: { $0.id == id }), let second = other.chains.first(where: { $0.id == id })
        else { return "" }
        return first.relation(to: second) + second.relation(to: first)
    }
}

/// A session's chains, in ordinary memory.
private final class Chains {
    struct Copy {
        let counter: UInt64
        let key: [UInt8]

        func key(at target: UInt64) -> [UInt8] {
            var chain = Chain(key: SecureBytes(copying: key.span), counter: counter)
            while chain.counter < target { chain.turn() }
            return chain.key.withBytes { $0.revealBytes() }
        }
    }

    let id: SessionID
    let state: Session.State
    private let isInitiator: Bool
    let chain2: Copy?
    private let outgoing4: Copy?
    let incoming4: Copy?

    init(_ session: borrowing Session) {
        func copy(_ chain: borrowing Chain?) -> Copy? {
            switch chain {
            case .some(let chain): Copy(counter: chain.counter, key: chain.key.withBytes { $0.revealBytes() })
            case .none: nil
            }
        }
        id = session.id
        state = session.state
        isInitiator = session.isInitiator
        chain2 = copy(session.chain2)
        outgoing4 = copy(session.outgoing4)
        incoming4 = copy(session.incoming4)
    }

    /// The own sending chains against the other side's receiving ones.
    func relation(to other: Chains) -> String {
        Self.relation(outgoing4, other.incoming4) + (isInitiator ? Self.relation(chain2, other.chain2) : "")
    }

    private static func relation(_ sending: Copy?, _ receiving: Copy?) -> String {
        guard let sending, let receiving else { return "-" }
        let later = max(sending.counter, receiving.counter)
        let isSame = sending.key(at: later) == receiving.key(at: later)
        return "\(Int(sending.counter) - Int(receiving.counter))\(isSame) "
    }
}
