#if Server
import Console
import Encodings
import SafeServerHTTP
import SafeStore

/// What a server prints when it has started: where it listens, and what to type on a client.
struct Welcome {
    private let listening: String
    private let metrics: String?
    private let pin: String?
    private let setups: [String]
    private let accounts: [AccountName]?
    private let mayHaveAccounts: Bool
    private let authorityPath: String?

    init(_ settings: ServeSettings, _ server: RunningServer, accounts: [AccountName]?) {
        self.accounts = accounts
        mayHaveAccounts = if case .directory = settings.location { true } else { false }
        let scheme = settings.source == nil ? "http" : "https"
        let isTCP = if case .tcp = settings.listen.address { true } else { false }
        listening = isTCP ? "\(scheme)://\(settings.listen.shown(port: server.port))" : settings.listen.text
        metrics = server.metricsPort.flatMap { settings.metricsListen?.shown(port: $0) }
        pin = server.pin
        authorityPath = settings.source?.authorityPath
        guard case .selfSigned(let name, _)? = settings.source, let pin, let authorityPath else {
            setups = []
            return
        }
        let place = "https://" + (name.contains(":") ? "[\(name)]" : name) + ":\(server.port)"
        let trust = "--ca-file \(authorityPath) --pin \(pin)"
        let logins = accounts.map { $0.prefix(Self.maxAccounts).map { "/\($0.text) --server-user \($0.text)" } } ?? [""]
        setups = logins.map { "keytool safe setup --server \(place)\($0) \(trust)" }
    }

    /// Most accounts for which a line is printed.
    private static let maxAccounts = 16

    var lines: [String] {
        var lines = ["listening on \(listening)"]
        if let metrics { lines.append("metrics on http://\(metrics)/metrics") }
        if let authorityPath, !setups.isEmpty {
            lines += ["on a client, with a copy of \(authorityPath):"] + setups.map { "  " + $0 }
        } else if let pin {
            lines.append("pin of the certificate: \(pin)")
        }
        if accounts == nil {
            lines.append("without accounts, everybody who reaches this server can store backups on it")
            if mayHaveAccounts { lines.append("  keytool-server account add NAME") }
        }
        return lines
    }

    var json: JSONValue {
        .result(
            "serve",
            [
                ("listening", .string(listening)), ("metrics", metrics.map { .string($0) }),
                ("pin", pin.map { .string($0) }), ("ca_file", authorityPath.map { .string($0) }),
                ("setup", setups.isEmpty ? nil : .array(setups.map { .string($0) })),
                ("accounts", accounts.map { .number($0.count) }),
            ])
    }
}
#endif
