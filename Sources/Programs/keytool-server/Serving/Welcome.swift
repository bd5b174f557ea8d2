#if Server
import Console
import Encodings
import SafeServerHTTP
import SafeStore

/// What a server prints when it has started: where it listens, how to add the first account, and what to type on a client
/// and into the apps, in the order that works.
struct Welcome {
    private let listening: String
    private let metrics: String?
    private let pin: String?
    private let places: ClientPlaces?
    private let accounts: [AccountName]?
    private let addition: String?
    /// The directory of a new store.
    private let newStore: String?

    private static let isOpen = "without accounts, everybody who reaches this server can store backups on it"

    /// - Parameter isNew: whether the store was prepared at this start.
    init(_ settings: ServeSettings, _ server: RunningServer, accounts: [AccountName]?, isNew: Bool) {
        self.accounts = accounts
        newStore = if isNew, case .directory(let path) = settings.location { path } else { nil }
        addition =
            if accounts == nil, case .directory(let path) = settings.location {
                Self.command(["keytool-server", "account", "add", "NAME", "--store", "file://\(path)"])
            } else {
                nil
            }
        let scheme = settings.source == nil ? "http" : "https"
        let isTCP = if case .tcp = settings.listen.address { true } else { false }
        listening = isTCP ? "\(scheme)://\(settings.listen.shown(port: server.port))" : settings.listen.text
        metrics = server.metricsPort.flatMap { settings.metricsListen?.shown(port: $0) }
        pin = server.pin
        let names = accounts?.map(\.text) ?? (addition == nil ? nil : ["NAME"])
        places = settings.source.flatMap { source in
            isTCP ? ClientPlaces(source, port: server.port, pin: server.pin, accounts: names) : nil
        }
    }

    /// A line to type into a shell.
    fileprivate static func command(_ words: [String]) -> String {
        words.map(ShellWord.quoted).joined(separator: " ")
    }

    var lines: [String] {
        var lines = ["listening on \(listening)"]
        if let metrics { lines.append("metrics on http://\(metrics)/metrics") }
        if let pin, places?.authorityPath == nil { lines.append("pin of the certificate: \(pin)") }
        if accounts == nil { lines.append(Self.isOpen) }
        if let addition { lines.append("  \(addition)") }
        return lines + (places?.lines(after: addition == nil ? "" : "then, ") ?? [])
    }

    /// What a server that does not show its lines says in the log: a disk that is not mounted looks like a new store.
    var warnings: [String] {
        var warnings: [String] = []
        if let newStore { warnings.append("\(newStore) was missing or empty: it is a new store now") }
        if accounts == nil { warnings.append(Self.isOpen) }
        return warnings
    }

    var json: JSONValue {
        let setups = places?.setups ?? []
        return .result(
            "serve",
            [
                ("listening", .string(listening)), ("metrics", metrics.map { .string($0) }),
                ("pin", pin.map { .string($0) }), ("ca_file", places?.authorityPath.map { .string($0) }),
                ("account_add", addition.map { .string($0) }),
                ("setup", setups.isEmpty ? nil : .array(setups.map { .string($0) })),
                ("accounts", accounts.map { .number($0.count) }),
            ])
    }
}

/// A server as its clients name it.
private struct ClientPlaces {
    /// The file that a client needs; nil if the certificate is one of an authority.
    let authorityPath: String?
    /// The address of each account, or of the server.
    private let addresses: [(url: String, account: String?)]
    /// The options by which a client trusts the server.
    private let trust: [String]

    /// Most accounts for which a line is printed.
    private static let maxAccounts = 16

    /// - Parameter accounts: nil if clients need none.
    init(_ source: CertificateSource, port: Int, pin: String?, accounts: [String]?) {
        authorityPath = source.authorityPath
        // The certificate of an authority may be for several names.
        let name = if case .selfSigned(let names, _) = source { names[0] } else { "HOST" }
        let server = "https://" + (name.contains(":") ? "[\(name)]" : name) + ":\(port)"
        addresses = accounts.map { $0.prefix(Self.maxAccounts).map { ("\(server)/\($0)", $0) } } ?? [(server, nil)]
        trust = authorityPath.map { ["--ca-file", $0] + (pin.map { ["--pin", $0] } ?? []) } ?? []
    }

    /// The command for each account.
    var setups: [String] {
        addresses.map { url, account in
            let login = account.map { ["--server-user", $0] } ?? []
            return Welcome.command(["keytool", "safe", "setup", "--server", url] + login + trust)
        }
    }

    /// - Parameter start: how the first line begins.
    func lines(after start: String) -> [String] {
        guard !addresses.isEmpty else { return [] }
        let copy = authorityPath.map { ", with a copy of \($0)" } ?? ""
        let lines = ["\(start)on a client\(copy):"] + setups.map { "  " + $0 }
        // The apps trust the authorities of the phone only.
        guard authorityPath == nil else { return lines }
        return lines + ["in the Threema app, under Threema Safe, with another server than the default one:"]
            + addresses.map { url, account in
                "  address \(url), "
                    + (account.map { "user name \($0), and its password" } ?? "no user name and no password")
            }
    }
}
#endif
