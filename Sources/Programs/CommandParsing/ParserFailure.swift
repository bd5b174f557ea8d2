import ArgumentParser
import Console

extension Failure {
    /// What the argument parser says of the arguments.
    init(parsing error: any Error, _ arguments: [String], in grammar: CommandGrammar) {
        let words = CommandWords(arguments, in: grammar)
        if let failure = words.failure {
            self = failure
            return
        }
        let options = CommandOptions(of: words.command, in: grammar)
        // What follows it may be its value: the parser would take that for an operand, and call it wrong.
        if let unknown = options.firstUnknown(in: arguments) {
            let near = options.nearest(to: unknown)
            let likely = near.isEmpty ? [] : ["did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"]
            let hints = Self.isSecret(unknown) ? [Self.secretAdvice] : likely
            self.init(.usage, "unknown option '\(optionName(unknown))'", hints: (hints + [words.help]).map { Hint($0) })
            return
        }
        let lines = withoutValue(grammar.root.message(for: error)).split(separator: "\n")
            .map { $0.trimmingPrefix(while: \.isWhitespace) }.filter { !$0.isEmpty }
        let first = lines.first.map(String.init) ?? "wrong options"
        // "the value given is invalid for '--color'. Please provide one of …"
        let end = first.firstRange(of: "'. Please ").map { first.index(after: $0.lowerBound) }
        let advice = [end.map { first[$0...].dropFirst(2) } ?? "", Substring(lines.dropFirst().joined(separator: " "))]
        let message = Self.sentence(first[..<(end ?? first.endIndex)])
        let form = grammar.forms.first { message.hasSuffix("<\($0.key)>'") }?.value
        self.init(
            .usage, message,
            hints: (advice.filter { !$0.isEmpty }.map { Self.sentence($0) } + [form].compactMap { $0 } + [words.help])
                .map { Hint($0) })
    }

    private static let secretAdvice =
        "other users can see arguments: pass the secret by -file, -command or -fd, or type it when asked"

    /// Whether an option that does not exist was to be a secret: `--passphrase`, `--password`, `--server-password`.
    private static func isSecret(_ option: String) -> Bool {
        option.hasPrefix("--") && (option.hasSuffix("passphrase") || option.hasSuffix("password"))
    }

    /// A sentence of the parser in our habit: lower case, no full stop.
    private static func sentence(_ text: Substring) -> String {
        text.prefix(1).lowercased() + (text.hasSuffix(".") ? text.dropFirst().dropLast() : text.dropFirst())
    }
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
