import SecureMemory
import Threema
import ThreemaForwardSecurity
import ThreemaMessages

/// Two records and the envelopes on their way. A new session's ID is lower or higher than all others, as a step says.
package struct ModelState {
    /// What may happen to a state.
    package enum Step: Hashable, CaseIterable, CustomStringConvertible {
        case send, sendLow, acknowledge, deliver, deliverSecond, lose, reset

        package var description: String {
            switch self {
            case .send: "sends (a new ID is high)"
            case .sendLow: "sends (a new ID is low)"
            case .acknowledge: "learns that its messages were sent"
            case .deliver: "receives the next"
            case .deliverSecond: "receives the one after the next"
            case .lose: "misses the next"
            case .reset: "forgets its sessions"
            }
        }
    }

    package static let maxOnTheWay = 3

    /// Each side's record; empty for none.
    var records: [[UInt8]] = [[], []]
    /// The envelopes to each side.
    package var wire: [[Envelope]] = [[], []]
    /// How many sessions or key pairs were drawn, so that no two are alike.
    var drawn = 0

    package init() {}

    func sessions(_ place: Int) throws -> SessionSet {
        let record = records[place]
        return record.isEmpty ? SessionSet() : try SessionSet(decoding: record.span)
    }

    /// Makes a step of one side.
    /// - Returns: what an envelope has meant; nil for other steps, and `.some(nil)` never.
    mutating func take(_ step: Step, _ place: Int, _ model: Model) throws -> SessionEvent? {
        switch step {
        case .send, .sendLow:
            try send(place, model, low: step == .sendLow)
            return nil
        case .acknowledge:
            var sessions = try sessions(place)
            for number in sessions.unsent {
                guard sessions.acknowledge(number) else { throw Violation("the outbox has another order") }
            }
            store(sessions, place)
            return nil
        case .deliver: return try deliver(0, place, model)
        case .deliverSecond: return try deliver(1, place, model)
        case .lose:
            wire[place].removeFirst()
            return nil
        case .reset:
            records[place] = []
            return nil
        }
    }

    func canTake(_ step: Step, _ place: Int) throws -> Bool {
        switch step {
        case .send: wire[1 - place].count < Self.maxOnTheWay
        case .sendLow:
            // It is the same as `send` if there is a session.
            try wire[1 - place].count < Self.maxOnTheWay && sessions(place).best == nil
        case .acknowledge: try sessions(place).remote.state == .R20
        case .deliver: !wire[place].isEmpty && wire[1 - place].count < Self.maxOnTheWay
        case .deliverSecond: wire[place].count > 1 && wire[1 - place].count < Self.maxOnTheWay
        case .lose: !wire[place].isEmpty
        case .reset: !records[place].isEmpty
        }
    }

    private mutating func send(_ place: Int, _ model: Model, low: Bool) throws {
        var sessions = try sessions(place)
        let before = counters(sessions)
        drawn += 1
        let inner: [UInt8] = [MessageType.text.rawValue, 0x41]
        let random = ModelRandom(number: drawn, low: low)
        let outputs = sessions.send(
            inner.span, .text, group: nil, model.sides[place].parties, model.circumstances(random))
        for output in outputs {
            switch output.content {
            case .unprotected: throw Violation("a text was not protected")
            case .envelope(let envelope), .message(let envelope):
                if case .encapsulated(let message) = envelope.content {
                    let use = KeyName(session: envelope.session, mode: message.mode)
                    guard message.counter == before[use] ?? Chain.firstCounter,
                        counters(sessions)[use] == message.counter + 1
                    else { throw Violation("a key stays after its message") }
                }
                wire[1 - place].append(envelope)
            }
        }
        store(sessions, place)
    }

    private mutating func deliver(_ index: Int, _ place: Int, _ model: Model) throws -> SessionEvent {
        let envelope = wire[place].remove(at: index)
        var sessions = try sessions(place)
        let before = counters(sessions)
        drawn += 1
        let outcome = sessions.receive(
            envelope, messageID: MessageID(1), model.sides[place].parties,
            model.circumstances(ModelRandom(number: drawn, low: false)))
        for (name, counter) in counters(sessions) {
            guard counter >= before[name] ?? 0 else { throw Violation("a chain went back") }
        }
        var hasRejection = false
        for output in outcome.outputs {
            guard case .envelope(let answer) = output.content else { throw Violation("a message is no answer") }
            if case .reject = answer.content { hasRejection = true }
            wire[1 - place].append(answer)
        }
        if case .encapsulated = envelope.content {
            var isOpen = false
            if case .message = outcome.event { isOpen = true }
            guard isOpen != hasRejection else { throw Violation("a message was lost silently") }
        }
        let event = outcome.event
        store(sessions, place)
        return event
    }

    private mutating func store(_ sessions: borrowing SessionSet, _ place: Int) {
        records[place] = sessions.encoded().withBytes { $0.revealBytes() }
    }

    private struct KeyName: Hashable {
        let session: SessionID
        let mode: DHMode
    }

    /// The counters of the chains that send.
    private func counters(_ sessions: borrowing SessionSet) -> [KeyName: UInt64] {
        var counters: [KeyName: UInt64] = [:]
        func note(_ session: borrowing Session) {
            if session.isInitiator, let counter = session.chain2.counter {
                counters[KeyName(session: session.id, mode: .twoDH)] = counter
            }
            if let counter = session.outgoing4.counter {
                counters[KeyName(session: session.id, mode: .fourDH)] = counter
            }
        }
        _ = sessions.local.lend(note)
        _ = sessions.remote.lend(note)
        return counters
    }
}

extension Chain? {
    var counter: UInt64? {
        switch self {
        case .some(let chain): chain.counter
        case .none: nil
        }
    }
}

/// IDs above or below all that were drawn before, and keys that are different each time.
final class ModelRandom: RandomSource {
    private let number: Int
    private let low: Bool

    init(number: Int, low: Bool) {
        self.number = number
        self.low = low
    }

    func bytes(_ count: Int) -> [UInt8] {
        let middle: UInt64 = 1 << 63
        let value = low ? middle - UInt64(number) : middle + UInt64(number)
        return (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) : 0 }
    }

    func secret(_ count: Int) -> SecureBytes { RepeatableRandom(seed: UInt64(number)).secret(count) }
}
