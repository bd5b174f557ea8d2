import CommandParsing
import Console

/// The environment variables of this program, `KEYTOOL_SERVER_LISTEN` for `--listen`.
enum Variables {
    /// The options that have one.
    private static let options = [
        "store", "accounts", "s3-access-key", "s3-secret-key-file", "s3-secret-key-command", "s3-secret-key-fd",
        "s3-ca-file", "s3-region", "max-backup-bytes", "retention-days", "tls-self-signed", "tls-certificate",
        "tls-key", "listen",
        "metrics-listen", "behind-proxy", "proxy-header", "client-rate", "backup-rate", "max-connections",
        "max-connections-per-client", "max-body-memory", "head-timeout", "body-timeout", "idle-timeout", "workers",
        "keep-previous", "keep-versions", "log-requests", "log-clients", "log-accounts", "metrics-accounts",
        "account-password-file", "account-password-command", "account-password-fd",
    ]
    /// Those of keytool that begin in the same way.
    private static let clients = ["password-file", "password-command", "password-fd"]

    /// Warns of each variable that looks like one of this program and is none: it would be ignored silently.
    static func warnOfUnknown(_ output: Output) {
        let known = options.map(Setting.variable)
        for name in Environment.names(beginningWith: Setting.prefix)
        where !known.contains(name) && !clients.map(Setting.variable).contains(name) {
            let nearest = Suggestion.nearest(to: name, among: known.map { ($0, $0) })
            let question = nearest.first.map { ": did you mean \($0)?" } ?? ""
            output.warn("\(name.printable) is not a variable of keytool-server\(question)")
        }
    }
}
