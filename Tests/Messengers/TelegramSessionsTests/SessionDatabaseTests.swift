import Testing
import VectorKit

@testable import Telegram
@testable import TelegramSessions

/// Databases as SQLite leaves them: of older versions, of any page size, large, being written, and damaged.
@Suite struct SessionDatabaseTests {
    /// Writes a Telethon file in the directory; more lines of Python say what is done to it.
    private static let telethon = """
        key = bytes((7 + at) % 256 for at in range(256))
        def telethon(name, version=7, columns="", first=""):
            connection = sqlite3.connect(place / name, isolation_level=None)
            connection.executescript(first + f'''
                create table version (version integer primary key); insert into version values ({version});
                create table sessions (dc_id integer primary key, server_address text, port integer,
                                       auth_key blob{columns});
                create table entities (id integer primary key, hash integer not null, username text, phone integer,
                                       name text)''')
            connection.execute("insert into sessions (dc_id, server_address, port, auth_key) values (2, ?, 443, ?)",
                               ("149.154.167.51", key))
            connection.execute("insert into entities values (0, 777000, null, null, null)")
            return connection
        import shutil
        def keep(name, new):
            for ending in ("", "-wal", "-journal"):
                if (place / (name + ending)).exists():
                    shutil.copy(place / (name + ending), place / (new + ending))

        """

    private func sessions(_ names: [String], _ script: String) throws -> [TelegramSession] {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try SessionPeers.script(Self.telethon + script, in: scratch)
        return try names.map { try scratch.session($0) }
    }

