import CLinux
import Glibc

/// Environment variables; an empty one counts as unset.
package enum Environment {
    /// The value, with U+FFFD in place of what is not UTF-8: for what is neither a path nor an option of ours.
    package static func value(_ name: String) -> String? {
        unsafe bytes(of: name).map { unsafe String(cString: $0) }
    }

    /// The value of a path or an option.
    /// - Throws: `UsageFailure` if it is not UTF-8: two paths would become one.
    package static func setting(_ name: String) throws -> String? {
        guard let value = unsafe bytes(of: name) else { return nil }
        guard let text = unsafe String(validatingCString: value) else {
            throw UsageFailure("\(name) is not UTF-8 text")
        }
        return text
    }

    /// The names that begin so, in byte order, with U+FFFD in place of what is not UTF-8.
    package static func names(beginningWith prefix: String) -> [String] {
        unsafe all().compactMap { variable in
            let text = unsafe variable.map { unsafe String(cString: $0) } ?? ""
            return text.hasPrefix(prefix) ? String(text.prefix { $0 != "=" }) : nil
        }.sorted()
    }

    /// The variables that `withhold` removed, as NAME=VALUE.
    nonisolated(unsafe) private static var withheld = unsafe [UnsafeMutablePointer<CChar>?]()

    /// Hides a variable from this process and its libraries, but not from `all`. Only while there is one thread.
    static func withhold(_ name: String) {
        // `unsetenv` drops the pointer to NAME=VALUE and leaves the text where it is.
        if let value = unsafe bytes(of: name) { unsafe withheld.append(value - (name.utf8.count + 1)) }
        unsafe unsetenv(name)
    }

    /// All variables as this process found them, NAME=VALUE each, as bytes: a value need not be text.
    static func all() -> [UnsafeMutablePointer<CChar>?] {
        var variables = unsafe withheld
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            unsafe variables.append(variable)
            unsafe next += 1
        }
        return unsafe variables
    }

    private static func bytes(of name: String) -> UnsafeMutablePointer<CChar>? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe value
    }

    /// The path of a program on PATH; relative entries do not count: a directory that one happens to be in is no
    /// place for programs.
    package static func program(_ name: String) -> String? {
        (value("PATH") ?? "").split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { FileStatus($0)?.isPlainFile == true && FileStatus.isExecutable($0) }
    }

    /// The home directory, from the user database if `HOME` is unset or relative.
    package static var home: String? {
        get throws {
            if let home = try setting("HOME"), home.utf8.first == UInt8(ascii: "/") { return home }
            return Account.own?.home
        }
    }

    /// Whether the locale's characters are UTF-8.
    package static var isUTF8: Bool {
        let locale = value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "C"
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8")
    }
}
