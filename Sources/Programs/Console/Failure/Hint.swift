/// What to do about a failure, in a line of words.
///
/// A command of a Safe is written `\(safe: "push")`: it is "keytool safe push", and "keytool safe push --name PLACE" if
/// the identity has several places. Who says the failure knows that; who explains the error does not.
package struct Hint: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// The words before, between and after the commands that take a place.
    private let parts: [String]

    private init(_ parts: [String]) { self.parts = parts }

    /// Words without a place.
    package init(_ words: String) { parts = [words] }

    package init(stringLiteral words: String) { self.init(words) }

    package init(stringInterpolation: Interpolation) { self.init(stringInterpolation.parts) }

    /// The words, with no place in them. The ID of a Gateway begins with an asterisk, so it is quoted for the shell.
    package var text: String {
        parts.joined().split(separator: " ", omittingEmptySubsequences: false)
            .map { $0.first == "*" && $0.count == 8 ? ShellWord.quoted(String($0)) : String($0) }.joined(separator: " ")
    }

    /// This hint with a place in its commands, and with an ID if it does not name it. A place that it has stays.
    package func at(_ place: String?, of id: String? = nil) -> Hint {
        let missing = id.flatMap { id in parts.contains { $0.contains(id) } ? nil : id }
        return Hint(parts.joined(separator: (place.map { " --name \($0)" } ?? "") + (missing.map { " \($0)" } ?? "")))
    }

    /// Collects the parts.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var parts = [""]

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ words: String) { parts[parts.count - 1] += words }

        package mutating func appendInterpolation<Value>(_ value: Value) { appendLiteral("\(value)") }

        /// A command that takes the place of a Safe.
        package mutating func appendInterpolation(safe verb: String) {
            appendLiteral("keytool safe \(verb)")
            parts.append("")
        }
    }
}
