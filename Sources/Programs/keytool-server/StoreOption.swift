import ArgumentParser
import Console

/// Where the backups are: an option of every command that needs them.
struct StoreOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The backups: file:///DIR (KEYTOOL_SERVER_STORE).", valueName: "url"))
    var store: String?

    /// The directory of a `file:` store.
    /// - Throws: `UsageFailure` if there is no store, or if it is not of that form.
    func directory() throws -> String {
        guard let text = try store ?? Environment.setting("KEYTOOL_SERVER_STORE") else {
            throw UsageFailure("no store is given", hint: "use --store file:///var/lib/keytool-server")
        }
        guard text.hasPrefix("file:///"), text.utf8.count > "file:///".utf8.count else {
            throw UsageFailure("'\(text.printable)' is not a store", hint: "a directory is written file:///DIR")
        }
        return String(text.dropFirst("file://".count))
    }
}
