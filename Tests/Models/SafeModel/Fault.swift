import Encodings
import SafeRules

/// What goes wrong with one request.
package enum Fault: Hashable, Sendable, CaseIterable {
    /// It is not carried out; the sender waits in vain.
    case lost
    /// It is carried out, and the answer is lost.
    case answerLost
    /// It is not carried out now, but later; the sender waits in vain.
    case late
    /// The server refuses it.
    case refused
    /// The server asks to wait for an hour.
    case throttled
    /// A look is answered "nothing there"; a write is answered "done" and not carried out.
    case lie
    /// A look is answered with damaged bytes.
    case damagedAnswer
    /// An app writes in the moment before it.
    case interloper
    /// The process dies before it, or after it.
    case killBefore, killAfter

    package var isKill: Bool { self == .killBefore || self == .killAfter }

    /// Whether it differs from the other faults at such a request.
    func isPossible(at request: Request) -> Bool {
        switch self {
        case .lost, .killBefore: true
        case .lie: request != .limits
        case .damagedAnswer: request == .fetch
        case .interloper: request == .fetch || request == .write
        case .throttled: request == .fetch || request == .write
        case .answerLost, .killAfter, .late, .refused: request == .write
        }
    }
}

/// What kind of request a fault befalls.
package enum Request: Sendable {
    case limits, fetch, probe, write

    init(_ action: Action) {
        self =
            switch action {
            case .askLimits: .limits
            case .fetch: .fetch
            case .store, .remove: .write
            default: .probe
            }
    }
}

/// A violation of what must hold, in words.
package struct Violation: Error, Hashable, Sendable {
    package var words: String
}

/// What a run told and did.
package struct Report: Sendable {
    /// Nil if the process died.
    package var outcome: Outcome?
    /// The requests that it sent.
    package var requests: [Request] = []
    package var violations: [Violation] = []
    /// What could not be prevented, by its reason.
    package var exceptions: [String] = []
}
