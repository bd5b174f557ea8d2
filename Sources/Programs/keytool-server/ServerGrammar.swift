import Console

extension CommandGrammar {
    /// keytool-server's commands.
    static var keytoolServer: CommandGrammar {
        CommandGrammar(
            root: KeytoolServer.self, version: KeytoolServer.version, commonNames: .keytoolServer,
            valuedOptions: [], letters: "",
            forms: ["duration": "a number and a unit: 30s, 10m, 24h or 3d"])
    }
}

extension CommonNames {
    fileprivate static let keytoolServer = CommonNames(table: [
        (
            "account",
            [("create new", "account add"), ("delete rm", "account remove"), ("ls show", "account list")]
        )
    ])
}
