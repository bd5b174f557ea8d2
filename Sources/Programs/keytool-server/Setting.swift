import ArgumentParser
import Console

/// An option that is also an environment variable: `--keep-previous` and `KEYTOOL_SERVER_KEEP_PREVIOUS`. The option
/// comes first.
enum Setting {
    static let prefix = "KEYTOOL_SERVER_"

    static func variable(_ option: String) -> String {
        prefix + option.uppercased().replacing("-", with: "_")
    }

    /// - Parameters:
    ///   - given: the value on the command line.
    ///   - option: its name without dashes.
    /// - Throws: `UsageFailure` if the variable has no such value.
    static func value<Value: ExpressibleByArgument>(_ given: Value?, _ option: String) throws -> Value? {
        let variable = variable(option)
        guard given == nil, let text = try Environment.setting(variable) else { return given }
        guard let value = Value(argument: text) else {
            throw UsageFailure("\(variable)=\(text.printable) is not a value of --\(option)")
        }
        return value
    }

    /// A flag: the variable is 1, or 0.
    static func flag(_ given: Bool, _ option: String) throws -> Bool {
        let variable = variable(option)
        guard !given, let text = try Environment.setting(variable) else { return given }
        guard text == "0" || text == "1" else {
            throw UsageFailure("\(variable)=\(text.printable) is neither 0 nor 1")
        }
        return text == "1"
    }
}
