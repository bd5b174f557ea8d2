import Encodings
import Glibc

/// How a command ends that did not do what it was asked for: one sentence, what to do about it, and
/// the exit code. The files beside this one say it for the errors of one room each.
struct Failure {
    let status: Status
    /// Lower case, no full stop, nothing secret.
    let message: String
    let hints: [String]
    /// In snake case: tells apart what shares an exit code; nil where the code's name says it all.
    private(set) var reason: String?

    init(_ status: Status, _ message: String, hints: String...) {
        self.status = status
        self.message = message
        self.hints = hints
    }

    init(_ error: any Error) {
        if let error = error as? any Explained {
            self = error.failure
        } else {
            // No error of ours is missing in the table, so it came from the runtime.
            self.init(.failed, "\(error)")
        }
    }

    init(_ status: Status, _ message: String, hints: [String]) {
        self.status = status
        self.message = message
        self.hints = hints
    }

    /// This failure with one more hint, before the others.
    func advising(_ hint: String) -> Failure {
        Failure(status, message, hints: [hint] + hints).because(of: reason)
    }

    /// This failure with its reason.
    func because(of reason: String?) -> Failure {
        var failure = self
        failure.reason = reason
        return failure
    }

    /// As it stands in a JSON document.
    var json: JSONValue {
        [
            "code": .number(status.rawValue), "name": .string(status.name), "reason": .string(reason ?? status.name),
            "message": .string(message),
            "hint": hints.isEmpty ? nil : .string(hints.joined(separator: "; ")),
        ]
    }

    /// One JSON line on stderr.
    func reportJSON() { try? Output.write(jsonLine, to: STDERR_FILENO) }

    /// As `reportJSON` writes it.
    var jsonLine: String { Output.text(["schema": .string(JSONValue.schema), "error": json]) + "\n" }

    /// One line on stderr, and one for each hint.
    /// - Parameter subject: what it is about, where the command is about several things.
    func report(about subject: String? = nil, isVerbose: Bool = false) {
        let sentence = (subject.map { $0 + ": " } ?? "") + message
        Output.word("error", isVerbose ? "\(sentence) (\(status.name), exit code \(status.rawValue))" : sentence)
        for hint in hints { Output.word("hint", hint) }
    }
}

/// An error with its sentence.
protocol Explained: Error {
    var failure: Failure { get }
}

/// An error that a command explains better than the room it comes from.
struct CommandFailure: Explained {
    let failure: Failure
    /// Whether everything has been said: only the exit code is left.
    var isReported = false
}

/// Something about the call itself that only the command can see.
struct UsageFailure: Explained {
    let failure: Failure

    init(_ message: String) { failure = Failure(.usage, message) }
    init(_ message: String, hint: String) { failure = Failure(.usage, message, hints: hint) }
}

/// The system's words for an errno.
func systemMessage(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text).lowercased()
}
