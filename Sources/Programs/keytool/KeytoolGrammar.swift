import CommandLine
import CommandParsing
import HTTPTransport
import QRCode
import ThreemaDataBackup

extension CommandGrammar {
    /// keytool's commands.
    static var keytool: CommandGrammar {
        CommandGrammar(
            root: Keytool.self, commonNames: .keytool,
            valuedOptions: [GlobalOptions.keystoreName], letters: "o",
            forms: [
                SessionWaitOptions.form.name: SessionWaitOptions.form.words,
                "digits": "the first digits of a public key; keytool id list shows them",
                "hex": "64 characters, 0-9 and a-f: a public key, or the SHA-256 of a certificate",
                "word": "a check word has 8 characters, A-Z and 2-7",
                "rules": "for example last=3,daily=7,weekly=4,monthly=12, or all",
                "who": "everyone, nobody, or IDs with commas between them",
                "ids": "IDs with commas between them, or none",
                "messenger/id": "for example threema/ABCD1234",
                "base64": "44 characters of base64, which are 32 bytes",
                "pin": "sha256// and 44 characters of base64; a command with a wrong one shows the present one",
            ].merging(Messengers.shipped.forms) { own, _ in own },
            details: "each request to a server",
            beginning: [
                "keytool id create        with a new identity",
                "keytool backup import    with the one of your phone",
            ],
            examples: Examples.lines, elsewhere: Messengers.shipped.inLaboratory,
            opened: [
                ("libcurl", CurlClient.libraryVersion), ("libqrencode", QRMatrix.encoderVersion),
                ("libzip", DataBackup.libraryVersion),
            ])
    }
}

extension CommonNames {
    fileprivate static let keytool = CommonNames(
        special: Set(Messengers.shipped.commonNames.map(\.noun) + ["archive"]),
        table: Messengers.shipped.commonNames + own.map { ($0, $1) })

    /// By noun: other names of a verb, and the command that they mean.
    private static let own: KeyValuePairs<String, [(names: String, meaning: String)]> = [
        "id": [
            ("add generate init make new register", "id create"), ("lookup query", "id fetch"), ("ls", "id list"),
            ("delete rm", "id remove"), ("cat get info print view", "id show"), ("export", "backup export"),
            ("import", "backup import"),
        ],
        "backup": [
            ("create make new print save show write", "backup export"),
            ("load read recover restore", "backup import"), ("test verify", "backup check"),
        ],
        "safe": [
            ("backup put save store sync upload", "safe push"), ("download fetch get recover restore", "safe pull"),
            ("info list ls show", "safe status"), ("test verify", "safe check"), ("remove rm", "safe delete"),
            ("add config configure create enable init", "safe setup"), ("password", "safe passwd"),
            ("migrate mv relocate transfer", "safe move"), ("address login url", "safe server"),
        ],
        "key": [
            ("info list show", "key status"), ("encrypt", "key protect"),
            ("change passphrase password", "key passwd"), ("decrypt", "key unprotect"),
        ],
        "profile": [
            ("cat get info print view", "profile show"), ("change edit update", "profile set"),
            ("save write", "profile export"), ("load read", "profile import"), ("compare", "profile diff"),
        ],
        "contact": [
            ("ls show", "contact list"), ("create import new scan", "contact add"),
            ("check compare confirm", "contact verify"), ("delete rm", "contact remove"),
            ("find lookup search", "contact match"),
        ],
        "archive": [
            ("backup create dump make save write", "archive export"),
            ("load read recover restore", "archive import"),
            ("compare diff test verify", "archive check"), ("contents info ls show", "archive list"),
        ],
        "qr": [("draw print", "qr show"), ("read scan", "backup import --qr-image")],
    ]
}
