import CommandLine
import Console
import Encodings
import Telegram
import TelegramSessions

// How keys and accounts of Telegram are shown. Nothing of a key is shown but its ID.

extension TelegramAccount {
    /// The ID under which the keystore holds it.
    var id: KeyID { mainKey.id }

    /// For people: one line for each fact.
    var lines: [String] {
        [
            "account      \(id)", "user         \(userWords)", "data centre  \(mainDataCentre)",
        ] + (apiID.map { ["API ID       \($0)"] } ?? [])
            + keys.map { "key          \($0.id)  for data centre \($0.dataCentre)" + ($0.isLost ? ", lost" : "") }
    }

    /// For people, in a list: what stands behind its ID.
    var facts: String {
        let lost = keys.count(where: \.isLost)
        return "user \(userWords), data centre \(mainDataCentre), "
            + Counted.text(keys.count, "key") + (lost > 0 ? ", \(lost) lost" : "")
    }

    private var userWords: String { (user.map { "\($0)" } ?? "unknown") + (isBot == true ? " (a bot)" : "") }

    /// A warning of each key that is marked as lost.
    var lostWords: [String] {
        keys.filter(\.isLost).map { "the key \($0.id) is marked as lost: somebody else may have it" }
    }

    var members: [(String, JSONValue?)] {
        [
            ("id", .string(id.description)), ("user_id", user.map { .string("\($0)") }),
            ("bot", isBot.map { .bool($0) }), ("api_id", apiID.map { .number($0) }),
            ("main_dc", .number(mainDataCentre)), ("keys", .array(keys.map { .members($0.members) })),
        ]
    }
}

extension TelegramAccount.Key {
    var members: [(String, JSONValue?)] {
        [("dc", .number(dataCentre)), ("key_id", .string(id.description)), ("lost", .bool(isLost))]
    }
}

extension TelegramFile {
    /// For people: form and content.
    var lines: [String] { ["form         \(form.words)"] + contentLines }

    /// For people: the key or the account.
    var contentLines: [String] {
        switch content {
        case .key(let held): ["key          \(held.key.id)"]
        case .account(let account): account.lines
        }
    }

    var members: [(String, JSONValue?)] {
        [("form", .string(form.name)), ("protected", .bool(isProtected)), ("weak", .bool(isWeak))] + contentMembers
    }

    /// For programs: the key or the account.
    var contentMembers: [(String, JSONValue?)] {
        switch content {
        case .key(let held): [("key_id", .string(held.key.id.description))]
        case .account(let account): account.members
        }
    }

    /// Says on stderr what its form is worth.
    /// - Parameter path: of the file; `-` for stdin.
    func sayNotes(_ path: String, _ output: Output) {
        let name = path == "-" ? "stdin" : path
        switch form {
        case .legacy(.raw), .legacy(.hashed):
            output.warn("the key in \(name) is not protected: anyone who can read the file has it")
            output.hint(Self.protectWords(path))
        case .legacy(let form):
            output.warn("\(name) has an old form, which does not authenticate the file; \(form.costWords)")
            output.hint(Self.passwdWords(path, "makes an age file of it"))
        case .session(let form):
            output.warn("\(name) is not protected: anyone who can read it is logged in")
            output.hint(Self.protectWords(path))
            if form.isNewer {
                output.note("\(name) has a newer version than keytool knows; what it needs of it is where it was")
            }
        case .age(let workFactor?) where isWeak:
            output.warn("\(name) has the work factor \(workFactor): guessing its passphrase is cheap")
            output.hint(Self.passwdWords(path, "raises the cost"))
        case .age: break
        }
    }

    private static func protectWords(_ path: String) -> String {
        "keytool telegram protect \(path == "-" ? "- -o FILE" : ShellWord.path(path)) writes an age file"
    }

    /// A file is changed at its place. Stdin has none, so a new file is written.
    private static func passwdWords(_ path: String, _ gain: String) -> String {
        path == "-" ? protectWords(path) : "keytool telegram passwd \(ShellWord.path(path)) \(gain)"
    }
}

extension TelegramFile.Form: TwoNames {
    var names: (words: String, json: String) {
        switch self {
        case .legacy(.raw): ("256 bytes, not protected", "raw")
        case .legacy(.hashed): ("SHA-1 and key, not protected", "hashed")
        case .legacy(.literal): ("AES-256-CBC, the password as the key", "literal")
        case .legacy(.literalWithIV): ("IV and AES-256-CBC, the password as the key", "literal_iv")
        case .legacy(.openSSL): ("AES-256-CBC as OpenSSL derives the key, without PEM text", "openssl")
        case .legacy(.pem): ("PEM, AES-256-CBC as OpenSSL derives the key", "pem")
        case .legacy(.scrypt): ("AES-256-CBC, scrypt", "scrypt")
        case .session(.telethonFile(let version)):
            ("session file of Telethon, version \(version), not protected", "telethon")
        case .session(.telethonText): ("session text of Telethon, not protected", "telethon-text")
        case .session(.pyrogramFile(let version)):
            ("session file of Pyrogram, version \(version), not protected", "pyrogram")
        case .session(.pyrogramText): ("session text of Pyrogram, not protected", "pyrogram-text")
        case .age(let workFactor?): ("age, passphrase (scrypt, work factor \(workFactor))", "age")
        case .age(nil): ("age, recipients", "age")
        }
    }
}

extension LegacyKeyFile.Form {
    fileprivate var costWords: String {
        self == .scrypt
            ? "guessing its password costs a tenth of that of an age file"
            : "millions of passwords can be tried in a second"
    }
}
