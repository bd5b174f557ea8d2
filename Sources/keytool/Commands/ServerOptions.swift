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
    /// - Parameter isNeeded: without an option, look at the environment. Where a server is set up, what the
    ///   environment says is no wish to leave it.
    func address(isNeeded: Bool) throws -> SafeServerAddress? {
        guard let text = server ?? (isNeeded ? Environment.value(Self.variable) : nil) else { return nil }
        return try SafeServerAddress(parsing: text)
    }
}
