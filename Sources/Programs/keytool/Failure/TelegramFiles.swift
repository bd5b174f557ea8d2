import CommandLine
import Console
import MessengerKeeping
import Telegram
import TelegramSessions

extension LegacyKeyFileError: Explained {
    var failure: Failure {
        switch self {
        case .age: Failure(.badData, "the content of the age file is an age file itself")
        case .tooLong(let limit):
            Failure(.badData, "this is not a key file of Telegram: it has more than \(limit) bytes")
        case .unknownForm(let count):
            Failure(
                .badData, "this is not a key file of Telegram: no form has \(count) bytes",
                hints:
                    "a key has 256 bytes, or 276 with its SHA-1; protected ones have 288, 304 or 320, or are PEM or age",
                "a session text has 353 or 369 characters (Telethon), or 351, 356 or 362 (Pyrogram)"
            )
        case .malformedPEM:
            Failure(
                .badData, "the PEM text is not an encrypted key of Telegram",
                hints: "it needs the lines Proc-Type: 4,ENCRYPTED and DEK-Info: AES-256-CBC,…")
        case .needsPassword: Failure(.needSecret, "the file needs its passphrase")
        case .wrongPassword:
            Failure(
                .wrongPassword, "the passphrase of the file is wrong, or it is damaged",
                hints: "this form does not tell one from the other")
        case .damaged: Failure(.badData, "the key is damaged: its SHA-1 does not fit")
        case .memory: Failure(.memory, "not enough memory to derive the key of the file")
        }
    }
}

extension TelegramFileError: Explained {
    var failure: Failure {
        switch self {
        case .otherContent:
            Failure(.badData, "the age file opens, but contains neither a key nor an account of Telegram")
        case .identityNotUsed:
            Failure(.usage, "--identity opens age files; this file has another form", hints: "leave --identity out")
        case .notProtected(let path):
            Failure(
                .wrongPassword, "a passphrase was given, but \(path) is not protected",
                hints: "somebody may have replaced the file: compare it with an older copy",
                "if you know that it is unprotected: give no passphrase")
        }
    }
}

extension TelegramSessionError: Explained {
    var failure: Failure {
        switch self {
        case .otherDatabase: Failure(.badData, "this is an SQLite database, but not a session of Telethon or Pyrogram")
        case .damaged: Failure(.badData, "the session is damaged: a value is missing, or is not what it has to be")
        case .noKey:
            Failure(
                .badData, "the session has no key: nobody has logged in with it, or has logged out",
                hints: "log in with the bot's program first")
        case .keyLength(let count):
            Failure(.badData, "the session is damaged: its key has \(ByteCount.text(count)), not 256 bytes")
        case .noUser:
            Failure(
                .badData, "a session of Pyrogram needs the user's number, which is not known",
                hints: "--format telethon does not need it",
                "import a file that has it: keytool telegram import adds it to the account")
        case .noAddress(let number):
            Failure(
                .badData, "the address of data centre \(number) is not known: no session can be written",
                hints: "keytool telegram export without --format writes an age file")
        }
    }
}

extension TelegramSessionFileError: Explained {
    var failure: Failure {
        switch self {
        case .inUse(let path):
            Failure(
                .locked, "\(path) is being written all the time", hints: "stop the program that uses it, then try again"
            )
        }
    }
}

extension TelegramDesktopError: Explained {
    var failure: Failure {
        switch self {
        case .noKeyFile(let path, _, true):
            Failure(.badData, "\(path) has no keys of Telegram Desktop", hints: "name the directory \(path)/tdata")
        case .noKeyFile(let path, let name, false):
            Failure(
                .badData, "\(path) is not the directory tdata of Telegram Desktop: it has no file \(name)",
                hints: "on Linux it is ~/.local/share/TelegramDesktop/tdata")
        }
    }
}

extension DesktopDirectoryError: Explained {
    var failure: Failure {
        switch self {
        case .missing(let name): Failure(.badData, "the file \(name) is missing")
        case .unreadable(let name): Failure(.io, "\(name) cannot be read")
        case .wrongPasscode: Failure(.wrongPassword, "wrong Telegram passcode")
        case .file(_, .memory): Failure(.memory, "not enough memory to derive the key of the passcode")
        case .file(let name, .newer(let version)):
            Failure(
                .badData,
                "\(name) has a form that keytool does not know"
                    + (version.map { ": version \($0)" } ?? "") + "; it is not damaged",
                hints: "a newer Telegram Desktop has written it; a newer keytool may know it: install that version"
            ).because(of: "newer_version")
        case .file(let name, let error): Failure(.badData, "\(name) \(error.words)")
        }
    }
}

extension DesktopError {
    /// What follows the name of the file.
    fileprivate var words: String {
        switch self {
        case .tooLong(let limit): "is longer than \(ByteCount.text(limit))"
        case .notDesktopFile: "is not a file of Telegram Desktop"
        case .wrongChecksum: "is damaged: its checksum is wrong"
        case .malformed: "is damaged: its checksum is right, but its content is malformed"
        case .newer: "has a form that keytool does not know"
        case .tooCostly: "asks for more memory or time to derive the passcode's key than Telegram Desktop does"
        case .noPasscodeWrap:
            "needs a passcode, but has no key that one opens: a change of the passcode was interrupted, or it is damaged"
        case .memory: "needs more memory than there is"
        case .wrongPasscode: "does not open with this passcode"
        case .otherLocalKey: "is of another directory: it does not open with the key of this one"
        case .unknownBlock(let number): "contains settings of number \(number), not keys"
        }
    }
}

extension TelegramKeepingError: Explained {
    var failure: Failure {
        switch self {
        case .otherKeys(let account, let numbers):
            Failure(
                .exists,
                "the keystore holds another key of \(account) for data centre "
                    + numbers.map { "\($0)" }.joined(separator: ", "),
                hints: "nothing was replaced: keytool telegram show \(account)"
            ).because(of: "other_key")
        case .otherUser(let account):
            Failure(
                .exists, "the keystore holds the key of \(account) as that of another user",
                hints: "nothing was replaced: keytool telegram show \(account)"
            ).because(of: "other_user")
        case .otherDataCentre(let account, let key, let number):
            Failure(
                .exists, "the keystore holds the key \(key) as that for data centre \(number)",
                hints: "nothing was changed: keytool telegram show \(account)"
            ).because(of: "other_data_centre")
        }
    }
}
