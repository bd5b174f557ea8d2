package import Encodings

/// How a command ends that did not do what it was asked for: one sentence, what to do about it, and
/// the exit code. Errors of the rooms below get theirs from the program, by `Explained`.
package struct Failure {
    /// The exit code.
    package let status: Status
    /// Lower case, no full stop, nothing secret.
    package let message: String
    /// What to do about it; each is a line of its own.
    package let hints: [Hint]
    /// Distinguishes errors with the same exit code, in snake case; nil if the name of the code is enough.
    package private(set) var reason: String?

    /// - Parameter hints: what to do about it, each a line of its own.
    package init(_ status: Status, _ message: String, hints: Hint...) {
        self.status = status
        self.message = message
        self.hints = hints
    }

    /// What an error says of itself; exit code 1 if it is not `Explained`.
    package init(_ error: any Error) {
        if let error = error as? any Explained {
            self = error.failure
        } else {
            // No error of ours is missing in the table, so it came from the runtime.
            self.init(.failed, "\(error)")
        }
    }

    /// - Parameter hints: what to do about it, each a line of its own.
    package init(_ status: Status, _ message: String, hints: [Hint]) {
        self.status = status
        self.message = message
        self.hints = hints
    }

    /// This failure with one more hint, before the others.
    package func advising(_ hint: Hint) -> Failure {
        Failure(status, message, hints: [hint] + hints).because(of: reason)
    }

    /// This failure with a place of the Safe in the commands of its hints, and with the ID of its identity.
    package func at(_ place: String?, of id: String? = nil) -> Failure {
        Failure(status, message, hints: hints.map { $0.at(place, of: id) }).because(of: reason)
    }

    /// This failure with its reason.
    package func because(of reason: String?) -> Failure {
        var failure = self
        failure.reason = reason
        return failure
    }

    /// As it stands in a JSON document.
    package var json: JSONValue {
        .members([
            ("code", .number(status.rawValue)), ("name", .string(status.name)),
            ("reason", .string(reason ?? status.name)), ("message", .string(message)),
            ("hint", hints.isEmpty ? nil : .string(hints.map(\.text).joined(separator: "; "))),
        ])
    }

    /// One JSON line on stderr.
    package func reportJSON() { Output.say(json: document) }

    /// As `reportJSON` writes it.
    var jsonLine: String { Output.text(document) + "\n" }

    private var document: JSONValue { ["schema": .string(JSONValue.schema), "error": json] }

    /// One line on stderr, and one for each hint.
    /// - Parameter subject: what it is about, if the command is about several things.
    package func report(about subject: String? = nil, isVerbose: Bool = false) {
        let sentence = (subject.map { $0 + ": " } ?? "") + message
        Output.word("error", isVerbose ? "\(sentence) (\(status.name), exit code \(status.rawValue))" : sentence)
        for hint in hints { Output.word("hint", hint.text) }
    }
}

/// An error with its sentence.
package protocol Explained: Error {
    /// How a command ends that does not catch it.
    var failure: Failure { get }
}

extension Failure: Explained {
    /// Itself: a command throws it where it explains more than the room that an error comes from.
    package var failure: Failure { self }
}

/// A failure of which everything may have been said.
package struct CommandFailure: Explained {
    /// The sentence and the exit code.
    package let failure: Failure
    package let isReported: Bool

    /// - Parameter isReported: whether everything has been said: only the exit code is left.
    package init(failure: Failure, isReported: Bool) {
        self.failure = failure
        self.isReported = isReported
    }
}

/// Something about the call itself that only the command can see.
package struct UsageFailure: Explained {
    /// The sentence and the exit code.
    package let failure: Failure

    /// A sentence without advice.
    package init(_ message: String) { failure = Failure(.usage, message) }
    /// A sentence, and what to do.
    package init(_ message: String, hint: Hint) { failure = Failure(.usage, message, hints: hint) }
}
