internal import CBuild
internal import Console
internal import Encodings

/// What `--version` prints.
struct VersionReport {
    /// Where `--verbose` asks for more: what the program was built from, and the libraries that it opens when it needs
    /// them, with their versions, or nil for one that is missing.
    let details: Details?

    struct Details {
        let built: [(name: String, value: String)]
        let opened: [(name: String, version: String?)]

        /// - Parameter opened: what the program opens.
        init(opened: [(name: String, version: String?)]) {
            self.opened = opened
            built = unsafe String(cString: keytool_build_facts()).split(separator: ";").map { fact in
                let parts = fact.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            }
        }
    }

    /// For people, behind the name of the program.
    func lines(_ title: String) -> [String] {
        guard let details else { return [title] }
        let rows = details.built + details.opened.map { ($0.name, $0.version ?? "not installed") }
        let width = rows.map(\.0.count).max() ?? 0
        return [title] + rows.map { $0.0 + String(repeating: " ", count: width + 2 - $0.0.count) + $0.1 }
    }

    var json: JSONValue {
        .result(
            "version",
            [
                ("version", .string(Release.version)),
                ("built", details.map { .members($0.built.map { ($0.name, .string($0.value)) }) }),
                (
                    "opened",
                    details.map { .members($0.opened.map { ($0.name, $0.version.map { .string($0) } ?? .null) }) }
                ),
            ])
    }
}
