import CommandParsing
import Console

extension CommandGrammar {
    /// keytool's commands.
    static var keytool: CommandGrammar {
        CommandGrammar(
            root: Keytool.self, version: Keytool.version, commonNames: .keytool,
            valuedOptions: [GlobalOptions.keystoreName], letters: "o",
            forms: [
                "duration": "a number and a unit: 30s, 10m, 24h or 3d",
                "id": "an ID has 8 characters, A-Z and 0-9; the first may be *",
                "check-value": "a check value has 16 characters, 0-9 and a-f; keytool mainkey status shows it",
                "minutes": "never, always, or 1 to 1440",
                "kind": "pin, key or none",
                "digits": "the first digits of a public key; keytool id list shows them",
                "hex": "64 characters, 0-9 and a-f: a public key, or the SHA-256 of a certificate",
                "word": "a check word has 8 characters, A-Z and 2-7",
                "rules": "for example last=3,daily=7,weekly=4,monthly=12, or all",
                "who": "everyone, nobody, or IDs with commas between them",
                "phone-number":
                    "country code and number, 7 to 15 digits; a new account takes it with the plus sign before them",
                "public-key": "44 characters of Base64",
                "ids": "IDs with commas between them, or none",
                "account": "an account has 16 characters, 0-9 and a-f; keytool telegram list shows them",
                "key-id": "the ID of a key has 16 characters, 0-9 and a-f; keytool telegram show shows them",
                "bytes8": "16 characters, 0-9 and a-f",
                "peer-id": "a peerID has 32 characters, 0-9 and a-f; keytool sophaxchat list shows them",
                "messenger/id": "for example threema/ABCD1234",
                "pin": "sha256// and 44 characters of base64; a command with a wrong one shows the present one",
            ],
            details: "each request to a server",
            beginning: [
                "to begin with a new identity: keytool id create",
                "to begin with the one of your phone: keytool backup import",
            ])
    }
}

extension CommonNames {
    fileprivate static let keytool = CommonNames(
        special: ["telegram", "textsecure", "mainkey", "sophaxchat", "archive"],
        table: [
            (
                "id",
                [
                    ("add generate init make new register", "id create"), ("lookup query", "id fetch"),
                    ("ls", "id list"),
                    ("delete rm", "id remove"),
                    ("cat get info print view", "id show"), ("export", "backup export"), ("import", "backup import"),
                ]
            ),
            (
                "backup",
                [
                    ("create make new print save show write", "backup export"),
                    ("load read recover restore", "backup import"), ("test verify", "backup check"),
                ]
            ),
            (
                "safe",
                [
                    ("backup put save store sync upload", "safe push"),
                    ("download fetch get recover restore", "safe pull"), ("info list ls show", "safe status"),
                    ("test verify", "safe check"), ("remove rm", "safe delete"),
                    ("add config configure create enable init", "safe setup"), ("password", "safe passwd"),
                    ("migrate mv relocate transfer", "safe move"), ("address login url", "safe server"),
                ]
            ),
            (
                "key",
                [
                    ("info list show", "key status"), ("encrypt", "key protect"),
                    ("change passphrase password", "key passwd"), ("decrypt", "key unprotect"),
                ]
            ),
            (
                "profile",
                [
                    ("cat get info print view", "profile show"), ("change edit update", "profile set"),
                    ("save write", "profile export"), ("load read", "profile import"), ("compare", "profile diff"),
                ]
            ),
            (
                "contact",
                [
                    ("ls show", "contact list"), ("create import new scan", "contact add"),
                    ("check compare confirm", "contact verify"), ("delete rm", "contact remove"),
                    ("find lookup search", "contact match"),
                ]
            ),
            (
                "telegram",
                [
                    ("add load read", "telegram import"), ("ls", "telegram list"),
                    ("cat get info print view", "telegram show"), ("encrypt", "telegram protect"),
                    ("change password passphrase rewrap", "telegram passwd"), ("decrypt", "telegram unprotect"),
                    ("check test", "telegram verify"), ("backup save write", "telegram export"),
                    ("lost revoke", "telegram mark-lost"), ("delete remove rm", "id remove"),
                    ("open packet", "telegram open-packet"),
                    ("seal", "telegram seal-packet"),
                ]
            ),
            (
                "textsecure",
                [
                    ("add create generate make new register", "textsecure init"), ("ls", "textsecure list"),
                    ("cat get info print view", "textsecure show"),
                    ("compare safety", "textsecure fingerprint"), ("keys status", "textsecure prekeys"),
                    ("refill", "textsecure refill-prekeys"), ("load read restore", "textsecure import"),
                    ("check test", "textsecure verify"), ("backup save write", "textsecure export"),
                    ("delete remove rm", "id remove"), ("open push", "textsecure open-push"),
                    ("seal", "textsecure seal-push"), ("attach encrypt", "textsecure seal-attachment"),
                    ("attachment decrypt", "textsecure open-attachment"),
                    ("hash tokens", "textsecure hash-numbers"), ("match", "textsecure match-tokens"),
                    ("client", "textsecure import-client"),
                ]
            ),
            (
                "mainkey",
                [
                    ("add create generate make new", "mainkey init"), ("info list ls show", "mainkey status"),
                    ("encrypt", "mainkey protect"), ("unprotect", "mainkey remove"),
                    ("change password pin", "mainkey passwd"), ("autolock", "mainkey timeout"),
                    ("load read restore", "mainkey import"), ("backup save write", "mainkey export"),
                    ("check test", "mainkey verify"), ("delete destroy rm", "mainkey wipe"),
                ]
            ),
            (
                "sophaxchat",
                [
                    ("add create generate make new", "sophaxchat init"), ("load read restore", "sophaxchat import"),
                    ("backup save write", "sophaxchat export"), ("ls", "sophaxchat list"),
                    ("cat get info print view", "sophaxchat show"), ("check test", "sophaxchat verify"),
                    ("share shares", "sophaxchat split"), ("combine merge", "sophaxchat join"),
                    ("prekeys status", "sophaxchat show-prekeys"), ("refill", "sophaxchat refill-prekeys"),
                    ("rotate", "sophaxchat rotate-prekeys"), ("bundle", "sophaxchat export-bundle"),
                    ("fingerprint number", "sophaxchat safety"), ("pin", "sophaxchat set-pin"),
                    ("duress", "sophaxchat set-duress-pin"), ("open", "sophaxchat open-backup"),
                    ("delete remove rm", "id remove"),
                ]
            ),
            (
                "archive",
                [
                    ("backup create dump make save write", "archive export"),
                    ("load read recover restore", "archive import"),
                    ("compare diff test verify", "archive check"), ("contents info ls show", "archive list"),
                ]
            ),
            ("qr", [("draw print", "qr show"), ("read scan", "backup import --qr-image")]),
        ])
}
