import ArgumentParser
import Console
import SafeObjectStore

/// Where the backups are: an option of every command that needs them.
struct StoreOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The backups: file:///DIR, or for serve also s3://HOST/PREFIX (KEYTOOL_SERVER_STORE).", valueName: "url"))
    var store: String?

    /// What the command of a hint needs to find the same store, as it was typed; empty if a variable names it.
    var words: String { store.map { " --store " + ShellWord.quoted($0) } ?? "" }

    /// - Throws: `UsageFailure` if there is no store, or if it is of none of the forms.
    func location() throws -> StoreLocation {
        guard let text = try store ?? Environment.setting("KEYTOOL_SERVER_STORE") else {
            throw UsageFailure("no store is given", hint: "use --store file:///var/lib/keytool-server")
        }
        if text == "memory:" { return .memory }
        if text.hasPrefix("file:///"), text.utf8.count > "file:///".utf8.count {
            return .directory(String(text.dropFirst("file://".count)))
        }
        do throws(S3AddressError) {
            return .objects(try S3Address(parsing: text))
        } catch {
            throw error.usage(text)
        }
    }

    /// The directory of a `file:` store.
    /// - Throws: `UsageFailure` if the store is none, as `location()` does for a malformed one.
    func directory() throws -> String {
        guard case .directory(let path) = try location() else {
            throw UsageFailure(
                "this command needs a store that is a directory", hint: "use --store file:///DIR")
        }
        return path
    }
}

/// A store, as the command line names it.
enum StoreLocation {
    /// The path of a directory.
    case directory(String)
    case objects(S3Address)
    /// Lost when the process ends: for tests and measurements.
    case memory
}

extension S3AddressError {
    fileprivate func usage(_ text: String) -> UsageFailure {
        switch self {
        case .notS3:
            UsageFailure(
                "'\(text.printable)' is not a store",
                hint: "a directory is written file:///DIR, an S3 server s3://HOST/PREFIX")
        case .notTwoParts: UsageFailure("'\(text.printable)' is not of the form s3://HOST/PREFIX")
        case .badHost: UsageFailure("'\(text.printable)' names no host and port")
        case .badPrefix:
            UsageFailure(
                "the prefix of '\(text.printable)' cannot begin a bucket's name",
                hint: "use 1 to \(S3Address.maxPrefixCount) lower-case letters, digits and hyphens")
        }
    }
}
