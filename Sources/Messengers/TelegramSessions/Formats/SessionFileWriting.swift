package import SecureMemory
package import Telegram

// The tables of new session files: version 7 of Telethon and version 3 of Pyrogram, which later versions upgrade.

extension TelegramAccount {
    /// The session of the account's main key as an SQLite file of Telethon.
    /// - Throws: `.noAddress`.
    package func telethonFile() throws(TelegramSessionError) -> SecureBytes {
        let server = try sessionServer
        var database = NewDatabase()
        database.table("version", "version integer primary key", [(7, [.null])])
        database.table(
            "sessions",
            "dc_id integer primary key, server_address text, port integer, auth_key blob, takeout_id integer",
            [
                (
                    Int64(sessionNumber),
                    [.null, .text(server.text), .integer(Int64(server.port)), .key(mainKey.held), .null]
                )
            ])
        database.table(
            "entities",
            "id integer primary key, hash integer not null, username text, phone integer, name text, date integer",
            sessionUser.map { [(0, [.null, .integer($0), .null, .null, .null, .null])] } ?? [])
        database.table(
            "sent_files",
            "md5_digest blob, file_size integer, type integer, id integer, hash integer, "
                + "primary key(md5_digest, file_size, type)")
        database.index("sqlite_autoindex_sent_files_1", of: "sent_files", nil)
        database.table(
            "update_state", "id integer primary key, pts integer, qts integer, date integer, seq integer")
        return database.encoded()
    }

    /// The session of the account's main key as an SQLite file of Pyrogram. Without an API ID the library adds its own.
    /// An account is a user's if it is not known to be a bot's.
    /// - Throws: `.noUser`, `.noAddress`.
    package func pyrogramFile() throws(TelegramSessionError) -> SecureBytes {
        let user = try pyrogramUser
        var database = NewDatabase()
        database.table(
            "sessions",
            "dc_id INTEGER PRIMARY KEY, api_id INTEGER, test_mode INTEGER, auth_key BLOB, date INTEGER NOT NULL, "
                + "user_id INTEGER, is_bot INTEGER",
            [
                (
                    Int64(sessionNumber),
                    [
                        .null, apiID.map { .integer(Int64($0)) } ?? .null, .integer(isForTests ? 1 : 0),
                        .key(mainKey.held), .integer(0), .integer(user), .integer(isBot == true ? 1 : 0),
                    ]
                )
            ])
        database.table(
            "peers",
            "id INTEGER PRIMARY KEY, access_hash INTEGER, type INTEGER NOT NULL, username TEXT, phone_number TEXT, "
                + "last_update_on INTEGER NOT NULL DEFAULT (CAST(STRFTIME('%s', 'now') AS INTEGER))")
        database.table("version", "number INTEGER PRIMARY KEY", [(3, [.null])])
        for column in ["id", "username", "phone_number"] {
            database.index("idx_peers_\(column)", of: "peers", column)
        }
        return database.encoded()
    }
}
