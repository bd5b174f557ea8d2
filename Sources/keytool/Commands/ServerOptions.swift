import ArgumentParser
import SafeWire

/// Which Safe server a command talks to.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The Safe server: file:///DIR, a folder with a server's layout (\(Self.variable)).", valueName: "url"))
    var server: String?

    private static let variable = "KEYTOOL_SERVER"

    /// Nil where none is named.
    func address() throws -> SafeServerAddress? {
        guard let text = server ?? Environment.value(Self.variable) else { return nil }
        return try SafeServerAddress(parsing: text)
    }
}
