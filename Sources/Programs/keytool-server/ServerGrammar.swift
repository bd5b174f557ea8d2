import CommandParsing
import Console
import HTTPTransport

extension CommandGrammar {
    /// keytool-server's commands.
    static var keytoolServer: CommandGrammar {
        CommandGrammar(
            root: KeytoolServer.self, commonNames: .keytoolServer,
            valuedOptions: [], letters: "",
            forms: [
                "duration": "a number and a unit: 30s, 10m, 24h or 3d",
                "quota": "a number of bytes, or with a unit: 500K, 20M or 1G; or none",
                "size": "a number of bytes, or with a unit: 500K, 20M or 1G",
                "name": "a name has 1 to 32 lower-case letters, digits and hyphens",
                "backup-id": "an id has 64 hexadecimal digits",
                "timestamp": "a time in UTC: 2026-11-21T03:00:00Z",
                "time": "a time as keytool-server versions prints it: 20261121T030000123Z",
            ],
            details: "the backups of a sweep",
            beginning: ["to begin: keytool-server serve --store file:///DIR --tls-self-signed NAME"],
            opened: [("libcurl", CurlClient.libraryVersion)])
    }
}

extension CommonNames {
    fileprivate static let keytoolServer = CommonNames(table: [
        (
            "account",
            [
                ("create new", "account add"), ("delete rm", "account remove"), ("ls show", "account list"),
                ("password", "account passwd"), ("limit size", "account quota"),
            ]
        )
    ])
}