    @Test func `versions of both libraries`() throws {
        let names = (1...9).map { "t\($0)" } + (1...8).map { "p\($0)" }
        let read = try sessions(
            names,
            """
            for version in range(1, 10):
                connection = telethon(f"t{version}", version)
                # As upgrades do it.
                if version >= 5: connection.execute("alter table sessions add column takeout_id integer")
                if version >= 7: connection.execute("alter table entities add column date integer")
                if version >= 8: connection.execute("alter table sessions add column tmp_auth_key blob")
            for version in range(1, 9):
                connection = sqlite3.connect(place / f"p{version}", isolation_level=None)
                connection.executescript('''
                    CREATE TABLE "sessions"
                    (
                        dc_id     INTEGER PRIMARY KEY,
                        test_mode INTEGER,
                        auth_key  BLOB,
                        date      INTEGER NOT NULL,
                        user_id   INTEGER,
                        is_bot    INTEGER
                    );
                    CREATE TABLE version (number INTEGER PRIMARY KEY)''')
                connection.execute("insert into version values (?)", (version,))
                connection.execute("insert into sessions values (2, 0, ?, 0, 777000, 1)", (key,))
                if version >= 3:
                    connection.execute("ALTER TABLE sessions ADD api_id INTEGER")
                    connection.execute("update sessions set api_id = 12345")
                if version >= 7: connection.execute("ALTER TABLE sessions ADD server_address TEXT")
            """)
        for (name, session) in zip(names, read) {
            let number = Int64(name.dropFirst())!
            let isTelethon = name.hasPrefix("t")
            #expect(session.form == (isTelethon ? .telethonFile(version: number) : .pyrogramFile(version: number)))
            #expect(session.form.isNewer == (number > (isTelethon ? 8 : 7)))
            #expect(
                session.account
                    == (try account(
                        isBot: isTelethon ? nil : true, apiID: isTelethon || number < 3 ? nil : 12345)))
        }
    }

    @Test func `every page size, and tables of many pages`() throws {
        let sizes = [512, 1024, 4096, 65536]
        let read = try sessions(
            sizes.map { "\($0)" },
            """
            for size in (512, 1024, 4096, 65536):
                connection = telethon(str(size), first=f"pragma page_size = {size};")
                connection.execute("update sessions set server_address = ?", ("149.154.167.51" + " " * 3000,))
                connection.execute("begin")
                connection.executemany("insert into entities values (?, 5, null, null, ?)",
                                       ((number, "name" * 40) for number in range(-3000, 3000) if number))
                connection.execute("commit")
            """)
        for session in read { #expect(session.account == (try account(isBot: nil, apiID: nil))) }
    }

    @Test func `a database that is being written`() throws {
        let names = ["log", "restarted", "uncommitted", "journal", "persisted", "empty"]
        let read = try sessions(
            names,
            """
            connection = telethon("a", first="pragma journal_mode = wal; pragma wal_autocheckpoint = 0;")
            keep("a", "log")
            connection.execute("update entities set hash = 5")
            connection.execute("pragma wal_checkpoint")
            # The log begins again; behind its first frames are those of before.
            connection.execute("update entities set hash = 777000")
            keep("a", "restarted")
            connection.execute("pragma cache_size = 2")
            connection.execute("pragma cache_spill = 2")
            connection.execute("begin")
            connection.execute("delete from sessions")
            connection.executemany("insert into entities values (?, 5, null, null, ?)",
                                   ((number, "name" * 40) for number in range(1, 2000)))
            keep("a", "uncommitted")
            connection = telethon("b")
            connection.execute("pragma cache_size = 2")
            connection.execute("pragma cache_spill = 2")
            connection.execute("begin")
            connection.execute("update sessions set auth_key = null")
            connection.execute("update entities set hash = 5")
            connection.executemany("insert into entities values (?, 5, null, null, ?)",
                                   ((number, "name" * 40) for number in range(1, 2000)))
            # A killed program leaves this: parts of a transaction in the database, and the journal.
            keep("b", "journal")
            assert (place / "journal-journal").stat().st_size > 512 and key not in (place / "journal").read_bytes()
            connection = telethon("persisted", first="pragma journal_mode = persist;")
            assert (place / "persisted-journal").stat().st_size > 0
            connection = telethon("empty")
            for ending in ("-wal", "-journal"): (place / ("empty" + ending)).write_bytes(b"")
            """)
        for (name, session) in zip(names, read) {
            #expect(session.account == (try account(isBot: nil, apiID: nil)), "\(name)")
        }
    }

    @Test func `what is no session of somebody is refused by name`() throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try SessionPeers.script(
            Self.telethon + """
                telethon("unset").execute("update sessions set auth_key = null")
                telethon("empty").execute("update sessions set auth_key = x''")
                telethon("none").execute("delete from sessions")
                telethon("zeros").execute("update sessions set auth_key = zeroblob(256)")
                telethon("short").execute("update sessions set auth_key = zeroblob(255)")
                telethon("text").execute("update sessions set auth_key = 'text'")
                telethon("centre").execute("update sessions set dc_id = 0")
                telethon("large").execute("update sessions set dc_id = 256")
                telethon("other").execute("drop table version")
                telethon("column").execute("alter table version rename version to other")
                telethon("many").executemany("insert into sessions values (?, '', 1, ?)",
                                             ((number, key) for number in range(3, 12)))
                telethon("versions").execute("insert into version values (9)")
                telethon("two").execute("insert into sessions values (4, '', 1, ?)", (bytes(255) + b"1",))
                telethon("utf16", first="pragma encoding = 'UTF-16';").close()
                """, in: scratch)
        let refused: [(String, TelegramSessionError)] = [
            ("unset", .noKey), ("empty", .noKey), ("none", .noKey), ("zeros", .noKey),
            ("short", .keyLength(255)),
            ("text", .damaged), ("centre", .damaged), ("large", .damaged), ("other", .otherDatabase),
            ("column", .otherDatabase), ("many", .damaged), ("versions", .damaged), ("utf16", .damaged),
        ]
        for (name, error) in refused {
            #expect(throws: error, "\(name)") { try scratch.session(name) }
        }
        let two = try scratch.session("two").account
        #expect(two.keys.map(\.dataCentre) == [2, 4] && two.mainDataCentre == 2)
        #expect(throws: TelegramSessionError.otherDatabase) { try TelegramSession(file: Array("no database".utf8)) }
    }

    /// No trap, and a refusal with a name or a key of 256 bytes. Where a table is, is in the first pages.
    @Test func `damaged files`() throws {
        let random = SeededRandom(seed: 41)
        let account = try account()
        let log = try Self.log()
        var refusals: Set<String> = []
        let files = [try account.telethonFile().copied, try account.pyrogramFile().copied]
        for file in files {
            for length in [0, 1, 15, 16, 99, 100, 107, 4095, 4096, 8192] {
                #expect(throws: TelegramSessionError.self) { try TelegramSession(file: Array(file[..<length])) }
            }
        }
        for number in 0..<4000 {
            var file = number % 3 == 2 ? log.file : files[number % 3]
            var beside = number % 3 == 2 ? log.log : []
            for _ in 0..<random.number(below: 4) + 1 {
                // In the header, the schema, or the head of a table's page; and in the log's headers.
                let page = random.number(below: file.count / 4096) * 4096
                let place = page + [random.number(below: 128), random.number(below: 4096)][random.number(below: 2)]
                file[place] = random.bytes(1)[0]
                if !beside.isEmpty { beside[random.number(below: beside.count)] = random.bytes(1)[0] }
            }
            do throws(TelegramSessionError) {
                let session = try TelegramSession(file: file, log: beside)
                #expect(session.account.mainKey.held.key.bytes.count == 256)
                refusals.insert("read")
            } catch {
                refusals.insert("\(error)".prefix { $0 != "(" }.description)
            }
        }
        #expect(refusals.isSuperset(of: ["read", "damaged", "otherDatabase", "noKey"]), "\(refusals)")
    }

    private static func log() throws -> (file: [UInt8], log: [UInt8]) {
        let scratch = try Scratch()
        defer { scratch.remove() }
        try SessionPeers.script(
            telethon + """
                connection = telethon("a", first="pragma journal_mode = wal;")
                keep("a", "b")
                """, in: scratch)
        return (try scratch.read("b"), try scratch.read("b-wal"))
    }
}
