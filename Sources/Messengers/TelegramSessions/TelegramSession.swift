package import Telegram

/// A session of Telethon or Pyrogram: a login of a bot or a user, which the two Python libraries keep in a file or a text.
package struct TelegramSession: Equatable, Sendable {
    /// How a session is written.
    package enum Form: Equatable, Sendable {
        /// An SQLite file of Telethon, with the version in it.
        case telethonFile(version: Int64)
        /// A text of Telethon, 353 or 369 characters.
        case telethonText
        /// An SQLite file of Pyrogram or one of its successors, with the version in it.
        case pyrogramFile(version: Int64)
        /// A text of Pyrogram, 351, 356 or 362 characters.
        case pyrogramText

        /// Whether its version is newer than those that are known: Telethon 8, Pyrogram 7.
        package var isNewer: Bool {
            switch self {
            case .telethonFile(let version): version > 8
            case .pyrogramFile(let version): version > 7
            case .telethonText, .pyrogramText: false
            }
        }
    }

    /// The form that was read.
    package let form: Form
    /// The keys in it, and what it says of the user.
    package let account: TelegramAccount

    /// Longest database, log or journal that is read, in bytes.
    package static let maxFileCount = 256 * 1024 * 1024
}

/// Why bytes are not a session, or why an account cannot be written as one.
package enum TelegramSessionError: Error, Equatable, Sendable {
    /// It is an SQLite database, but neither of Telethon nor of Pyrogram.
    case otherDatabase
    /// It is of one of them, but values are missing, or are not what they have to be.
    case damaged
    /// Nobody is logged in: it has no key.
    case noKey
    /// The key has this length in bytes, and not 256.
    case keyLength(Int)
    /// Pyrogram needs the user's number, which is not known.
    case noUser
    /// The address of this data centre is not known.
    case noAddress(dataCentre: Int32)
}
