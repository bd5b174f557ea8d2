import ArgumentParser
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

    /// What the argument parser says of the arguments.
    init(parsing error: any Error, _ arguments: [String]) {
        let words = CommandWords(arguments)
        if let failure = words.failure {
            self = failure
            return
        }
        let options = CommandOptions(of: words.command)
        // What follows it may be its value: the parser would take that for an operand, and call it wrong.
        if let unknown = options.firstUnknown(in: arguments) {
            let near = options.nearest(to: unknown)
            let likely = near.isEmpty ? [] : ["did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"]
            let hints = Self.isSecret(unknown) ? [Self.secretAdvice] : likely
            self.init(.usage, "unknown option '\(optionName(unknown))'", hints: hints + [words.help])
            return
        }
        let lines = withoutValue(Keytool.message(for: error)).split(separator: "\n")
            .map { $0.trimmingPrefix(while: \.isWhitespace) }.filter { !$0.isEmpty }
        let first = lines.first.map(String.init) ?? "wrong options"
        // "the value given is invalid for '--color'. Please provide one of …"
        let end = first.firstRange(of: "'. Please ").map { first.index(after: $0.lowerBound) }
        let advice = [end.map { first[$0...].dropFirst(2) } ?? "", Substring(lines.dropFirst().joined(separator: " "))]
        let message = Self.sentence(first[..<(end ?? first.endIndex)])
        let form = Self.forms.first { message.hasSuffix("<\($0.key)>'") }?.value
        self.init(
            .usage, message,
            hints: advice.filter { !$0.isEmpty }.map { Self.sentence($0) } + [form].compactMap { $0 } + [words.help])
    }

    /// How values are written, by the names that stand for them.
    private static let forms = [
        "duration": "a number and a unit: 30s, 10m, 24h or 3d",
        "id": "an ID has 8 characters, A-Z and 0-9; the first may be *",
        "hex": "a public key has 64 characters, 0-9 and a-f",
        "word": "a check word has 8 characters, A-Z and 2-7",
        "pin": "sha256// and 44 characters of base64; safe status --remote shows the present one",
    ]

    private static let secretAdvice =
        "no secret is an argument, for all to see: give it by -file, -command or -fd, or wait to be asked"

    /// Whether an option that does not exist was to be a secret: `--passphrase`, `--password`, `--safe-password`.
    private static func isSecret(_ option: String) -> Bool {
        option.hasPrefix("--") && (option.hasSuffix("passphrase") || option.hasSuffix("password"))
    }

    /// A sentence of the parser in our habit: lower case, no full stop.
    private static func sentence(_ text: Substring) -> String {
        text.prefix(1).lowercased() + (text.hasSuffix(".") ? text.dropFirst().dropLast() : text.dropFirst())
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

/// A sentence of the argument parser without the value that it repeats: it may be a secret in the wrong place.
private func withoutValue(_ message: String) -> String {
    let (value, option) = ("The value '", "Unknown option '")
    if message.hasPrefix(value), let name = message.ranges(of: "' is invalid for ").last {
        return "the value given is invalid for " + message[name.upperBound...]
    }
    guard message.hasPrefix(option) else { return message }
    return "\(option)\(optionName(message.dropFirst(option.count).prefix { $0 != "'" }))'"
}

/// The name of an option that may have a secret behind it: what cannot be part of a name is left out.
private func optionName(_ argument: some StringProtocol) -> String {
    let name = argument.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return name.count < argument.count ? name + "…" : String(name)
}

/// The system's words for an errno.
func systemMessage(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text).lowercased()
}
