import Foundation
import VectorKit

/// Telethon, Pyrogram and its successor Kurigram, which Scripts/set-up installs, and Python's SQLite. Each program takes a
/// directory, and reads or writes the sessions `0.session`, `1.session`, … and `texts` there.
enum SessionPeers {
    /// A session as the other implementations know it.
    struct Facts: Codable, Equatable {
        var dc: Int
        var key: String
        var user: Int?
        var bot: Bool?
        var api: Int?
        var test: Bool?
        var text: String?
    }

    private static let begin = """
        import asyncio, base64, json, os, random, sqlite3, struct, sys
        from pathlib import Path
        place, count = Path(sys.argv[1]), int(sys.argv[2])
        draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 39)
        def drawn(dcs):
            return {"dc": draw.choice(dcs), "key": draw.randbytes(256).hex(), "user": draw.choice([7, 2**31, 2**40 + 1]),
                    "bot": draw.random() < .5, "api": draw.choice([6, 12345, 2**31 - 1]), "test": False}
        def say(all):
            print(json.dumps(all))

        """

    private static let telethonWrites = """
        from telethon.sessions import SQLiteSession, StringSession
        from telethon.crypto import AuthKey
        from telethon.tl import types
        servers = {1: "149.154.175.53", 2: "149.154.167.51", 3: "149.154.175.100", 4: "2001:67c:4e8:f002::a"}
        all = []
        for number in range(count):
            facts = drawn([1, 2, 3, 4])
            file = SQLiteSession(str(place / f"{number}.session"))
            file.set_dc(facts["dc"], servers[facts["dc"]], 443)
            file.auth_key = AuthKey(bytes.fromhex(facts["key"]))
            if number % 2:
                facts["user"] = None
            else:
                file.process_entities(types.User(id=facts["user"], is_self=True, access_hash=5, first_name="n"))
                connection = sqlite3.connect(place / f"{number}.session")
                file.save()
                connection.execute("insert or replace into entities values (0, ?, null, null, null, null)",
                                   (facts["user"],))
                connection.commit()
                connection.close()
            file.save()
            facts["text"] = StringSession.save(file)
            facts["bot"] = facts["api"] = None
            file.close()
            all.append(facts)
        say(all)
        """

    private static let telethonReads = """
        from telethon.sessions import SQLiteSession, StringSession
        all = []
        for number in range(count):
            connection = sqlite3.connect(place / f"{number}.session")
            assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
            row = connection.execute("select hash from entities where id = 0").fetchone()
            connection.close()
            file = SQLiteSession(str(place / f"{number}.session"))
            text = StringSession((place / f"{number}.text").read_text())
            assert (file.dc_id, file.server_address, file.port, file.auth_key) == \\
                (text.dc_id, text.server_address, text.port, text.auth_key)
            all.append({"dc": file.dc_id, "key": file.auth_key.key.hex(), "user": row and row[0],
                        "test": file.server_address == "149.154.167.40"})
            file.set_update_state(0, __import__("telethon").tl.types.updates.State(1, 2, __import__("datetime").datetime.now(), 3, 0))
            file.close()
        say(all)
        """

    /// Of Pyrogram and Kurigram, whose storages have the same methods under other names.
    private static let storages = """
        try:
            from pyrogram.storage import SQLiteStorage
            SQLiteStorage("x", place, in_memory=True)
            def in_file(name, wal=False): return SQLiteStorage(name, place, use_wal=wal)
            def in_memory(text): return SQLiteStorage("x", place, session_string=text, in_memory=True)
        except (ImportError, TypeError):
            from pyrogram.storage import FileStorage, MemoryStorage
            def in_file(name, wal=False): return FileStorage(name, place)
            def in_memory(text): return MemoryStorage("x", text)

        async def facts_of(storage):
            return {"dc": await storage.dc_id(), "key": (await storage.auth_key()).hex(),
                    "user": await storage.user_id(), "bot": bool(await storage.is_bot()),
                    "api": await storage.api_id(), "test": bool(await storage.test_mode())}

        """

    private static let pyrogramWrites = """
        async def main():
            all = []
            for number in range(count):
                facts = drawn([1, 2, 3, 4, 5])
                facts["test"] = facts["dc"] < 4 and draw.random() < .3
                storage = in_file(str(number))
                await storage.open()
                for name, value in (("dc_id", facts["dc"]), ("api_id", facts["api"]), ("test_mode", facts["test"]),
                                    ("auth_key", bytes.fromhex(facts["key"])), ("user_id", facts["user"]),
                                    ("is_bot", facts["bot"]), ("date", 1)):
                    await getattr(storage, name)(value)
                await storage.save()
                facts["text"] = await storage.export_session_string()
                await storage.close()
                all.append(facts)
            say(all)
        asyncio.run(main())
        """

    private static let pyrogramReads = """
        async def main():
            all = []
            for number in range(count):
                connection = sqlite3.connect(place / f"{number}.session")
                assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
                connection.close()
                storage = in_file(str(number))
                await storage.open()
                facts = await facts_of(storage)
                await storage.save()
                await storage.close()
                storage = in_memory((place / f"{number}.text").read_text())
                await storage.open()
                of_text = await facts_of(storage)
                await storage.close()
                assert of_text == facts, (of_text, facts)
                all.append(facts)
            say(all)
        asyncio.run(main())
        """

    enum Library: String, CaseIterable {
        case telethon, pyrogram, kurigram

        fileprivate var python: InstalledPython { InstalledPython(self == .telethon ? "opentele" : rawValue) }
    }

    static func write(_ count: Int, by library: Library, in scratch: Scratch) throws -> [Facts] {
        let source = library == .telethon ? telethonWrites : storages + pyrogramWrites
        return try facts(library.python.run(begin + source, [scratch.path, "\(count)"]))
    }

    static func read(_ count: Int, by library: Library, in scratch: Scratch) throws -> [Facts] {
        let source = library == .telethon ? telethonReads : storages + pyrogramReads
        return try facts(library.python.run(begin + source, [scratch.path, "\(count)"]))
    }

    /// Runs SQL with Python's SQLite, or other lines of Python, in the directory.
    static func script(_ source: String, in scratch: Scratch) throws {
        _ = try InstalledPython("opentele").run(begin + source, [scratch.path, "0"])
    }

    private static func facts(_ output: Data) throws -> [Facts] {
        let line = output.split(separator: UInt8(ascii: "\n")).last ?? Data()
        return try JSONDecoder().decode([Facts].self, from: line)
    }
}
