package import SecureMemory
internal import Telegram

// The tables of a session file. Other versions have further columns, which are at the end of a file that was upgraded, so
// columns are found by their names.
//
//   library   version            sessions
//   Telethon  version (version)  dc_id, server_address, port, auth_key; up to 8: takeout_id, tmp_auth_key
//   Pyrogram  version (number)   dc_id, test_mode, auth_key, user_id, is_bot; from 3 on api_id, from 7 on the server
//
// auth_key has 256 bytes, or is NULL or empty before the login. tmp_auth_key is a key for a day, and is not read. In
// Telethon's table entities, the row with the ID 0 has the account's own user in its column hash.

extension TelegramSession {
    /// Whether a file that begins so is an SQLite database.
    package static func isDatabase(_ head: Span<UInt8>) -> Bool { DatabaseImage.isLikely(head) }

    /// Reads a session file. Nothing is written, and SQLite does not run.
    /// - Parameters:
    ///   - database: the file.
    ///   - log: the file `-wal` beside it, empty if there is none. The caller sees to it that it belongs to `database`
    ///     as that was read.
    ///   - journal: the file `-journal` beside it, empty if there is none.
    /// - Throws: `.otherDatabase`, `.damaged`, `.noKey`, `.keyLength`.
    package init(
        database: consuming SecureBytes, log: consuming SecureBytes, journal: consuming SecureBytes
    ) throws(TelegramSessionError) {
        let image = try DatabaseImage(database, log: log, journal: journal)
        let tables = try Table.all(in: image)
        guard let version = tables["version"], let sessions = tables["sessions"] else { throw .otherDatabase }
        func read(_ column: String) throws(TelegramSessionError) -> Int64 {
            var number: Int64?
            try version.forEachRow(in: image, limit: 1) { (row, _) throws(TelegramSessionError) in
                number = try row.integer(column)
            }
            guard let number else { throw .damaged }
            return number
        }
        let isTelethon = version.has("version") && Self.telethonColumns.allSatisfy(sessions.has)
        if isTelethon {
            let account = try Self.telethon(sessions, tables["entities"], in: image)
            self.init(form: .telethonFile(version: try read("version")), account: account)
        } else if version.has("number") && Self.pyrogramColumns.allSatisfy(sessions.has) {
            let account = try Self.pyrogram(sessions, in: image)
            self.init(form: .pyrogramFile(version: try read("number")), account: account)
        } else {
            throw .otherDatabase
        }
    }

    private static let telethonColumns = ["dc_id", "server_address", "port", "auth_key"]
    private static let pyrogramColumns = ["dc_id", "test_mode", "auth_key", "user_id", "is_bot"]
    /// Most sessions in a file. There should be one.
    private static let maxSessions = 8

    private static func telethon(
        _ sessions: Table, _ entities: Table?, in image: DatabaseImage
    ) throws(TelegramSessionError) -> TelegramAccount {
        var keys: [(Int64, HeldAuthorizationKey)] = []
        var isTest = false
        try sessions.forEachRow(in: image, limit: maxSessions) { (row, bytes) throws(TelegramSessionError) in
            guard let key = try row.key(bytes) else { return }
            guard let number = try row.integer("dc_id") else { throw .damaged }
            if keys.isEmpty { isTest = row["server_address"].text(of: bytes).map(DataCentres.isTest) ?? false }
            keys.append((number, key))
        }
        var user: UInt64?
        if let entities, entities.has("hash") {
            try entities.forEachRow(in: image, only: 0, limit: 1) { (row, _) throws(TelegramSessionError) in
                user = try row.integer("hash").flatMap { UInt64(exactly: $0) }
            }
        }
        return try .session(keys: keys, isTest: isTest, user: user)
    }

    private static func pyrogram(
        _ sessions: Table, in image: DatabaseImage
    ) throws(TelegramSessionError) -> TelegramAccount {
        var account: TelegramAccount?
        try sessions.forEachRow(in: image, limit: 1) { (row, bytes) throws(TelegramSessionError) in
            guard let key = try row.key(bytes) else { throw .noKey }
            guard let number = try row.integer("dc_id") else { throw .damaged }
            account = try .session(
                keys: [(number, key)], isTest: try row.flag("test_mode") ?? false,
                user: try row.positive("user_id"), isBot: try row.flag("is_bot"), apiID: try row.positive("api_id"))
        }
        guard let account else { throw .noKey }
        return account
    }
}

extension Table.Row {
    /// - Returns: nil before the login.
    fileprivate func key(_ bytes: Span<UInt8>) throws(TelegramSessionError) -> HeldAuthorizationKey? {
        switch self["auth_key"] {
        case .null: nil
        case .bytes(let place) where place.isEmpty: nil
        case .bytes(let place): try TelegramSession.key(bytes.extracting(place))
        case .integer, .real, .text: throw .damaged
        }
    }

    fileprivate func flag(_ column: String) throws(TelegramSessionError) -> Bool? {
        guard let number = try integer(column) else { return nil }
        guard number == 0 || number == 1 else { throw .damaged }
        return number == 1
    }

    fileprivate func positive(_ column: String) throws(TelegramSessionError) -> UInt64? {
        guard let number = try integer(column) else { return nil }
        guard let positive = UInt64(exactly: number) else { throw .damaged }
        return positive
    }
}
